/**
 * Reads what Skep was told: `.skep/config.json` of a repository, which is a foreign file, and the variables of the person's shell. What is wrong is an error with its place,
 * and never a default in silence; what is not known is named. Starts nothing and changes nothing. Source: S-106.
 */
import { isUtf8 } from 'node:buffer';
import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRecord } from '../../protocol/text/json.js';
import { ConfigError, type Problem, printableLine, problem, refuse, shownValue } from '../system/config-error.js';
import { readForeignFileSync } from '../system/foreign-file.js';
import { FILE_KEYS, type SkepRow, VARIABLES } from './skep-keys.js';

/** Below the repository. */
export const SKEP_CONFIG = '.skep/config.json';

/** Unit: bytes. Skep's own has a dozen short keys. */
const MAX_BYTES = 64 * 1024;

export interface SkepFile {
  readonly path: string;
  /** How a person finds it. */
  readonly name: string;
  /** Nobody named it, so that its folder may be no link either. */
  readonly isOwn: boolean;
}

/** One thing that Skep was told, and may be. */
export interface Told {
  /** The key, or the variable. */
  readonly name: string;
  /** Of the file, or `environment`. */
  readonly place: string;
  readonly value: unknown;
  readonly row: SkepRow;
}

export interface SkepConfig {
  readonly told: readonly Told[];
  /** Names that are none of Skep's. */
  readonly unknown: readonly string[];
}

const ENVIRONMENT = 'environment';

interface Source {
  readonly place: string;
  readonly entries: readonly (readonly [string, unknown])[];
  readonly rows: Readonly<Record<string, SkepRow>>;
}

/** **Errors** ConfigError with every problem of file and environment. */
export function readSkep(file: SkepFile, env: Readonly<Record<string, string | undefined>>): SkepConfig {
  const variables = Object.entries(env).filter(([name, value]) => name.startsWith('SKEP_') && isSaid(value));
  const sources: readonly Source[] = [
    { place: file.name, entries: Object.entries(parseFile(file)), rows: FILE_KEYS },
    { place: ENVIRONMENT, entries: variables, rows: VARIABLES },
  ];
  const [told, unknown, problems]: [Told[], string[], Problem[]] = [[], [], []];
  for (const { place, entries, rows } of sources) {
    const said = new Map(entries);
    unknown.push(...[...said.keys()].filter((name) => !Object.hasOwn(rows, name)));
    for (const [name, row] of Object.entries(rows)) {
      const value = said.get(name);
      // A text that is empty says nothing in Skep.
      if (!isSaid(value)) continue;
      const result = row.schema.safeParse(value);
      if (result.success) told.push({ name, place, value: result.data, row });
      else problems.push(...result.error.issues.map((issue) => faultOf({ name, place, value }, issue)));
    }
  }
  refuse(problems);
  return { told, unknown };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A fault of what a key of Skep says. */
export function faultOf(
  { name, place, value }: Pick<Told, 'name' | 'place' | 'value'>,
  { path, message }: Issue,
): Problem {
  const isList = Array.isArray(value);
  const below = isList || isRecord(value) ? path.map(String) : [];
  const inside = below.reduce<unknown>((outer, part) => entryOf(outer, part), value);
  const key = [name, ...below].join('.');
  const mend =
    place === ENVIRONMENT
      ? `Correct it, or leave it out:  unset ${name}`
      : `Correct ${place}, then: sluice import skep`;
  const found = `${printableLine(key)} is ${shownValue(inside)}`;
  return problem('BadConfig', place, { key, found, rule: message, mend });
}

function entryOf(outer: unknown, part: string): unknown {
  if (Array.isArray(outer)) return outer[Number(part)];
  return isRecord(outer) && Object.hasOwn(outer, part) ? outer[part] : undefined;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== '';
}

function parseFile(file: SkepFile): Readonly<Record<string, unknown>> {
  const text = readText(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fileError(file, 'is not JSON', 'must be one JSON object in UTF-8');
  }
  if (!isRecord(value) || Array.isArray(value)) throw fileError(file, 'is no object', 'must be one JSON object');
  return value;
}

function readText(file: SkepFile): string {
  if (file.isOwn && lstatSync(dirname(file.path), { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw fileError(file, 'lies behind a link', 'must lie in a folder of the repository itself');
  const reading = readForeignFileSync(file.path, { maxBytes: MAX_BYTES });
  switch (reading.kind) {
    case 'absent':
      throw fileError(file, 'is not there', 'must be the config of Skep', 'sluice import skep --from <path>');
    case 'refused':
      throw fileError(file, 'cannot be read', 'must be a regular file that you may read, and no link');
    case 'too_large':
      throw fileError(file, `has ${reading.size} bytes`, `must have at most ${MAX_BYTES} bytes`);
    case 'read':
      if (!isUtf8(reading.bytes)) throw fileError(file, 'is not UTF-8 text', 'must be one JSON object in UTF-8');
      return reading.bytes.toString('utf8');
  }
}

function fileError({ name }: SkepFile, ...[found, rule, mend]: [string, string, string?]): ConfigError {
  const what = { key: name, found, rule, mend: mend ?? `Correct ${name}, then: sluice import skep` };
  return new ConfigError([problem('BadConfig', name, what)]);
}

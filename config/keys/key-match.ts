/**
 * Finds the row of the key table that a path in a file means: its own spelling, an alias, or a section on the way to one.
 * Does not look at values.
 */
import { ASKS } from '../../protocol/run/admission-policy.js';
import { STAGES, TURN_STAGES } from '../../protocol/run/stages.js';
import { nearestName } from '../system/nearest-name.js';
import type { ComingRow } from './key-table.js';
import { AGENT_NAME } from './key-values.js';
import { KEYS, type KeyName } from './keys.js';
import { COMING_KEYS } from './keys-coming.js';

export type KeyMatch =
  | { readonly kind: 'key'; readonly pattern: KeyName; readonly key: string; readonly alias: string | null }
  | { readonly kind: 'coming'; readonly key: string; readonly row: ComingRow }
  | { readonly kind: 'section' }
  | { readonly kind: 'unknown'; readonly rule: string };

interface Spelling {
  readonly parts: readonly string[];
  readonly pattern: string;
  readonly alias: string | null;
}

const SPELLINGS: readonly Spelling[] = [
  ...Object.entries(KEYS).flatMap(([pattern, { aliases }]) => [
    spelling(pattern, pattern),
    ...aliases.map(({ path }) => spelling(path, pattern)),
  ]),
  ...Object.entries(COMING_KEYS).flatMap(([pattern, { aliases }]) => [
    spelling(pattern, pattern),
    ...aliases.map((path) => spelling(path, pattern)),
  ]),
];

/** **Shape** `path` is not empty and its sections matched before. */
export function matchKey(path: readonly string[]): KeyMatch {
  let isSection = false;
  for (const { parts, pattern, alias } of SPELLINGS) {
    if (!startsWith(parts, path)) continue;
    if (parts.length > path.length) {
      isSection = true;
      continue;
    }
    const key = concreteKey(pattern, path);
    if (isKeyName(pattern)) return { kind: 'key', pattern, key, alias };
    const row = COMING_KEYS[pattern];
    if (row !== undefined) return { kind: 'coming', key, row };
  }
  return isSection ? { kind: 'section' } : { kind: 'unknown', rule: unknownRule(path) };
}

/** The pattern with its placeholder filled from the path. */
function concreteKey(pattern: string, path: readonly string[]): string {
  return pattern
    .split('.')
    .map((part, index) => (isPlaceholder(part) ? (path[index] ?? part) : part))
    .join('.');
}

function isKeyName(pattern: string): pattern is KeyName {
  return Object.hasOwn(KEYS, pattern);
}

function spelling(path: string, pattern: string): Spelling {
  return { parts: path.split('.'), pattern, alias: path === pattern ? null : path };
}

function isPlaceholder(part: string): boolean {
  return part.startsWith('<');
}

function startsWith(parts: readonly string[], path: readonly string[]): boolean {
  return path.length <= parts.length && path.every((part, index) => fits(parts[index] ?? '', part));
}

function fits(part: string, name: string): boolean {
  if (part === '<stage>') return TURN_STAGES.some((stage) => stage === name);
  if (part === '<ask>') return ASKS.some((ask) => ask === name);
  if (part === '<name>') return AGENT_NAME.test(name);
  return part === name;
}

function unknownRule(path: readonly string[]): string {
  const parents = path.slice(0, -1);
  const name = path.at(-1) ?? '';
  const siblings = SPELLINGS.filter(({ parts }) => startsWith(parts, parents) && parts.length > parents.length).map(
    ({ parts }) => parts[parents.length] ?? '',
  );
  if (siblings.includes('<stage>')) {
    const own = STAGES.some((stage) => stage === name) ? ` (${name} is the engine's own: see validation)` : '';
    return `must be one of ${TURN_STAGES.join(', ')}${own}`;
  }
  if (siblings.includes('<ask>')) return `must be one of ${ASKS.join(', ')}`;
  if (siblings.includes('<name>'))
    return 'must be the name of an agent: a letter, then letters, digits, _ and -, at most 40';
  const near = nearestName(name, [...new Set(siblings)]);
  const suggestion = near === null ? sameNameElsewhere(name) : [...parents, near].join('.');
  return `is not a key of sluice${suggestion === null ? '' : `; did you mean ${suggestion}?`}`;
}

function sameNameElsewhere(name: string): string | null {
  const found = SPELLINGS.find(({ parts }) => parts.at(-1)?.toLowerCase() === name.toLowerCase());
  return found === undefined ? null : found.parts.join('.');
}

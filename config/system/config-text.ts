/**
 * Text to a YAML tree, hardened: size, aliases, doubled keys, several documents, tags, directives and prototype keys are
 * refused with their place before any value is looked at. Knows nothing of config keys.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type Document, isMap, isScalar, Lexer, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { ConfigError, type Problem, printableLine, problem, refuse, shownValue } from './config-error.js';
import { messageOf } from './error-code.js';
import { readForeignFileSync } from './foreign-file.js';

export const MAX_CONFIG_BYTES = 256 * 1024;

/** Enough for a file that says things once by anchors; a bomb needs thousands. */
const MAX_ALIASES = 100;

const MAX_DEPTH = 50;

/** Of form: one wrong bracket makes thousands. */
const MAX_FAULTS = 20;

export interface PlacedText {
  readonly text: string;
  /** How a person finds it: `.sluice/config.yaml`. */
  readonly name: string;
}

/** A parsed text. `at` answers `name:line:column` of a node. */
export interface ConfigTree {
  readonly document: Document;
  readonly at: (node: Node | null | undefined) => string;
}

export function hashOfText(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Null where there is no file. **Errors** ConfigError for a folder, a device, a file that is too big or not UTF-8; trouble of the host as it is, for that passes and is no fault of the file. */
export function readConfigFile(path: string, name: string): PlacedText | null {
  const reading = readForeignFileSync(path, { maxBytes: MAX_CONFIG_BYTES, links: 'followed' });
  if (reading.kind === 'absent') return null;
  if (reading.kind === 'too_large') throw new ConfigError([tooBig(name, reading.size)]);
  if (reading.kind === 'refused') {
    if (reading.error === null) throw new ConfigError([fileProblem(name, 'is not a file', 'must be a regular file')]);
    throw new ConfigError([
      fileProblem(name, `cannot be read: ${messageOf(reading.error)}`, 'must be a readable file'),
    ]);
  }
  const { bytes } = reading;
  if (!isUtf8(bytes)) throw new ConfigError([fileProblem(name, 'is not UTF-8 text', 'must be a YAML file in UTF-8')]);
  return { name, text: bytes.toString('utf8') };
}

/** **Errors** ConfigError with every fault of form. */
export function parseConfigText({ text, name }: PlacedText): ConfigTree {
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes > MAX_CONFIG_BYTES) throw new ConfigError([tooBig(name, bytes)]);
  if (nestsTooDeeply(text))
    throw new ConfigError([fileProblem(name, 'nests too deeply', `must nest at most ${MAX_DEPTH} levels`)]);
  const lines = new LineCounter();
  const at = (node: Node | null | undefined) => placeOf(name, lines, node?.range?.[0] ?? 0);
  const document = parsed(text, name, lines);
  const faults = [...document.errors, ...document.warnings].slice(0, MAX_FAULTS).map(({ pos, code, message }) =>
    problem('BadConfig', placeOf(name, lines, pos[0]), {
      found: code === 'MULTIPLE_DOCS' ? 'a second document starts' : printableLine(message.split('\n')[0] ?? code),
      rule:
        code === 'MULTIPLE_DOCS'
          ? 'a config file is one YAML document'
          : 'must be well-formed YAML 1.2 without tags of its own',
    }),
  );
  refuse(faults);
  refuse([...directiveFaults(document, name), ...keyFaults(document, at), ...cycleFaults(document, at)]);
  refuse(bombFaults(document, name));
  return { document, at };
}

function parsed(text: string, name: string, lines: LineCounter): Document {
  // uniqueKeys compares every pair of keys; keyFaults does it in one pass and knows both places.
  return parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    version: '1.2',
    schema: 'core',
  });
}

/** Tokens that are no part of the text: start of a document, start of a scalar, end of a flow by error. */
const LEXER_MARKS: ReadonlySet<string> = new Set(['\u0002', '\u001f', '\u0018']);

/**
 * The composer of `yaml` is recursive: thousands of open brackets end the process itself, past any catch. Its lexer is not.
 * A block level takes at least one column, so the column of an indicator bounds the depth of blocks.
 */
function nestsTooDeeply(text: string): boolean {
  let flow = 0;
  let column = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') flow += 1;
    else if (token === ']' || token === '}') flow = Math.max(0, flow - 1);
    const isBlockLevel = flow === 0 && (token === '-' || token === '?');
    if (flow > MAX_DEPTH || (isBlockLevel && column > 2 * MAX_DEPTH)) return true;
    column = token.includes('\n')
      ? token.length - token.lastIndexOf('\n') - 1
      : column + (LEXER_MARKS.has(token) ? 0 : token.length);
  }
  return false;
}

function directiveFaults(document: Document, name: string): Problem[] {
  const { version } = document.directives?.yaml ?? { version: '1.2' };
  if (version === '1.2') return [];
  return [fileProblem(name, `asks for YAML ${version}`, 'must be YAML 1.2 (1.1 reads off and no as false)')];
}

function keyFaults(document: Document, at: ConfigTree['at']): Problem[] {
  const faults: Problem[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Map<string, string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) {
          faults.push(
            problem('BadConfig', at(isMap(key) ? key : map), {
              found: 'a key is not a plain word',
              rule: 'keys must be words',
            }),
          );
          continue;
        }
        const name = String(key.value);
        const first = seen.get(name);
        if (first !== undefined) {
          faults.push(
            problem('BadConfig', at(key), {
              key: name,
              found: `${shownValue(name)} is here and at ${first}`,
              rule: 'a key must stand once',
            }),
          );
        }
        if (name === '__proto__')
          faults.push(
            problem('BadConfig', at(key), {
              key: name,
              found: '__proto__ is a key',
              rule: 'must not be used as a key',
            }),
          );
        seen.set(name, at(key));
      }
    },
  });
  return faults;
}

/** An anchor comes before its aliases, so whatever leads back to itself has an alias of a part that it stands in. */
function cycleFaults(document: Document, at: ConfigTree['at']): Problem[] {
  const faults: Problem[] = [];
  // Not `alias.resolve`, which looks through the whole document each time.
  const anchored = new Map<string, Node>();
  visit(document, {
    Value(_, node) {
      if (node.anchor !== undefined) anchored.set(node.anchor, node);
    },
    Alias(_, alias, path) {
      const target = anchored.get(alias.source);
      if (target === undefined || !path.includes(target)) return;
      const found = `*${printableLine(alias.source)} stands in the part that it repeats`;
      faults.push(problem('BadConfig', at(alias), { found, rule: 'an alias must not repeat what it is a part of' }));
    },
  });
  return faults;
}

function bombFaults(document: Document, name: string): Problem[] {
  try {
    document.toJS({ maxAliasCount: MAX_ALIASES });
    return [];
  } catch {
    return [
      fileProblem(name, 'has aliases that multiply', `must not repeat anchored parts more than ${MAX_ALIASES} times`),
    ];
  }
}

function tooBig(name: string, bytes: number): Problem {
  return fileProblem(name, `is ${bytes} bytes`, `must be at most ${MAX_CONFIG_BYTES} bytes`);
}

function fileProblem(name: string, found: string, rule: string): Problem {
  return problem('BadConfig', `${printableLine(name)}:1:1`, { found: `the file ${found}`, rule });
}

function placeOf(name: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${printableLine(name)}:${Math.max(1, line)}:${Math.max(1, col)}`;
}

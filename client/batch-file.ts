/**
 * The file of `sluice batch`: UTF-8, one JSON object a line, empty lines aside. Pure: what is wrong is told with file, line and column.
 * It checks what a run's start input must be; repositories and configs are the business of the command.
 */
import { isMap, isScalar, parseDocument } from 'yaml';
import { messageOf } from '../config/system/error-code.js';
import { utf8Text } from '../config/system/utf8-text.js';
import { type BatchTarget, checkBatchTask } from '../protocol/actors/batch.js';
import { MAX_BATCH_TASKS } from '../protocol/limits.js';
import { isRecord } from '../protocol/text/json.js';

export interface BatchLine {
  /** Counted from 1, as an editor does. */
  readonly line: number;
  /** As it stands in the file: an object with at least a task. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export type BatchFile =
  | { readonly kind: 'ok'; readonly lines: readonly BatchLine[] }
  /** `at` is `file:line:column`. */
  | { readonly kind: 'bad'; readonly at: string; readonly what: string; readonly why: string };

/** `to`: a backlog takes what a task says of its place among others, too. */
export function parseBatchFile(bytes: Uint8Array, file: string, to: BatchTarget = 'runs'): BatchFile {
  const text = utf8Text(bytes);
  if (text === null) return notUtf8(bytes, file);
  const lines: BatchLine[] = [];
  for (const [index, source] of text.split('\n').entries()) {
    if (source.trim() === '') continue;
    const at = (column: number) => `${file}:${index + 1}:${column}`;
    const value = parseLine(source);
    if (value.kind === 'bad') return { kind: 'bad', at: at(value.column), what: 'the line is no JSON', why: LINE_RULE };
    if (!isRecord(value.value)) return { kind: 'bad', at: at(1), what: 'the line is no object', why: LINE_RULE };
    const wrong = wrongField(value.value, to);
    if (wrong !== null)
      return { kind: 'bad', at: at(columnOf(source, wrong.field)), what: wrong.message, why: LINE_RULE };
    if (lines.length === MAX_BATCH_TASKS) {
      return {
        kind: 'bad',
        at: at(1),
        what: `there are more than ${MAX_BATCH_TASKS} tasks`,
        why: 'a batch is one workflow, whose history must end',
      };
    }
    lines.push({ line: index + 1, fields: value.value });
  }
  if (lines.length > 0) return { kind: 'ok', lines };
  return { kind: 'bad', at: `${file}:1:1`, what: 'there is no task', why: LINE_RULE };
}

const LINE_RULE =
  'each line is one JSON object like {"task":"fix the parser"}, with the fields of a run\'s start input';
/** As much of an unknown field's name as the check tells. */
const MAX_FIELD_CHARS = 60;
/** Stands in for a repository that the line leaves to the command, or names relative to a folder. */
const SOME_REPO = '/';

function wrongField(fields: Record<string, unknown>, to: BatchTarget): { field: string; message: string } | null {
  const { repo } = fields;
  if (repo !== undefined && (typeof repo !== 'string' || repo === ''))
    return { field: 'repo', message: 'repo must be a path, or be left out' };
  const check = checkBatchTask({ ...fields, repo: SOME_REPO }, to);
  return check.kind === 'bad' ? check : null;
}

type Parsed = { readonly kind: 'ok'; readonly value: unknown } | { readonly kind: 'bad'; readonly column: number };

function parseLine(source: string): Parsed {
  try {
    return { kind: 'ok', value: JSON.parse(source) };
  } catch {
    return { kind: 'bad', column: columnOfError(source) };
  }
}

/** Node does not always say where: the longest beginning that could still become JSON is found by halving. */
function columnOfError(source: string): number {
  let [good, bad] = [0, source.length + 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (middle <= source.length && couldGoOn(source.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good + 1;
}

function couldGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return true;
  } catch (error) {
    const message = messageOf(error);
    return /end of JSON input|Unterminated string/.test(message) || message.includes(`at position ${beginning.length}`);
  }
}

/** The YAML parser is recursive: thousands of brackets would end the process itself. A start input is flat but for its policy. */
const MAX_PLACED_DEPTH = 50;

/** Of the field's name, or of the line. A line of JSON is YAML too, whose parser says where each key stands. */
function columnOf(source: string, field: string): number {
  if (depthOf(source) > MAX_PLACED_DEPTH) return 1;
  const { contents } = parseDocument(source, { uniqueKeys: false });
  const keys = isMap(contents) ? contents.items.map(({ key }) => key) : [];
  // Of a field that stands twice JSON takes the last.
  const key = keys.findLast(
    (candidate) => isScalar(candidate) && String(candidate.value).slice(0, MAX_FIELD_CHARS) === field,
  );
  return (isScalar(key) ? (key.range?.[0] ?? 0) : 0) + 1;
}

/** Of a text that is JSON. */
function depthOf(source: string): number {
  let [depth, deepest] = [0, 0];
  for (const [token] of source.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** The line of the first byte that is wrong: the first line that cannot be decoded by itself. */
function notUtf8(bytes: Uint8Array, file: string): BatchFile {
  let [line, start] = [1, 0];
  for (
    let end = bytes.indexOf(NEWLINE);
    end !== -1 && utf8Text(bytes.subarray(start, end)) !== null;
    end = bytes.indexOf(NEWLINE, start)
  ) {
    start = end + 1;
    line += 1;
  }
  const rest = bytes.subarray(start);
  let good = 0;
  // The column of a character is that of its first byte; a beginning of it alone decodes as a stream.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (const byte of rest) good += decoder.decode(Uint8Array.of(byte), { stream: true }).length;
  } catch {
    // The column is where it stopped.
  }
  return {
    kind: 'bad',
    at: `${file}:${line}:${good + 1}`,
    what: 'the text is no UTF-8',
    why: 'a batch is read as UTF-8; another encoding would change the tasks',
  };
}

const NEWLINE = 0x0a;

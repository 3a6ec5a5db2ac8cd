/**
 * Lists the JSON objects that stand in a free text, in their order: those between words and code fences, those inside other objects, and those that an
 * object carries as a text. Strict JSON alone counts. Pure and linear: the text is scanned at most twice, which `Tally` shows. Source: S-28.
 */

/** Counts what the search looks at. Unit: characters, and values of parsed objects. */
export interface Tally {
  steps: number;
}

/** An envelope carries its answer as a text, and may stand in another one; deeper ones are nobody's answer. */
const MAX_TEXTS_IN_TEXTS = 2;

/** An object, then what it contains, then what follows it. Errors: none, whatever the text is. */
export function* listObjects(text: string, tally: Tally, depth = 0): Generator<object> {
  const scan: Scan = { text, tally, ends: new Map() };
  let at = text.indexOf('{');
  while (at >= 0) {
    const end = endOfObject(scan, at);
    if (end !== null) {
      tally.steps += end - at;
      yield* listWithin(JSON.parse(text.slice(at, end)), tally, depth);
    }
    at = text.indexOf('{', end ?? at + 1);
  }
}

/** A list of what waits instead of recursion: an agent may nest as deep as its text is long. */
function* listWithin(root: unknown, tally: Tally, depth: number): Generator<object> {
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    tally.steps += 1;
    if (typeof value === 'string' && depth < MAX_TEXTS_IN_TEXTS) yield* listObjects(value, tally, depth + 1);
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) yield value;
    const parts: unknown[] = Object.values(value);
    for (const part of parts.toReversed()) waiting.push(part);
  }
}

interface Scan {
  readonly text: string;
  readonly tally: Tally;
  /**
   * By where an object begins: the place after it, or null where no JSON follows. What was open when a scan failed fails at the same character from its own
   * beginning, so nothing is scanned again but what stood in quotes; and of what is in quotes for one scan, the other's quotes are the outside.
   */
  readonly ends: Map<number, number | null>;
}

function endOfObject(scan: Scan, start: number): number | null {
  if (!scan.ends.has(start)) scanFrom(scan, start);
  const end = scan.ends.get(start) ?? null;
  // Nobody asks for a beginning twice, and there may be a million.
  scan.ends.delete(start);
  return end;
}

/** What may come next; `first_…`: or the end of what was just opened. */
type Expected = 'value' | 'first_value' | 'key' | 'first_key' | 'colon' | 'next';

/** Stands for a list among the beginnings of what is open. */
const LIST = -1;

interface Place {
  at: number;
  expected: Expected;
  /** Where each object began, the innermost last. */
  readonly open: number[];
}

function scanFrom({ text, tally, ends }: Scan, start: number): void {
  const place: Place = { at: start, expected: 'value', open: [] };
  do {
    const from = place.at;
    place.at = endOfSpace(text, from);
    const goesOn = closes(text, place) ? close(place, ends) : advance(text, place);
    tally.steps += place.at - from + 1;
    if (!goesOn) {
      for (const begun of place.open) if (begun !== LIST) ends.set(begun, null);
      return;
    }
  } while (place.open.length > 0);
}

function closes(text: string, { at, expected, open }: Place): boolean {
  const isList = open.at(-1) === LIST;
  if (text.charAt(at) !== (isList ? ']' : '}')) return false;
  return open.length > 0 && (expected === 'next' || expected === 'first_value' || expected === 'first_key');
}

function close(place: Place, ends: Map<number, number | null>): boolean {
  const begun = place.open.pop() ?? LIST;
  place.at += 1;
  place.expected = 'next';
  if (begun !== LIST) ends.set(begun, place.at);
  return true;
}

/** False: what stands there is no JSON; `at` is then where it stopped being so. */
function advance(text: string, place: Place): boolean {
  switch (place.expected) {
    case 'value':
    case 'first_value':
      return advanceValue(text, place);
    case 'key':
    case 'first_key':
      return text.charAt(place.at) === '"' && advanceString(text, place, 'colon');
    case 'colon':
      return advanceMark(text, place, { mark: ':', next: 'value' });
    case 'next':
      return advanceMark(text, place, { mark: ',', next: place.open.at(-1) === LIST ? 'value' : 'key' });
  }
}

function advanceMark(text: string, place: Place, { mark, next }: { mark: string; next: Expected }): boolean {
  if (text.charAt(place.at) !== mark) return false;
  place.at += 1;
  place.expected = next;
  return true;
}

function advanceValue(text: string, place: Place): boolean {
  const char = text.charAt(place.at);
  if (char === '"') return advanceString(text, place, 'next');
  if (char === '{' || char === '[') {
    place.open.push(char === '{' ? place.at : LIST);
    place.expected = char === '{' ? 'first_key' : 'first_value';
    place.at += 1;
    return true;
  }
  return advanceScalar(text, place);
}

const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;

function advanceScalar(text: string, place: Place): boolean {
  SCALAR.lastIndex = place.at;
  if (!SCALAR.test(text)) return false;
  place.at = SCALAR.lastIndex;
  place.expected = 'next';
  return true;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** By hand: an expression would keep a way back for each character of a text of a megabyte. */
function advanceString(text: string, place: Place, next: Expected): boolean {
  place.expected = next;
  for (place.at += 1; place.at < text.length; place.at += 1) {
    const code = text.charCodeAt(place.at);
    if (code < 0x20) return false;
    if (code === 0x22) {
      place.at += 1;
      return true;
    }
    if (code !== 0x5c) continue;
    ESCAPE.lastIndex = place.at;
    if (!ESCAPE.test(text)) return false;
    place.at = ESCAPE.lastIndex - 1;
  }
  return false;
}

function endOfSpace(text: string, from: number): number {
  let at = from;
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at += 1;
  return at;
}

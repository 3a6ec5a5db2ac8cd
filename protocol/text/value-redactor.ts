/**
 * The redactor of one run: besides the secrets of known shapes it knows values, those of the run's environment that `collectSecretValues` picks.
 * Pure and linear; where no value stands a text costs one search a form. **Not covered**: a value in base64 or hex, in another case, in
 * pieces with something between them, or cut (`hideCut` takes the cut at an end), one that holds a marker's own words, and one of little but quotes and backslashes.
 */
import { isList, type Json } from './json.js';
import { createRedactor, redact, redactJson, type StreamRedactor } from './redact.js';
import { VisibleText } from './visible.js';

export interface Redactor {
  /** Replaces values and secrets of known shapes. */
  text(text: string): string;
  /** The same in every string of a JSON value of ours. Its names are the engine's own: of them only secrets of known shapes are replaced. */
  json(value: Json): Json;
  /** The same for a text that comes in pieces. */
  stream(): StreamRedactor;
  /** Of a text that people watch while it grows: each piece is final at once (visible.ts). */
  visible(): StreamRedactor;
  /** Replaces values only: for text that is read further. */
  hide(text: string): string;
  /** `hide` for a text that was cut at its end: the beginning of a value that stands there goes too. */
  hideCut(text: string): string;
}

/** For who has no run: an identity where only values are meant. */
export const SHAPES_ONLY: Redactor = {
  text: redact,
  json: redactJson,
  stream: createRedactor,
  visible: () => new VisibleText(),
  hide: (text) => text,
  hideCut: (text) => text,
};

const MARK = '[redacted:environment]';

/** **Unit** characters. A shorter beginning of a value says nothing of it. */
const LEAST_BEGINNING = 6;

/** **Unit** characters. What is shorter between quotes and backslashes is punctuation. */
const LEAST_CORE = 5;

/** A line of a value of several, a key say, that is quoted or indented. */
const LEAST_LINE = 16;

/** Of each value also what JSON, JSON in JSON and an address make of it. */
export function createValueRedactor(values: readonly string[]): Redactor {
  const forms = formsOf(values);
  if (forms.length === 0) return SHAPES_ONLY;
  const pattern = new RegExp(forms.map(escaped).join('|'), 'g');
  const stands = (text: string) => forms.some((form) => text.includes(form));
  const hide = (text: string) => (stands(text) ? text.replace(pattern, MARK) : text);
  const hideCut = (text: string) => withoutBeginning(hide(text), forms);
  return {
    hide,
    hideCut,
    text: (text) => redact(hide(text)),
    json: (value) => redactJson(inStrings(value, hide)),
    stream: () => chained(valueStream({ pattern, stands, forms, end: hide }), createRedactor()),
    visible: () => chained(valueStream({ pattern, stands, forms, end: hideCut }), new VisibleText()),
  };
}

/** Longest first, so that no value is left with the rest of another. */
function formsOf(values: readonly string[]): readonly string[] {
  const whole = values.map(coreOf).filter((core) => core.length >= LEAST_CORE);
  const lines = whole.flatMap((value) => (value.includes('\n') ? value.split('\n').map((line) => line.trim()) : []));
  // The frame of a key is no secret, and the redactor of shapes needs it to find the key.
  const parts = lines.filter((line) => line.length >= LEAST_LINE && !line.startsWith('-----'));
  const forms = [...whole, ...parts].flatMap((value) => {
    const once = inJson(value);
    return [value, once, inJson(once), asciiOf(once), inAddress(value)];
  });
  return [...new Set(forms)].filter((form) => form !== '' && !MARK.includes(form)).sort((a, b) => b.length - a.length);
}

/**
 * Without the quotes and backslashes at its ends: there JSON has some of its own, which would be taken along, and what is left would be no JSON. A value is
 * as unknown without them.
 */
export function coreOf(value: string): string {
  return value.replace(/^["'\\\s]+/, '').replace(/["'\\\s]+$/, '');
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** As a JSON writer that keeps to ASCII says it. */
function asciiOf(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function inAddress(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half a character has no such form.
    return value;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

function withoutBeginning(text: string, forms: readonly string[]): string {
  const beginnings = forms.map((form) => beginningAtEnd(text, form));
  const longest = Math.max(...beginnings);
  return longest < LEAST_BEGINNING ? text : `${text.slice(0, -longest)}${MARK}`;
}

/** How many characters of the form's beginning the text ends with; the whole form is none. */
function beginningAtEnd(text: string, form: string): number {
  const tail = text.slice(-(form.length - 1));
  let at = tail.indexOf(form.charAt(0));
  while (at >= 0 && !form.startsWith(tail.slice(at))) at = tail.indexOf(form.charAt(0), at + 1);
  return at < 0 ? 0 : tail.length - at;
}

function inStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map((entry) => inStrings(entry, change));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, inStrings(field, change)]));
}

interface Search {
  readonly pattern: RegExp;
  readonly stands: (text: string) => boolean;
  readonly forms: readonly string[];
  /** Of what was held back when the text ended. */
  readonly end: (held: string) => string;
}

/** Holds back what may begin a form, and no more, so that the pieces give what the whole would. */
function valueStream({ pattern, stands, forms, end }: Search): StreamRedactor {
  let held = '';
  const takeTo = (limit: number) => {
    let out = '';
    let done = 0;
    for (const match of stands(held) ? held.matchAll(pattern) : []) {
      if (match.index >= limit) break;
      out += held.slice(done, match.index) + MARK;
      done = match.index + match[0].length;
    }
    const cut = Math.max(done, limit);
    out += held.slice(done, cut);
    held = held.slice(cut);
    return out;
  };
  const limitOf = () => held.length - Math.max(...forms.map((form) => beginningAtEnd(held, form)));
  return {
    push(chunk) {
      held += chunk;
      let out = '';
      // What is found may reach over the limit, and what is left then begins something else, or nothing.
      for (let limit = limitOf(); limit > 0; limit = limitOf()) out += takeTo(limit);
      return out;
    },
    end() {
      const rest = end(held);
      held = '';
      return rest;
    },
  };
}

function chained(first: StreamRedactor, second: StreamRedactor): StreamRedactor {
  return {
    push: (chunk) => second.push(first.push(chunk)),
    end: () => second.push(first.end()) + second.end(),
  };
}

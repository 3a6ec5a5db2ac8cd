/**
 * What a text names: identifiers, paths, file names, flags, signs, numbers. Read from the raw text, since `C++` and `C#`, `x > 5` and `x < 5`, -5 and 5 are
 * one normalised text. Pure. Source: S-15.
 */
import { digitsOf } from './guard-words.js';

/** Quoted: up to 80 characters of one line. A single quote is one only outside of words, where it is no apostrophe. */
const QUOTED = [
  /`([^`\n]{1,80})`/gu,
  /["“]([^"“”\n]{1,80})["”]/gu,
  /(?<![\p{L}\p{N}])['‘]([^'‘’\n]{1,80})['’](?![\p{L}\p{N}])/gu,
];

const UNQUOTED = [
  // Paths, and file names with an extension.
  /(?<![\p{L}\p{N}_])[\w@.~-]*\/[\w@./-]*\w/gu,
  /(?<![\p{L}\p{N}_/.-])[\w-]{2,}(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,7}(?![\p{L}\p{N}_])/giu,
  // Flags, snake_case, camelCase and all that has a capital behind its first letter, and words with digits.
  /(?<![\p{L}\p{N}_-])--[a-z][\w-]+/giu,
  /(?<![\p{L}\p{N}_])[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)+/gu,
  /(?<![\p{L}\p{N}_])\p{L}[\p{L}\p{N}]*\p{Lu}[\p{L}\p{N}]*/gu,
  /(?<![\p{L}\p{N}_.])\p{L}+\d[\p{L}\p{N}]*(?:\.\d+)*/gu,
  // One letter or more with signs behind: C++, C#, F#.
  /(?<![\p{L}\p{N}_])\p{L}{1,3}(?:\+\+|#)/gu,
  // One letter alone: no token, so that no layer sees it.
  /(?<![\p{L}\p{N}_'’+#.])[b-hj-z](?![\p{L}\p{N}_'’+#]|\.\p{L})/giu,
];
/** Arrows, and then comparisons, which are parts of some. */
const SIGNS = /[-=]+>|→|<-+|←|[<>=!]=+|[<>]/gu;

/** A sign belongs to a number where nothing stands right before it: 3-5 is a range. The unit follows, if one does. */
const NUMBERS =
  /(?<![\p{L}\p{N}_.])([-−+]?)(\d+(?:[.,]\d+)*)(?:\s?(ms|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|[kmg]i?b|%)(?![\p{L}\p{N}_]))?(?![\p{N}_])/giu;
const SPELLED = /(?<![\p{L}\p{N}_])\p{L}+(?![\p{L}\p{N}_])/gu;

/** Lower case, without repeats. */
export function namesIn(text: string): readonly string[] {
  const quoted = QUOTED.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, name = '']) => name.trim()));
  const unquoted = UNQUOTED.flatMap((pattern) => text.match(pattern) ?? []);
  const names = [...quoted, ...unquoted].map((name) => name.toLowerCase()).filter((name) => name !== '');
  return [...new Set(names)];
}

/** Every arrow to the right is `->`, to the left `<-`. */
export function signsIn(text: string): readonly string[] {
  const signs = text.match(SIGNS) ?? [];
  return [...new Set(signs.map((sign) => sign.replace(/^(?:[-=]+>|→)$/u, '->').replace(/^(?:<-+|←)$/u, '<-')))];
}

/** Whether a text says a name, in any case and with or without quotes, as a whole word or a whole part of a path. */
export function says(text: string, name: string): boolean {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(name); at >= 0; at = lower.indexOf(name, at + 1)) {
    if (!isPartOfWord(lower[at - 1]) && !isGoingOn(lower.slice(at + name.length))) return true;
  }
  return false;
}

function isPartOfWord(character = ''): boolean {
  return /[\p{L}\p{N}_]/u.test(character);
}

/** `C` is not said by `C++`. */
function isGoingOn(rest: string): boolean {
  return /^(?:[\p{L}\p{N}_#]|\+\+)/u.test(rest);
}

export interface NumberRead {
  /** With its sign if that is a minus, and without commas between thousands. */
  readonly value: string;
  /** The first letters of its unit, '' without one. */
  readonly unit: string;
}

/** Digits, also of one figure, and spelled ones from two to twelve. */
export function numbersIn(text: string): readonly NumberRead[] {
  const written = Array.from(text.matchAll(NUMBERS), ([, sign = '', digits = '', unit = '']) => ({
    value: (sign === '-' || sign === '−' ? '-' : '') + digits.replace(/,(?=\d{3}(?:\D|$))/g, ''),
    unit: shortUnit(unit.toLowerCase()),
  }));
  const spelled = (text.toLowerCase().match(SPELLED) ?? []).map(digitsOf).filter((value) => value !== null);
  return [...written, ...spelled.map((value) => ({ value, unit: '' }))];
}

/** `seconds` and `sec` are `s`, `minutes` are `min`. */
function shortUnit(unit: string): string {
  if (unit.startsWith('sec')) return 's';
  if (unit.startsWith('min')) return 'min';
  if (unit.startsWith('hour')) return 'h';
  return unit.replace(/(day|week)s$/, '$1');
}

/**
 * Globs over paths and `/regex/` over added lines: compiled once at load, so that a rule that cannot match is a config
 * error and never a rule that silently guards nothing. A regex that repeats a repetition is refused, because one long
 * line could hold the host for hours; this is a check of shape, not a proof.
 */
import picomatch from 'picomatch';
import { messageOf } from '../system/error-code.js';

export type Compiled<T> = { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'bad'; readonly rule: string };

export type Test = (text: string) => boolean;

/** A rule of `block`: `path` is asked about changed paths, `line` about added lines. */
export interface BlockRule {
  readonly source: string;
  readonly over: 'path' | 'line';
  readonly test: Test;
}

const MAX_RULE_LENGTH = 500;

/** A glob over paths relative to the repository, with `/` between folders; `dir/` and `dir` alone match the name only. */
export function compileGlob(glob: string): Compiled<Test> {
  const rule = badGlob(glob);
  if (rule !== null) return { kind: 'bad', rule };
  try {
    // nonegate: a leading `!` would turn a guard into its opposite; strictBrackets: `[abc` would be taken literally; `s`: a name may hold a newline.
    return { kind: 'ok', value: picomatch(glob, { dot: true, nonegate: true, strictBrackets: true, flags: 's' }) };
  } catch (error) {
    return { kind: 'bad', rule: `must be a glob: ${messageOf(error)}` };
  }
}

/** `/regex/` (flags i, u) is a rule over added lines, everything else a glob over paths. */
export function compileBlockRule(source: string): Compiled<BlockRule> {
  const regex = /^\/(.+)\/([a-z]*)$/s.exec(source);
  if (regex === null) {
    const glob = compileGlob(source);
    return glob.kind === 'bad' ? glob : { kind: 'ok', value: { source, over: 'path', test: glob.value } };
  }
  const [, pattern = '', flags = ''] = regex;
  const rule = badRegex(pattern, flags);
  if (rule !== null) return { kind: 'bad', rule };
  try {
    const compiled = new RegExp(pattern, flags);
    return { kind: 'ok', value: { source, over: 'line', test: (line) => compiled.test(line) } };
  } catch (error) {
    return { kind: 'bad', rule: `must be a regular expression: ${messageOf(error)}` };
  }
}

function badGlob(glob: string): string | null {
  if (glob === '' || glob.length > MAX_RULE_LENGTH) return `must be a glob of 1 to ${MAX_RULE_LENGTH} characters`;
  if (glob.startsWith('!')) return 'must not start with ! (there are no negative globs)';
  if (glob.startsWith('/') || glob.split('/').includes('..')) return 'must be relative to the repository, without ..';
  if (glob.includes('\0')) return 'must not hold a NUL character';
  // One extglob inside another repeats a repetition, like the regexes below.
  if (/[*+@?!]\([^)]*[*+@?!]\(/.test(glob)) return 'must not nest extended globs';
  return null;
}

function badRegex(pattern: string, flags: string): string | null {
  if (pattern.length > MAX_RULE_LENGTH) return `must be a regular expression of at most ${MAX_RULE_LENGTH} characters`;
  if (!/^(?:i?u?|ui)$/.test(flags)) return 'may have the flags i and u only';
  if (repeatsARepetition(pattern))
    return 'must not repeat a group that repeats or has alternatives, such as (a+)+ or (a|b)*';
  return null;
}

/** True for an unbounded quantifier on a group that holds an unbounded quantifier or an alternative. */
function repeatsARepetition(pattern: string): boolean {
  const groups: boolean[] = [];
  let risky = false;
  let closed: boolean | null = null;
  const plain = pattern.replace(/\\./gsu, 'x').replace(/\[\^?[^\]]*\]/gu, 'x');
  for (let at = 0; at < plain.length; at += 1) {
    const char = plain.charAt(at);
    const unbounded = char === '*' || char === '+' || /^\{\d*,\d*\}/.test(plain.slice(at));
    if (unbounded && closed === true) return true;
    closed = null;
    if (char === '(') {
      groups.push(risky);
      risky = false;
    } else if (char === ')') {
      closed = risky;
      risky = risky || (groups.pop() ?? false);
    } else if (unbounded || char === '|') {
      risky = true;
    }
  }
  return false;
}

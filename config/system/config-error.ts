/**
 * The error of config/: everything that is wrong, each with its place, the value, the rule and what mends it.
 * It names the failure type, so that an activity can map it without this folder knowing Temporal.
 * Texts of others are shown printable and clipped; values below `env` are never shown.
 */
import type { FailureType } from '../../protocol/failures.js';
import { type Refusal, RefusedError } from '../../protocol/text/refusal.js';

export type ConfigFailure = Extract<FailureType, 'BadConfig' | 'BadInput' | 'BadAgent' | 'NotTrusted'>;

/** **Shape** `place` is `file:line:column`, or `run input` and the like where there is no file; `mend` holds a command or an edit. */
export interface Problem {
  readonly type: ConfigFailure;
  readonly place: string;
  /** The dotted key, or the field of the start input. */
  readonly key: string;
  /** What was found, as a clause: `rounds is -1`. */
  readonly found: string;
  readonly rule: string;
  readonly mend: string;
}

/** Config that cannot be used. **Shape** at least one problem; `type` is theirs if they agree, else BadConfig. */
export class ConfigError extends RefusedError {
  override readonly name = 'ConfigError';
  readonly type: ConfigFailure;
  /** The key or field of the first problem. */
  readonly field: string;

  constructor(readonly problems: readonly [Problem, ...Problem[]]) {
    super(describe(problems));
    const [first] = problems;
    this.type = problems.every((problem) => problem.type === first.type) ? first.type : 'BadConfig';
    this.field = first.key;
  }
}

/** Throws all problems as one ConfigError, or returns if there are none. */
export function refuse(problems: readonly Problem[]): void {
  const [first, ...rest] = problems;
  if (first !== undefined) throw new ConfigError([first, ...rest]);
}

// Control characters, bidi and zero-width marks, line separators: each can make a terminal show something else than the text.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One line of printable text, clipped to `limit` characters. */
export function printableLine(text: string, limit = 120): string {
  const clipped = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return clipped.replace(UNPRINTABLE, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

/** A value as a person would write it in a config file, printable and clipped. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string' && /^[\w./:-]{1,60}$/.test(value)) return value;
  const text =
    typeof value === 'bigint' || typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value);
  return printableLine(text, 80);
}

const SHOWN_PROBLEMS = 10;

function describe(problems: readonly Problem[]): Refusal {
  // A YAML parser tells the same place twice.
  const told = [...new Map(problems.map((each) => [`${each.place}: ${each.found}`, each.rule]))];
  const [what = '', ...why] = told.slice(0, SHOWN_PROBLEMS).flat();
  const more = told.length - SHOWN_PROBLEMS;
  if (more > 0) why.push(`and ${more} more`);
  const mends = [...new Set(problems.map(({ mend }) => mend))].slice(0, 3);
  return { what, why: why.join('\n'), now: 'Nothing was started.', mend: mends.join('\n') };
}

export function problem(
  type: ConfigFailure,
  place: string,
  rest: { found: string; rule: string; key?: string; mend?: string },
): Problem {
  const { key = '', mend = `Correct ${place.replace(/:\d+:\d+$/, '')}, then: sluice config` } = rest;
  return { type, place, key, found: rest.found, rule: rest.rule, mend };
}

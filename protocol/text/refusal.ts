/**
 * A refusal or failure that a person reads and can mend. It stays data on its whole way, over the server too; only a screen makes lines of it,
 * and nobody reads them back.
 */
import { FAILURES, type FailureType } from '../failures.js';

/** **Shape** each part is one line or several; empty: there is nothing to say. */
export interface Refusal {
  /** What failed, with the value and where it came from. */
  readonly what: string;
  /** Why, as a rule. */
  readonly why: string;
  /** What is true now. */
  readonly now: string;
  /** A command that mends it; after four spaces, a word about it. */
  readonly mend: string;
}

interface RefusedOptions extends ErrorOptions {
  /** Of the command that ends with it: 1 nothing was started, 3 a person is needed, 130 a person stopped it (docs/cli.md). */
  readonly exitCode?: 1 | 3 | 130;
}

/** The one error for people; any other that reaches them is a defect and keeps its stack. */
export class RefusedError extends Error {
  override readonly name: string = 'RefusedError';
  readonly exitCode: 1 | 3 | 130;

  constructor(
    readonly parts: Refusal,
    { exitCode = 1, ...options }: RefusedOptions = {},
  ) {
    super(linesOf(parts).join('\n'), options);
    this.exitCode = exitCode;
  }
}

/** What an ApplicationFailure of it is made from. `field`: of the start input. Source: temporalio/sdk-typescript, ApplicationFailureOptions. */
export function refusalFailure(type: FailureType, parts: Refusal, field: string | null = null) {
  return { type, message: linesOf(parts).join('\n'), nonRetryable: true, details: [field, parts] };
}

/** The same for a start input that is wrong. */
export function badInputFailure(field: string, message: string) {
  return refusalFailure(
    FAILURES.BadInput,
    { what: `${message}.`, why: '', now: 'Nothing was started.', mend: '' },
    field,
  );
}

/** From the details of a failure; null where it carries none, as what another program threw. */
export function readRefusal(failure: unknown): Refusal | null {
  const details: unknown =
    typeof failure === 'object' && failure !== null && 'details' in failure ? failure.details : null;
  const parts: unknown = Array.isArray(details) ? details[1] : null;
  return isRefusal(parts) ? parts : null;
}

/** The lines of a screen: what was refused, and below it, indented, all the rest. No line of a part can pass for a message of its own. */
export function formatRefusal(parts: Refusal): string {
  return linesOf(parts)
    .map((line, index) => (index === 0 ? `sluice: ${line}` : `  ${line}`))
    .join('\n');
}

function linesOf({ what, why, now, mend }: Refusal): readonly string[] {
  // A command is alone on its line, so that it can be pasted.
  const mends = mend.split(/\n| {4}(?=\S)/);
  return [...[what, why, now].flatMap((part) => part.split('\n')), ...mends].filter((line) => line.trim() !== '');
}

export function isRefusal(value: unknown): value is Refusal {
  const names = ['what', 'why', 'now', 'mend'] as const satisfies readonly (keyof Refusal)[];
  return (
    typeof value === 'object' && value !== null && names.every((name) => typeof Reflect.get(value, name) === 'string')
  );
}

/**
 * How the watching of a run ended, read from the workflow's result or failure.
 * Only the types of protocol/failures.ts mean "never started"; what else fails a workflow is a failed run.
 */
import { messageOf, nameOf } from '../../../config/system/error-code.js';
import { FAILURES } from '../../../protocol/failures.js';
import type { RunResult } from '../../../protocol/messages/messages.js';
import { type Refusal, readRefusal } from '../../../protocol/text/refusal.js';
import { EXIT, type ExitCode, exitCodeOf } from '../terminal/exit-codes.js';

export type EndOf<Result> = { readonly kind: 'closed'; readonly result: Result } | OtherEnd;

export type RunEnd = EndOf<RunResult>;

export type OtherEnd =
  /** The workflow refused its input or the host refused the run: nothing was started. */
  | { readonly kind: 'refused'; readonly type: string; readonly message: string; readonly parts: Refusal }
  | { readonly kind: 'failed'; readonly message: string }
  /** Ended from outside: cancelled before it could close by itself, or terminated. */
  | { readonly kind: 'aborted'; readonly message: string }
  | { readonly kind: 'detached' }
  /** The server stayed away; the run goes on when it is back. */
  | { readonly kind: 'server_away' };

export const DETACHED = { kind: 'detached' } as const satisfies OtherEnd;

export function exitCodeOfEnd(end: RunEnd): ExitCode {
  switch (end.kind) {
    case 'closed':
      return exitCodeOf(end.result.outcome);
    case 'refused':
      return EXIT.notStarted;
    case 'failed':
      return EXIT.failed;
    case 'aborted':
      return EXIT.needsPerson;
    case 'detached':
    case 'server_away':
      return EXIT.detached;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(Object.values(FAILURES));

/** Null for an error that says nothing about the run, for instance that the server did not answer. */
export function endOfFailure(error: unknown): OtherEnd | null {
  if (nameOf(error) !== 'WorkflowFailedError') return null;
  const chain = [...causes(error)].slice(1);
  const refusal = chain.find((cause) => REFUSALS.has(typeOf(cause)));
  if (refusal !== undefined) {
    const message = messageOf(refusal);
    const parts = readRefusal(refusal) ?? { what: message, why: '', now: '', mend: '' };
    return { kind: 'refused', type: typeOf(refusal), message, parts };
  }
  const ended = chain.find((cause) => ['CancelledFailure', 'TerminatedFailure'].includes(nameOf(cause)));
  if (ended !== undefined) return { kind: 'aborted', message: messageOf(ended) };
  return { kind: 'failed', message: messageOf(chain.at(-1) ?? error) };
}

/** Of a refusal what was refused; else the innermost cause says what happened. */
export function reasonOf(error: unknown): string {
  const chain = [...causes(error)];
  const refusal = chain.map(readRefusal).find((parts) => parts !== null);
  return refusal?.what ?? messageOf(chain.at(-1));
}

function* causes(error: unknown): Generator<unknown> {
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 20; depth += 1) {
    yield at;
    at = typeof at === 'object' && 'cause' in at ? at.cause : null;
  }
}

function typeOf(error: unknown): string {
  return error instanceof Error && 'type' in error && typeof error.type === 'string' ? error.type : '';
}

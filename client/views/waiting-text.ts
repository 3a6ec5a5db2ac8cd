/** What an open run waits for, in words, with the time that is left where it is known. Pure; foreign text leaves printable. */
import type { RunView } from '../../protocol/messages/run-view.js';
import { foreign } from './foreign.js';

type Waiting = NonNullable<RunView['waiting']>;

const KINDS: Readonly<Record<string, string>> = {
  approval: 'a decision',
  answer: 'an answer',
  usage_limit: 'a usage limit to end',
  rate_limited: 'the provider, which limits the rate',
  transient: 'another try after a passing failure',
  host: 'its host',
  budget: "the ledger of the day's budget",
};

/** `a usage limit to end, 12:30 left`. A kind of a later version is shown as it is. */
export function waitingText({ kind, until, account }: Waiting, now: number): string {
  const named = kind === 'usage_limit' && account !== null ? `the usage limit of ${foreign(account)} to end` : null;
  // Of a file, it may be a name that every object has.
  const what = named ?? (Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined) ?? foreign(kind);
  const left = until === null ? Number.NaN : Date.parse(until) - now;
  return Number.isNaN(left) ? what : `${what}, ${left > 0 ? `${elapsed(left)} left` : 'due now'}`;
}

type Paused = Pick<RunView, 'runId' | 'status' | 'pauseRequested' | 'pausedAtStatus'>;

/** Null where nobody asked for a pause. */
export function pauseText({ runId, status, pauseRequested, pausedAtStatus }: Paused): string | null {
  const resume = `sluice resume ${foreign(runId)}`;
  if (status === 'paused')
    return `paused${pausedAtStatus === null ? '' : ` at ${foreign(pausedAtStatus)}`}; goes on with: ${resume}`;
  return pauseRequested ? `pauses at the next stage boundary; taken back with: ${resume}` : null;
}

/** `round 1 of 2`; null before the first fix. */
export function roundText({
  reviewLoopCount,
  maxReviewLoops,
}: Pick<RunView, 'reviewLoopCount' | 'maxReviewLoops'>): string | null {
  return reviewLoopCount > 0 ? `round ${reviewLoopCount} of ${maxReviewLoops}` : null;
}

/** `0:07`, `12:30`, `1:02:03`, `2d 03:00:00`. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(Number.isFinite(ms) ? ms / 1000 : 0));
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const clock = `${two(minutes % 60)}:${two(seconds % 60)}`;
  if (hours >= 24) return `${Math.floor(hours / 24)}d ${two(hours % 24)}:${clock}`;
  return hours > 0 ? `${hours}:${clock}` : `${minutes}:${two(seconds % 60)}`;
}

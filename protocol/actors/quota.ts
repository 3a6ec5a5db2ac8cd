/**
 * What runs and their quota gate say to each other, and until when a limit is believed to last. Pure.
 * Times told by a provider are untrusted: they may be past, unreadable or far ahead, and the clock here may be wrong.
 */
import { fieldsOf, nameIn, timeIn, wordIn } from '../text/fields.js';

/** The signal of a gate to a waiting run. */
export const QUOTA_SIGNAL = 'quota';

/** Signals to a gate; `open` is a person's, and an Update too. */
export const QUOTA_MESSAGES = ['park', 'probed', 'leave', 'open'] as const;

/** `usage`: of the plan; whether it is over one run finds out. `rate`: over at its time, for all. */
export const QUOTA_LIMITS = ['usage', 'rate'] as const;
export type QuotaLimit = (typeof QUOTA_LIMITS)[number];

/** A run met a limit and waits. A repeat with the same `wait` changes nothing. */
export interface ParkMessage {
  readonly workflowId: string;
  /** Of several that one workflow has at once, as an item has for its asks. Missing: it has one. */
  readonly seat?: string;
  /** One id for each wait of a seat. */
  readonly wait: string;
  readonly limit: QuotaLimit;
  /** What the provider said, of a rate limit with the run's own back-off; null: nothing. */
  readonly until: string | null;
  /** Upper bound of the turn that the run takes when it goes on. Unit: ms. */
  readonly turnMs: number;
  /** The run has waited long enough by its own timer: a gate that does not know it must not make it wait anew. */
  readonly overdue: boolean;
}

/** How the turn of the run that probes ended. `gone`: it was never taken to an end. */
export interface ProbedMessage {
  readonly workflowId: string;
  readonly wait: string;
  readonly result: 'limited' | 'passed' | 'gone';
  /** Of a new limit. */
  readonly until: string | null;
}

export interface LeaveMessage {
  readonly workflowId: string;
  readonly wait: string;
}

/**
 * What a gate tells a waiter. `hold`: closed until then. `probing`: another run tries; there is news by then at the latest.
 * `told`: the provider named the time. `probe` and `open`: take the turn again. `opening` tells one opening from another, so that a host knows which closed account it overrules.
 */
export type QuotaWord =
  | { readonly wait: string; readonly word: 'hold'; readonly until: string; readonly told: boolean }
  | { readonly wait: string; readonly word: 'probing'; readonly until: string }
  | { readonly wait: string; readonly word: 'probe' | 'open'; readonly opening: string };

/** Answer of a gate's Query `status`, and an object of `sluice quota list --json`. Absent values are null. */
export interface QuotaGateView {
  readonly account: string;
  readonly state: 'open' | 'closed' | 'probing';
  /** What it is closed for; null where it is not. */
  readonly limit: QuotaLimit | null;
  /** Closed: when it is probed, or opens. Probing: when the probe is given up. ISO 8601. */
  readonly until: string | null;
  readonly since: string | null;
  readonly waiting: number;
  /** Workflow ids, the first 50. */
  readonly runs: readonly string[];
  /** Workflow id of the run that probes. */
  readonly probe: string | null;
  /** Probes in a row that met the limit again. */
  readonly refusals: number;
  /** Why it is another time than the provider said. */
  readonly note: string | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Where a provider does not say when its limit ends; doubles with each refusal. */
const UNKNOWN = { firstMs: HOUR_MS, maxMs: 4 * HOUR_MS };

/** A time that was told and proved wrong, from the second refusal on; a past one from the first. */
const REFUSED = { firstMs: MINUTE_MS, maxMs: HOUR_MS };

/** The longest window of a subscription is a week; a time beyond is tried then, for the price of one turn. */
const MAX_CLOSED_MS = 7 * DAY_MS;

interface ClosedUntil {
  /** Unit: ms since 1970. */
  readonly at: number;
  /** The provider named it. */
  readonly isTold: boolean;
  /** Why it is not what was said, for people; null: it is. */
  readonly note: string | null;
}

/** `refusals`: probes in a row that met the limit. Unit: ms since 1970. */
export function closedUntil(told: string | null, now: number, refusals: number): ClosedUntil {
  const at = told === null ? Number.NaN : Date.parse(told);
  if (Number.isNaN(at))
    return { at: now + doubled(UNKNOWN, refusals + 1), isTold: false, note: 'the provider did not say when it ends' };
  if (at <= now) {
    const note = `the end that was told, ${isoOf(at)}, is past by this clock`;
    return { at: now + doubled(REFUSED, refusals), isTold: true, note };
  }
  if (at - now > MAX_CLOSED_MS) {
    return {
      at: now + MAX_CLOSED_MS,
      isTold: true,
      note: `the end that was told, ${isoOf(at)}, is more than 7 days ahead`,
    };
  }
  const soonest = now + doubled(REFUSED, refusals - 1);
  return at >= soonest
    ? { at, isTold: true, note: null }
    : { at: soonest, isTold: true, note: `the limit was met again ${refusals} times` };
}

/** 0 for none, then from the first on, doubling. */
function doubled({ firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number }, times: number): number {
  return times <= 0 ? 0 : Math.min(firstMs * 2 ** (times - 1), maxMs);
}

/** Beyond what a date can be it is the last one that can. */
export function isoOf(ms: number): string {
  return new Date(Math.min(ms, 8.64e15)).toISOString();
}

/** Of the activity that a run parks by. */
export interface ParkInput {
  /** `<provider>/<account>`. */
  readonly account: string;
  readonly park: ParkMessage;
}

/** Whose limits the requests to a repository `owner/name` of a forge use up. */
export function forgeAccount(repo: string): string {
  return `github/${repo.split('/')[0]?.toLowerCase() ?? ''}`;
}

/** Null: it cannot be read and says nothing. */
export function readQuotaWord(argument: unknown): QuotaWord | null {
  const fields = fieldsOf(argument);
  const wait = nameIn(fields, 'wait');
  const word = wordIn(fields, 'word', ['hold', 'probing', 'probe', 'open']);
  const until = timeIn(fields, 'until');
  const opening = nameIn(fields, 'opening');
  if (wait === null) return null;
  if (word === 'hold') return until === null ? null : { wait, word, until, told: fields['told'] === true };
  if (word === 'probing') return until === null ? null : { wait, word, until };
  return word === null || opening === null ? null : { wait, word, opening };
}

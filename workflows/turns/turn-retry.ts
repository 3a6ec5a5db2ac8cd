/** What follows a failed try of a turn: a wait, another try, another agent, or nothing. Pure; the waits become durable timers. Source: V-121 to V-125. */
import type { AfterOverflow } from '../../protocol/messages/messages.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import type { UsageLimitPolicy } from '../../protocol/run/policy.js';

/** Retries used in one turn; those of a fallback agent are none. */
export interface Tries {
  rateLimited: number;
  transient: number;
  timeouts: number;
  /** The conversation that was gone on with is given up. */
  fresh: boolean;
  /** What the turn has since it was too long for its agent; null: it was not. */
  overflow: AfterOverflow | null;
  /** The fallback agent at work; null: the stage's own. */
  fallback: string | null;
}

export interface RetryRules {
  readonly usageLimit: UsageLimitPolicy;
  /** Waits for a usage limit that this run had already. */
  readonly usageWaits: number;
  /** Agent to try once; null: none. */
  readonly fallbackAgent: string | null;
  /** The agent has a larger model than that of the turn. */
  readonly larger: boolean;
  /** Unit: ms since 1970. */
  readonly now: number;
  /** From 0 to 1, drawn by the caller. */
  readonly jitter: number;
}

type WaitKind = 'usage_limit' | 'rate_limited' | 'transient';

export type AfterTry =
  /** No retry: the caller reads the outcome. */
  | { readonly kind: 'settled' }
  | { readonly kind: 'wait'; readonly waiting: WaitKind; readonly ms: number; readonly retry: number }
  | { readonly kind: 'again'; readonly retry: number }
  /** Again at once, with a new conversation. */
  | { readonly kind: 'fresh' }
  /** Again at once, as `with` says. */
  | { readonly kind: 'overflow'; readonly with: AfterOverflow; readonly retry: number }
  | { readonly kind: 'fallback'; readonly agent: string };

const SECOND_MS = 1_000;
const RATE_LIMIT = { retries: 5, firstMs: 2 * SECOND_MS, maxMs: 120 * SECOND_MS };
const TRANSIENT = { retries: 4, firstMs: SECOND_MS, maxMs: 60 * SECOND_MS };
export const TIMEOUT_RETRIES = 1;
/** Where a provider does not say when its limit ends. */
const UNKNOWN_LIMIT_MS = 60 * 60 * SECOND_MS;

export function decideAfterTry(outcome: TurnOutcome, tries: Tries, rules: RetryRules): AfterTry {
  // Nothing was tried yet: the conversation was gone, or too long.
  if (outcome.kind === 'transient' && outcome.fresh === true && !tries.fresh) return { kind: 'fresh' };
  // A fallback agent is tried once, whatever it answers (V-125).
  if (tries.fallback !== null) return { kind: 'settled' };
  switch (outcome.kind) {
    case 'usage_limit':
      return afterUsageLimit(outcome.until, rules);
    case 'rate_limited': {
      if (tries.rateLimited >= RATE_LIMIT.retries) return fallbackOr(rules);
      const ms = Math.max(
        backoff(RATE_LIMIT, tries.rateLimited, rules.jitter),
        Math.min(outcome.afterMs ?? 0, rules.usageLimit.maxWaitMs),
      );
      return { kind: 'wait', waiting: 'rate_limited', ms, retry: tries.rateLimited + 1 };
    }
    case 'transient':
      if (tries.transient >= TRANSIENT.retries) return fallbackOr(rules);
      return {
        kind: 'wait',
        waiting: 'transient',
        ms: backoff(TRANSIENT, tries.transient, rules.jitter),
        retry: tries.transient + 1,
      };
    case 'timeout':
      return tries.timeouts >= TIMEOUT_RETRIES ? fallbackOr(rules) : { kind: 'again', retry: tries.timeouts + 1 };
    case 'overflow':
      return afterOverflow(tries.overflow, rules);
    case 'crash_loop':
    case 'hard':
      return fallbackOr(rules);
    default:
      return { kind: 'settled' };
  }
}

/** A shorter context first: it costs least. The larger model then has the whole one. Why no more: docs/decisions/0017-an-overflow-has-a-ladder.md. */
function afterOverflow(before: AfterOverflow | null, { larger }: RetryRules): AfterTry {
  if (before === null) return { kind: 'overflow', with: 'shorter', retry: 1 };
  if (before === 'shorter' && larger) return { kind: 'overflow', with: 'extended', retry: 2 };
  return { kind: 'settled' };
}

/** Uses no retry (V-124). */
function afterUsageLimit(until: string | null, rules: RetryRules): AfterTry {
  const { action, maxWaitMs, maxWaits } = rules.usageLimit;
  if (action === 'stop') return { kind: 'settled' };
  if (action === 'fallback' && rules.fallbackAgent !== null) return { kind: 'fallback', agent: rules.fallbackAgent };
  const resetAt = until === null ? Number.NaN : Date.parse(until);
  const ms = Number.isNaN(resetAt) ? Math.min(UNKNOWN_LIMIT_MS, maxWaitMs) : Math.max(0, resetAt - rules.now);
  if (rules.usageWaits >= maxWaits || ms > maxWaitMs) return { kind: 'settled' };
  return { kind: 'wait', waiting: 'usage_limit', ms, retry: rules.usageWaits + 1 };
}

function fallbackOr({ fallbackAgent }: RetryRules): AfterTry {
  return fallbackAgent === null ? { kind: 'settled' } : { kind: 'fallback', agent: fallbackAgent };
}

/** Doubling, ±20 %, capped before the jitter. */
function backoff(
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
  before: number,
  jitter: number,
): number {
  return Math.round(Math.min(firstMs * 2 ** before, maxMs) * (0.8 + 0.4 * jitter));
}

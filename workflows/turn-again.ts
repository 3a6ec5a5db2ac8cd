/** Between a failed attempt and the next: the wait as a durable timer, or the fallback agent. Source: V-121 to V-125. */
import { sleep } from '@temporalio/workflow';
import type { TurnRetriedData } from '../protocol/event-data.js';
import type { AfterOverflow } from '../protocol/messages.js';
import { closedUntil } from '../protocol/quota.js';
import type { RunContext } from './context.js';
import type { SeatEnd } from './quota-seat.js';
import type { Attempt, Turn } from './turn-attempt.js';
import { type AfterAttempt, afterAttempt, type Tries } from './turn-retry.js';

export interface FailedTurn {
  readonly turn: Turn;
  readonly tries: Tries;
  readonly attempt: Attempt;
}

/** Whether the turn is taken again; resolves when it is time. */
export async function goesAgain(context: RunContext, failed: FailedTurn): Promise<boolean> {
  const { run } = context;
  const { turn, tries, attempt } = failed;
  const next = afterAttempt(attempt.result.outcome, tries, {
    usageLimit: run.policy.usageLimit,
    usageWaits: run.facts.usageWaits,
    fallbackAgent: run.policy.agentOf[turn.stage].fallback,
    larger: run.policy.agentOf[turn.stage].extendedModel !== undefined,
    now: Date.now(),
    jitter: Math.random(),
  });
  switch (next.kind) {
    case 'settled':
      return false;
    case 'again':
      tries.timeouts += 1;
      noteRetry(context, failed, { retry: next.retry, waitMs: 0 });
      return true;
    case 'fresh':
      tries.fresh = true;
      noteRetry(context, failed, { retry: 1, waitMs: 0 });
      return true;
    case 'overflow':
      tries.overflow = next.with;
      // The conversation that is too long may be this attempt's own.
      tries.fresh = true;
      noteRetry(context, failed, { retry: next.retry, waitMs: 0, afterOverflow: next.with });
      return true;
    case 'fallback':
      callFallback(context, failed, next.agent);
      return true;
    case 'wait': {
      const account = next.waiting === 'usage_limit' ? run.policy.agentOf[turn.stage].account : undefined;
      if (account !== undefined) return waitAtGate(context, failed, { account, ms: next.ms });
      await wait(context, failed, next);
      return true;
    }
  }
}

function callFallback({ run }: RunContext, { turn, tries, attempt }: FailedTurn, agent: string): void {
  const from = run.policy.agentOf[turn.stage].agent;
  tries.fallback = agent;
  const data = { stage: turn.stage, seq: attempt.place.seq, from, to: agent };
  run.note('turn.fallback', `${from} failed (${attempt.result.outcome.kind}); ${agent} tries once`, data);
}

async function wait(context: RunContext, failed: FailedTurn, next: Extract<AfterAttempt, { kind: 'wait' }>): Promise<void> {
  const { run, presenter, flush } = context;
  const until = new Date(Date.now() + next.ms).toISOString();
  if (next.waiting === 'usage_limit') noteUsageWait(context, failed, { until, message: `waits for the usage limit until ${until}` });
  else {
    failed.tries[next.waiting === 'rate_limited' ? 'rateLimited' : 'transient'] += 1;
    noteRetry(context, failed, { retry: next.retry, waitMs: next.ms });
  }
  run.people.waiting = { kind: next.waiting, until };
  presenter.show();
  flush.request();
  await sleep(next.ms);
  run.people.waiting = null;
  if (next.waiting === 'usage_limit')
    run.note('usage_limit.cleared', 'the wait for the usage limit is over', { until, agent: agentOf(failed, context) });
}

/** False: the limit outlasts what the run may wait. */
async function waitAtGate(
  context: RunContext,
  failed: FailedTurn,
  { account, ms }: { readonly account: string; readonly ms: number },
): Promise<boolean> {
  const { run, presenter, flush, quota } = context;
  const { outcome } = failed.attempt.result;
  const now = Date.now();
  const told = outcome.kind === 'usage_limit' ? outcome.until : null;
  const until = new Date(now + ms).toISOString();
  const { note } = closedUntil(told, now, 0);
  const why = note === null ? '' : ` (${note})`;
  noteUsageWait(context, failed, { until, message: `waits for the usage limit of ${account} until ${until}${why}` });
  const show = (at: string) => {
    run.people.waiting = { kind: 'usage_limit', until: at, account };
    presenter.show();
    flush.request();
  };
  const tellAgain = (untilMs: number) => {
    const at = new Date(untilMs).toISOString();
    run.note('usage_limit.waiting', `still waits for the usage limit of ${account}, until ${at}`, {
      until: at,
      agent: agentOf(failed, context),
    });
    show(at);
  };
  show(until);
  const limit = {
    account,
    wait: failed.attempt.place.token,
    told,
    untilMs: now + ms,
    deadlineMs: now + run.policy.usageLimit.maxWaitMs,
    turnMs: run.policy.agentOf[failed.turn.stage].timeoutMs,
  };
  const end = await quota.wait(limit, tellAgain);
  run.people.waiting = null;
  run.note('usage_limit.cleared', `${AFTER_GATE[end]} (${account})`, { until, agent: agentOf(failed, context) });
  return end !== 'outlasts';
}

const AFTER_GATE: Readonly<Record<SeatEnd, string>> = {
  open: 'the usage limit is over',
  probe: 'this run is the first to try whether the usage limit is over',
  timer: 'the wait for the usage limit is over, and the run tries by itself',
  outlasts: 'the usage limit lasts longer than the run may wait',
};

function noteUsageWait(
  context: RunContext,
  failed: FailedTurn,
  { until, message }: { readonly until: string; readonly message: string },
): void {
  const { run, notifier } = context;
  run.facts.usageWaits += 1;
  run.note('usage_limit.waiting', message, { until, agent: agentOf(failed, context) });
  notifier.tell('usage_limit', `${failed.turn.stage} waits for a usage limit until ${until}`);
}

function noteRetry(
  { run }: RunContext,
  { turn, attempt }: FailedTurn,
  { retry, waitMs, afterOverflow }: Pick<TurnRetriedData, 'retry' | 'waitMs' | 'afterOverflow'>,
): void {
  const { kind } = attempt.result.outcome;
  const when = waitMs === 0 ? 'at once' : `in ${Math.round(waitMs / 1000)} s`;
  const how = afterOverflow === undefined ? '' : `, ${HOW[afterOverflow]}`;
  const data = { stage: turn.stage, seq: attempt.place.seq, outcome: kind, retry, waitMs };
  const more = afterOverflow === undefined ? {} : { afterOverflow };
  run.note('turn.retried', `${turn.stage} turn again ${when} after ${kind}, retry ${retry}${how}`, { ...data, ...more });
}

const HOW: Readonly<Record<AfterOverflow, string>> = {
  shorter: 'with a shorter context',
  extended: "with the agent's larger model",
};

function agentOf({ turn }: FailedTurn, { run }: RunContext): string {
  return run.policy.agentOf[turn.stage].agent;
}

/** Between a failed attempt and the next: the wait as a durable timer, or the fallback agent. Source: V-121 to V-125. */
import { sleep } from '@temporalio/workflow';
import type { TurnRetriedData } from '../protocol/event-data.js';
import type { AfterOverflow } from '../protocol/messages.js';
import { closedUntil } from '../protocol/quota.js';
import type { RunContext } from './context.js';
import type { SeatEnd } from './quota-seat.js';
import type { Attempt, Turn } from './turn-attempt.js';
import { afterAttempt, type Tries, type WaitKind } from './turn-retry.js';

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
    fallbackAgent: run.agentOf(turn.stage).fallback,
    larger: run.agentOf(turn.stage).extendedModel !== null,
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
      const { waiting, ms, retry } = next;
      if (waiting === 'usage_limit') return waitAtGate(context, failed, ms);
      tries[waiting === 'rate_limited' ? 'rateLimited' : 'transient'] += 1;
      noteRetry(context, failed, { retry, waitMs: ms });
      await wait(context, waiting, ms);
      return true;
    }
  }
}

function callFallback({ run }: RunContext, { turn, tries, attempt }: FailedTurn, agent: string): void {
  const from = run.agentOf(turn.stage).agent;
  tries.fallback = agent;
  const data = { stage: turn.stage, seq: attempt.place.seq, from, to: agent };
  run.note('turn.fallback', `${from} failed (${attempt.result.outcome.kind}); ${agent} tries once`, data);
}

async function wait({ run, presenter, flush }: RunContext, kind: WaitKind, ms: number): Promise<void> {
  run.people.waiting = { kind, until: new Date(Date.now() + ms).toISOString() };
  presenter.show();
  flush.request();
  await sleep(ms);
  run.people.waiting = null;
}

/** False: the limit outlasts what the run may wait. */
async function waitAtGate(context: RunContext, failed: FailedTurn, ms: number): Promise<boolean> {
  const { run, presenter, flush, quota } = context;
  const { account, agent, timeoutMs } = run.agentOf(failed.turn.stage);
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
      agent,
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
    turnMs: timeoutMs,
  };
  const end = await quota.wait(limit, tellAgain);
  run.people.waiting = null;
  run.note('usage_limit.cleared', `${AFTER_GATE[end]} (${account})`, { until, agent });
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
  run.note('usage_limit.waiting', message, { until, agent: run.agentOf(failed.turn.stage).agent });
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

/** Between a failed attempt and the next: the wait as a durable timer, or the fallback agent. Source: V-121 to V-125. */
import { sleep } from '@temporalio/workflow';
import type { RunContext } from './context.js';
import { retriesTurns } from './old-policy.js';
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
  if (!retriesTurns(run.open.policy)) return false;
  const next = afterAttempt(attempt.result.outcome, tries, {
    usageLimit: run.policy.usageLimit,
    usageWaits: run.facts.usageWaits,
    fallbackAgent: run.policy.agentOf[turn.stage].fallback,
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
    case 'fallback':
      callFallback(context, failed, next.agent);
      return true;
    case 'wait':
      await wait(context, failed, next);
      return true;
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
  if (next.waiting === 'usage_limit') noteUsageWait(context, failed, until);
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

function noteUsageWait(context: RunContext, failed: FailedTurn, until: string): void {
  const { run, notifier } = context;
  run.facts.usageWaits += 1;
  run.note('usage_limit.waiting', `waits for the usage limit until ${until}`, { until, agent: agentOf(failed, context) });
  notifier.tell('usage_limit', `${failed.turn.stage} waits for a usage limit until ${until}`);
}

function noteRetry({ run }: RunContext, { turn, attempt }: FailedTurn, { retry, waitMs }: { retry: number; waitMs: number }): void {
  const { kind } = attempt.result.outcome;
  const when = waitMs === 0 ? 'at once' : `in ${Math.round(waitMs / 1000)} s`;
  const data = { stage: turn.stage, seq: attempt.place.seq, outcome: kind, retry, waitMs };
  run.note('turn.retried', `${turn.stage} turn again ${when} after ${kind}, retry ${retry}`, data);
}

function agentOf({ turn }: FailedTurn, { run }: RunContext): string {
  return run.policy.agentOf[turn.stage].agent;
}

/** Between a failed try and the next: the wait as a durable timer, or the fallback agent. Source: V-121 to V-125. */
import { sleep } from '@temporalio/workflow';
import { closedUntil } from '../../protocol/actors/quota.js';
import type { AfterOverflow, RunTurnResult } from '../../protocol/messages/messages.js';
import type { Place } from '../../protocol/run/place.js';
import type { StageAgent } from '../../protocol/run/policy.js';
import type { TurnName } from '../../protocol/run/turn-name.js';
import type { SeatEnd } from './quota-seat.js';
import type { TurnOwner } from './turn-owner.js';
import { type AfterTry, decideAfterTry, type Tries } from './turn-retry.js';

export interface FailedTurn<Name extends TurnName> {
  readonly stage: Name;
  /** Its own, also where its fallback worked. */
  readonly agent: Pick<StageAgent, 'agent' | 'account' | 'timeoutMs' | 'fallback' | 'extendedModel'>;
  readonly tries: Tries;
  readonly tried: { readonly place: Pick<Place, 'seq' | 'token'>; readonly result: Pick<RunTurnResult, 'outcome'> };
}

/** Whatever it takes turns for. */
type Owner = Omit<TurnOwner<TurnName>, 'askForMore'>;
type Failed = FailedTurn<TurnName>;

/** Whether the turn is taken again; resolves when it is time. */
export async function goesAgain<Name extends TurnName>(
  owner: TurnOwner<Name>,
  failed: FailedTurn<Name>,
): Promise<boolean> {
  const { agent, tries, tried } = failed;
  const next = decideAfterTry(tried.result.outcome, tries, {
    usageLimit: owner.policy.usageLimit,
    usageWaits: owner.usageWaits,
    fallbackAgent: agent.fallback,
    larger: agent.extendedModel !== null,
    now: Date.now(),
    jitter: Math.random(),
  });
  switch (next.kind) {
    case 'settled':
      return false;
    case 'fallback':
      callFallback(owner, failed, next.agent);
      return true;
    case 'again':
      tries.timeouts += 1;
      break;
    case 'fresh':
      tries.fresh = true;
      break;
    case 'overflow':
      tries.overflow = next.with;
      // The conversation that is too long may be this try's own.
      tries.fresh = true;
      break;
    case 'wait':
      if (next.waiting === 'usage_limit') return waitAtGate(owner, failed, next.ms);
      tries[next.waiting === 'rate_limited' ? 'rateLimited' : 'transient'] += 1;
  }
  noteRetry(owner, failed, next);
  if (next.kind === 'wait')
    await (next.waiting === 'transient' ? wait(owner, next.ms) : waitForRate(owner, failed, next.ms));
  return true;
}

function callFallback({ journal }: Owner, { stage, agent, tries, tried }: Failed, to: string): void {
  const from = agent.agent;
  tries.fallback = to;
  const data = { stage, seq: tried.place.seq, from, to };
  journal.note('turn.fallback', `${from} failed (${tried.result.outcome.kind}); ${to} tries once`, data);
}

async function wait(owner: Owner, ms: number): Promise<void> {
  showWait(owner, { kind: 'transient', until: new Date(Date.now() + ms).toISOString(), account: null });
  await sleep(ms);
  owner.waiting = null;
}

/** Beside the other runs of the account. */
async function waitForRate(owner: Owner, { agent: { account, timeoutMs }, tried }: Failed, ms: number): Promise<void> {
  const show = (untilMs: number) =>
    showWait(owner, { kind: 'rate_limited', until: new Date(untilMs).toISOString(), account });
  const untilMs = Date.now() + ms;
  show(untilMs);
  const deadlineMs = Math.max(untilMs, Date.now() + owner.policy.usageLimit.maxWaitMs);
  const told = new Date(untilMs).toISOString();
  const at = { account, wait: tried.place.token, told, untilMs, deadlineMs, turnMs: timeoutMs };
  await owner.quota.wait({ ...at, limit: 'rate' }, show);
  owner.waiting = null;
}

function showWait(owner: Owner, waiting: Owner['waiting']): void {
  owner.waiting = waiting;
  owner.presenter.show();
  owner.flush.request();
}

/** False: the limit outlasts what the owner may wait. */
async function waitAtGate(owner: Owner, { stage, agent: worker, tried }: Failed, ms: number): Promise<boolean> {
  const { account, agent, timeoutMs } = worker;
  const { outcome } = tried.result;
  const now = Date.now();
  const told = outcome.kind === 'usage_limit' ? outcome.until : null;
  const until = new Date(now + ms).toISOString();
  const { note } = closedUntil(told, now, 0);
  const why = note === null ? '' : ` (${note})`;
  owner.usageWaits += 1;
  owner.journal.note('usage_limit.waiting', `waits for the usage limit of ${account} until ${until}${why}`, {
    until,
    agent,
  });
  owner.notifier.tell('usage_limit', `${stage} waits for a usage limit until ${until}`);
  showWait(owner, { kind: 'usage_limit', until, account });
  const tellAgain = (untilMs: number) => {
    const at = new Date(untilMs).toISOString();
    owner.journal.note('usage_limit.waiting', `still waits for the usage limit of ${account}, until ${at}`, {
      until: at,
      agent,
    });
    showWait(owner, { kind: 'usage_limit', until: at, account });
  };
  const deadlineMs = now + owner.policy.usageLimit.maxWaitMs;
  const limit = { account, wait: tried.place.token, told, untilMs: now + ms, deadlineMs, turnMs: timeoutMs };
  const end = await owner.quota.wait({ ...limit, limit: 'usage' }, tellAgain);
  owner.waiting = null;
  owner.journal.note('usage_limit.cleared', `${AFTER_GATE[end]} (${account})`, { until, agent });
  return end !== 'outlasts';
}

const AFTER_GATE: Readonly<Record<SeatEnd, string>> = {
  open: 'the usage limit is over',
  probe: 'this run is the first to try whether the usage limit is over',
  timer: 'the wait for the usage limit is over, and the run tries by itself',
  outlasts: 'the usage limit lasts longer than the run may wait',
};

function noteRetry(
  { journal }: Owner,
  { stage, tried }: Failed,
  next: Exclude<AfterTry, { kind: 'settled' | 'fallback' }>,
): void {
  const outcome = tried.result.outcome.kind;
  const waitMs = next.kind === 'wait' ? next.ms : 0;
  const retry = next.kind === 'fresh' ? 1 : next.retry;
  const when = waitMs === 0 ? 'at once' : `in ${Math.round(waitMs / 1000)} s`;
  const afterOverflow = next.kind === 'overflow' ? next.with : null;
  const how = afterOverflow === null ? '' : `, ${HOW[afterOverflow]}`;
  const data = { stage, seq: tried.place.seq, outcome, retry, waitMs, afterOverflow };
  journal.note('turn.retried', `${stage} turn again ${when} after ${outcome}, retry ${retry}${how}`, data);
}

const HOW: Readonly<Record<AfterOverflow, string>> = {
  shorter: 'with a shorter context',
  extended: "with the agent's larger model",
};

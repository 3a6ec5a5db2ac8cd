/**
 * A workflow that is no run and uses the parts of one as they are: an inbox, gates, a journal with a view of its own, budget and retries of
 * turns. It shows how little its parts know of a run.
 */
import { CancellationScope, defineQuery, proxyActivities, setHandler } from '@temporalio/workflow';
import type { JournalBatch } from '../../protocol/messages/messages.js';
import type { MessageReading } from '../../protocol/messages/run-message.js';
import type { Gate } from '../../protocol/run/gate.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import type { BudgetPolicy } from '../../protocol/run/policy.js';
import { askPerson, resolveGate } from '../../workflows/gates/gate.js';
import { causeOf, GateBook } from '../../workflows/gates/gate-book.js';
import type { GateLine } from '../../workflows/gates/gate-decision.js';
import type { Judgement, Messages } from '../../workflows/inbox/inbox.js';
import { type InboxOwner, JournalledInbox } from '../../workflows/inbox/journalled-inbox.js';
import { listen } from '../../workflows/inbox/listen.js';
import { Journal } from '../../workflows/journal/journal.js';
import { type FlushOwner, JournalFlush } from '../../workflows/journal/journal-flush.js';
import { Notifier, type NotifierOwner } from '../../workflows/journal/notify.js';
import { askPersonForMore, type MoreBudget } from '../../workflows/turns/ask-for-more.js';
import { NOTHING_USED, withTurn } from '../../workflows/turns/budget.js';
import { LedgerAnswers } from '../../workflows/turns/ledger-answers.js';
import { QuotaSeat } from '../../workflows/turns/quota-seat.js';
import { type FailedTurn, goesAgain } from '../../workflows/turns/turn-again.js';
import type { TurnOwner } from '../../workflows/turns/turn-owner.js';
import { withinBudget } from '../../workflows/turns/within-budget.js';

export interface StrangerView {
  readonly state: 'asking' | 'working' | 'done';
  readonly heard: readonly string[];
  readonly gate: string | null;
  readonly attempts: number;
}

export interface StrangerActivities {
  takeLines(journal: JournalBatch<StrangerView>): Promise<{ readonly journalSeq: number }>;
}

interface Say {
  readonly name: 'say' | 'agree';
  readonly by: string;
  readonly text: string;
}

const ID = 'stranger-1';
const NAMES = ['say', 'agree'] as const;
const NO_WAIT = { remindMs: null, escalateMs: null, expireMs: null, unattendedExpireMs: 0 };
const BUDGET: BudgetPolicy = { turns: 1, minutes: null, microUsd: null, tokens: null, day: null, onLimit: 'pause' };
const AGENT: FailedTurn<'planning'>['agent'] = {
  agent: 'its agent',
  account: 'provider/account',
  timeoutMs: 1_000,
  fallback: null,
  extendedModel: null,
};

const statusQuery = defineQuery<StrangerView>('status');
const { takeLines } = proxyActivities<StrangerActivities>({ startToCloseTimeout: '10 seconds' });

class Stranger implements InboxOwner, FlushOwner, NotifierOwner, TurnOwner<'planning'> {
  readonly gates = new GateBook();
  readonly journal = new Journal<StrangerView>(this);
  readonly flush = new JournalFlush(this);
  readonly notifier = new Notifier(this);
  readonly quota = new QuotaSeat();
  readonly ledgerAnswers = new LedgerAnswers();
  readonly presenter = { show: () => undefined };
  readonly policy = {
    gates: NO_WAIT,
    budget: BUDGET,
    usageLimit: { action: 'stop', maxWaitMs: 0, maxWaits: 0 },
  } as const;
  readonly attended = true;
  readonly isOpen = true;
  readonly project = 'project';
  readonly audience = null;
  readonly subject = { runId: ID, commit: null, round: 0 };
  readonly heard: string[] = [];
  isClosing = false;
  status: StrangerView['state'] = 'working';
  waiting: TurnOwner<'planning'>['waiting'] = null;
  usageWaits = 0;
  used = NOTHING_USED;

  view(): StrangerView {
    return { state: this.status, heard: [...this.heard], gate: this.gates.open?.id ?? null, attempts: this.used.turns };
  }

  about(): never {
    throw new Error('nobody is told of an stranger');
  }

  standAt(): void {
    this.status = 'asking';
  }

  goOn(): void {
    this.status = 'working';
  }

  askForMore(stage: 'planning', more: MoreBudget) {
    return askPersonForMore(this, stage, more);
  }

  async sendJournal(): Promise<void> {
    await this.journal.carryBy(takeLines);
  }
}

function messagesOf(stranger: Stranger): Messages<Say['name'], Say> {
  return {
    names: NAMES,
    read,
    judge: (message) => judge(stranger, message),
    apply: (message) => apply(stranger, message),
    status: () => stranger.status,
  };
}

function read(name: Say['name'], argument: unknown): MessageReading<Say> {
  if (typeof argument !== 'object' || argument === null || !('text' in argument) || typeof argument.text !== 'string')
    return { kind: 'bad', why: `${name} takes a text` };
  return { kind: 'ok', message: { name, by: 'ada', text: argument.text } };
}

function judge(stranger: Stranger, { name }: Say): Judgement {
  if (name === 'agree' && stranger.gates.open === null) return { kind: 'refused', why: 'nothing is asked' };
  return { kind: 'accepted', message: name === 'agree' ? 'agreed' : 'heard' };
}

function apply(stranger: Stranger, { name, text, by }: Say): void {
  stranger.heard.push(text);
  const gate: Gate | null = stranger.gates.open;
  const line: GateLine = { type: 'approval.approved', message: `${by ?? 'somebody'} agrees` };
  if (name === 'agree' && gate !== null)
    resolveGate(stranger, gate, { status: 'approved', resolvedBy: by, decisionNote: text, guidance: null, line });
  stranger.flush.request();
}

/** Asks whether it may begin; fails once in passing, and asks for more budget before it tries again. */
export async function stranger(): Promise<StrangerView> {
  const owner = new Stranger();
  setHandler(statusQuery, () => owner.view());
  listen({ signals: NAMES, updates: NAMES }, new JournalledInbox(owner, messagesOf(owner)));
  owner.flush.start();
  const passage = await askPerson(owner, { stage: 'planning', cause: causeOf('agent', 'may it begin?') });
  if (passage.kind === 'stopped') throw new Error(passage.error);
  owner.goOn();
  await work(owner);
  owner.status = 'done';
  owner.isClosing = true;
  await owner.flush.settled(false);
  await CancellationScope.nonCancellable(() => owner.sendJournal());
  return owner.view();
}

async function work(owner: Stranger): Promise<void> {
  const tries = { rateLimited: 0, transient: 0, timeouts: 0, fresh: false, overflow: null, fallback: null };
  for (;;) {
    const tried = await withinBudget(owner, 'planning', () => take(owner));
    if ('kind' in tried) throw new Error(tried.error);
    if (!(await goesAgain(owner, { stage: 'planning', agent: AGENT, tries, tried }))) return;
  }
}

async function take(owner: Stranger) {
  const outcome: TurnOutcome =
    owner.used.turns === 0 ? { kind: 'transient', why: 'the road was closed' } : { kind: 'done' };
  const usage = { durationMs: 1, costMicroUsd: 0, tokens: null };
  owner.used = withTurn(owner.used, usage);
  return {
    place: { seq: owner.used.turns, token: `token-${owner.used.turns}` },
    result: { outcome, started: true },
    usage,
  };
}

/**
 * The day's budget of a project: reserves before a turn and settles after, for all its runs. Runs speak to it by signals, which the server keeps and
 * delivers once, so that no kill counts a turn twice or forgets one.
 * Waits for: signals `reserve`, `settle`, `release`. Survives: the loss of worker and server. Carries: `LedgerInput`.
 * Ends: never by itself; it continues as new. Terminated by a person, the next run starts it anew with nothing used.
 */
import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  BUDGET_ANSWER_SIGNAL,
  type BudgetAnswer,
  type DayBudgetView,
  type DayLedger,
  type LedgerInput,
  RELEASE_SIGNAL,
  RESERVE_SIGNAL,
  type Reservation,
  type ReserveRequest,
  readRelease,
  readReserve,
  readSettlement,
  SETTLE_SIGNAL,
} from '../protocol/day-budget.js';
import { STATUS_QUERY } from '../protocol/names.js';
import { emptyLedger, release, reserve, settle, viewOf } from './day-ledger.js';

export const ledgerQuery = defineQuery<DayBudgetView>(STATUS_QUERY);
export const reserveSignal = defineSignal<[unknown]>(RESERVE_SIGNAL);
export const settleSignal = defineSignal<[unknown]>(SETTLE_SIGNAL);
export const releaseSignal = defineSignal<[unknown]>(RELEASE_SIGNAL);

/** How often a full ledger looks at most whether a run that holds a reservation is still there: each look is an event in that run. */
const LOOK_AGAIN_MS = 10_000;

export async function budget(input: LedgerInput): Promise<void> {
  const desk = new LedgerDesk(input);
  setHandler(ledgerQuery, () => viewOf(desk.ledger, input.project, Date.now()));
  setHandler(reserveSignal, (argument) => desk.reserve(readReserve(argument)));
  setHandler(settleSignal, (argument) => desk.settle(readSettlement(argument)));
  setHandler(releaseSignal, (argument) => desk.release(readRelease(argument)));
  // One without a handler would be kept for ever.
  setDefaultSignalHandler((name) => log.warn('signal refused', { name }));
  for (const request of input.waiting ?? []) desk.reserve(request);
  await condition(() => desk.isLong && desk.underWay === 0);
  await continueAsNew<typeof budget>({ ...input, ledger: desk.ledger, waiting: desk.waiting });
}

class LedgerDesk {
  ledger: DayLedger;
  /** Requests for the next execution: this one must get quiet. */
  readonly waiting: ReserveRequest[] = [];
  /** Answers that the server was asked to deliver; one that is under way when this execution ends may be lost. */
  underWay = 0;
  private readonly lookedAt = new Map<string, number>();

  constructor(private readonly input: LedgerInput) {
    this.ledger = input.ledger ?? emptyLedger(Date.now());
  }

  get isLong(): boolean {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    return continueAsNewSuggested || historyLength > (this.input.maxHistory ?? Number.POSITIVE_INFINITY);
  }

  /** Null: a signal that could not be read. */
  reserve(request: ReserveRequest | null): void {
    if (request === null) return refused(RESERVE_SIGNAL);
    if (this.isLong) {
      this.waiting.push(request);
      return;
    }
    const answer = this.decide(request);
    void (answer.kind === 'granted' ? this.send(request, answer) : this.lookAndAnswer(request));
  }

  settle(settlement: ReturnType<typeof readSettlement>): void {
    if (settlement === null) return refused(SETTLE_SIGNAL);
    this.ledger = settle(this.ledger, settlement, Date.now());
  }

  release(token: string | null): void {
    if (token === null) return refused(RELEASE_SIGNAL);
    this.ledger = release(this.ledger, token);
  }

  private decide(request: ReserveRequest): BudgetAnswer {
    const { ledger, answer } = reserve(this.ledger, request, Date.now());
    this.ledger = ledger;
    return answer;
  }

  /** Before a refusal: what dead runs held is free. To tell a living run again what it holds changes nothing there. */
  private async lookAndAnswer(request: ReserveRequest): Promise<void> {
    this.underWay += 1;
    const { day } = this.ledger;
    await Promise.all(this.unseen().map((held) => this.send(held, { kind: 'granted', token: held.token, day })));
    this.underWay -= 1;
    await this.send(request, this.decide(request));
  }

  private unseen(): readonly Reservation[] {
    const now = Date.now();
    const held = this.ledger.reservations.filter(({ token }) => now - (this.lookedAt.get(token) ?? 0) >= LOOK_AGAIN_MS);
    const known = new Set(this.ledger.reservations.map(({ token }) => token));
    for (const token of [...this.lookedAt.keys()]) if (!known.has(token)) this.lookedAt.delete(token);
    for (const { token } of held) this.lookedAt.set(token, now);
    return held;
  }

  /** The server refuses what is meant for an execution that is closed: then nobody will settle it. */
  private async send(to: Pick<ReserveRequest, 'token' | 'workflowId' | 'executionRunId'>, answer: BudgetAnswer): Promise<void> {
    this.underWay += 1;
    try {
      await getExternalWorkflowHandle(to.workflowId, to.executionRunId).signal(BUDGET_ANSWER_SIGNAL, answer);
    } catch (err) {
      if (!isCancellation(err)) this.ledger = release(this.ledger, to.token);
    } finally {
      this.underWay -= 1;
    }
  }
}

function refused(name: string): void {
  log.warn('signal that cannot be read', { name });
}

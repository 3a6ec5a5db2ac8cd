/**
 * A run's side of the quota gate of an account: it joins those that wait, hears when it may go on, and tells how its turn went where it was the probe.
 * The gate is told by one short activity and answers by signals; a timer of the run's own bounds every wait, so that a gate that is lost is
 * started anew and holds no run for ever.
 */
import { ActivityFailure, condition, isCancellation, sleep, workflowInfo } from '@temporalio/workflow';
import { type LeaveMessage, type ParkMessage, type ProbedMessage, readQuotaWord } from '../../protocol/actors/quota.js';
import { quotaGateId } from '../../protocol/names.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import { controlHost } from '../activity-options.js';
import { sendSignal } from '../actor/send-signal.js';

/** What the run waits for. Unit: ms since 1970. */
interface Limit extends Pick<ParkMessage, 'limit'> {
  readonly account: string;
  /** One id for each wait of a run. */
  readonly wait: string;
  /** As the gate is told it. */
  readonly told: string | null;
  readonly untilMs: number;
  /** When the run's longest wait is over. */
  readonly deadlineMs: number;
  readonly turnMs: number;
}

/** `outlasts`: the limit ends later than the run may wait. */
export type SeatEnd = 'open' | 'probe' | 'timer' | 'outlasts';

/** What the gate said last; `byMs`: when there must be news. */
interface Parked {
  readonly limit: Limit;
  untilMs: number;
  /** The provider named it, so the limit does not end before. */
  isTold: boolean;
  byMs: number;
  released: { readonly word: 'probe' | 'open'; readonly opening: string } | null;
}

/** Times that a run asks a gate that says nothing before it goes on by itself. */
const MAX_PARKS = 4;

/** How long after the time of its news a gate is taken for lost: for a lost one a run only asks again. */
const GRACE = { share: 0.1, minMs: 1_000, maxMs: 15_000 };

/** A time that differs by less is no news for people. */
const SAME_MS = 30_000;

/** For the answer to a question that was asked again. */
const ANSWER_MS = 30_000;

export class QuotaSeat {
  private parked: Parked | null = null;
  private probe: Limit | null = null;
  private opening: string | null = null;

  /** `name`: among those that its workflow has at once. Missing: it has one. */
  constructor(private readonly name?: string) {}

  /** A signal of the gate. One that is about another wait, or cannot be read, is dropped. */
  hear(argument: unknown): void {
    const { parked } = this;
    const news = readQuotaWord(argument);
    if (news === null || parked === null || news.wait !== parked.limit.wait) return;
    if ('opening' in news) {
      parked.released ??= { word: news.word, opening: news.opening };
      return;
    }
    const until = Date.parse(news.until);
    // A probe says nothing about when the limit ends.
    if (news.word === 'hold') {
      parked.untilMs = until;
      parked.isTold = news.told;
    }
    parked.byMs = until + GRACE.maxMs;
  }

  /** For the next try of a turn, once: the host overrules what it remembers of the account. */
  takeOpening(): string | null {
    const { opening } = this;
    this.opening = null;
    return opening;
  }

  /** `tellAgain`: the time that the run waits for is another. Errors: the cancellation of the run; it stays seated until `leave`. */
  async wait(limit: Limit, tellAgain: (untilMs: number) => void): Promise<SeatEnd> {
    // Everybody of the account waits for this run already.
    if (this.probe !== null && limit.limit === 'rate') return alone(limit);
    const byMs = limit.untilMs + graceOf(limit);
    const parked: Parked = { limit, untilMs: limit.untilMs, isTold: limit.told !== null, byMs, released: null };
    this.parked = parked;
    const end = await this.released(parked, tellAgain);
    this.parked = null;
    if (end === 'timer' || end === 'outlasts') await this.say(limit, 'leave', {});
    if (end === 'probe') this.probe = limit;
    // Runs that go by themselves for one and the same limit share the word, so that the first that meets it again spares the others the turn.
    if (end !== 'outlasts') this.opening = parked.released?.opening ?? ownWord(limit);
    return end;
  }

  /** There is something to say when the turn or the run ends. */
  get isTaken(): boolean {
    return this.parked !== null || this.probe !== null;
  }

  /** Of every try, how it ended by itself; says something only where the run probes. A passing failure says nothing about the limit yet. */
  async ended(outcome: TurnOutcome, started: boolean): Promise<void> {
    if (this.probe === null || outcome.kind === 'rate_limited' || outcome.kind === 'transient') return;
    const limit = this.probe;
    this.probe = null;
    if (outcome.kind === 'usage_limit') return this.say(limit, 'probed', { result: 'limited', until: outcome.until });
    // An agent that was not started, or came to no end, found nothing out.
    const isEnd = started && outcome.kind !== 'repository_changed' && outcome.kind !== 'crash_loop';
    return this.say(limit, 'probed', { result: isEnd ? 'passed' : 'gone', until: null });
  }

  /** The run ends: nobody waits for it, or for what it would have found out. */
  async leave(): Promise<void> {
    const { parked, probe } = this;
    this.parked = null;
    this.probe = null;
    if (parked !== null) await this.say(parked.limit, 'leave', {});
    if (probe !== null) await this.say(probe, 'probed', { result: 'gone', until: null });
  }

  private async released(parked: Parked, tellAgain: (untilMs: number) => void): Promise<SeatEnd> {
    const { limit } = parked;
    let told = limit.untilMs;
    let parks = 0;
    let asks = true;
    for (;;) {
      if (asks) {
        if (parks > 0) parked.byMs = Date.now() + ANSWER_MS;
        if (parks >= MAX_PARKS || !(await park(limit, { seat: this.name, overdue: parks > 0 })))
          return waitAlone(parked);
        parks += 1;
      }
      if (parked.released !== null) return parked.released.word;
      if (parked.isTold && parked.untilMs > limit.deadlineMs) return 'outlasts';
      if (Math.abs(parked.untilMs - told) >= SAME_MS) {
        told = parked.untilMs;
        tellAgain(told);
      }
      const { byMs } = parked;
      const wakeMs = Math.min(byMs, limit.deadlineMs);
      const hasNews = await condition(
        () => parked.released !== null || parked.byMs !== byMs,
        Math.max(1, wakeMs - Date.now()),
      );
      if (!hasNews && Date.now() >= limit.deadlineMs) return 'timer';
      asks = !hasNews;
      if (hasNews) parks = 1;
    }
  }

  /** A gate that is not there any more is open. */
  private async say(
    limit: Limit,
    name: 'leave' | 'probed',
    more: Omit<ProbedMessage, keyof LeaveMessage> | Record<string, never>,
  ): Promise<void> {
    await sendSignal({
      workflowId: quotaGateId(limit.account),
      executionRunId: null,
      name,
      argument: { workflowId: workflowInfo().workflowId, wait: limit.wait, ...more },
    });
  }
}

/** False: nobody could tell the gate. */
async function park(
  { account, limit, wait, told, turnMs }: Limit,
  { seat, overdue }: { readonly seat: string | undefined; readonly overdue: boolean },
): Promise<boolean> {
  const { workflowId } = workflowInfo();
  const named = seat === undefined ? {} : { seat };
  const message: ParkMessage = { workflowId, ...named, wait, limit, until: told, turnMs, overdue };
  try {
    await controlHost().parkAtQuotaGate({ account, park: message });
    return true;
  } catch (err) {
    if (err instanceof ActivityFailure && !isCancellation(err)) return false;
    throw err;
  }
}

async function alone({ untilMs }: Limit): Promise<SeatEnd> {
  await sleep(Math.max(1, untilMs - Date.now()));
  return 'timer';
}

/** A host remembers no rate limit that it could overrule. */
function ownWord({ limit, untilMs }: Limit): string | null {
  return limit === 'rate' ? null : `timer:${new Date(untilMs).toISOString()}`;
}

/** Without a gate: the timer alone. */
async function waitAlone(parked: Parked): Promise<SeatEnd> {
  const wakeMs = Math.min(parked.untilMs, parked.limit.deadlineMs);
  await condition(() => parked.released !== null, Math.max(1, wakeMs - Date.now()));
  return parked.released?.word ?? 'timer';
}

/** A rate limit is short: a machine that is slow for a moment would ask for each. */
function graceOf({ limit, untilMs }: Limit): number {
  const share = (untilMs - Date.now()) * GRACE.share;
  return limit === 'rate' ? GRACE.maxMs : Math.min(Math.max(share, GRACE.minMs), GRACE.maxMs);
}

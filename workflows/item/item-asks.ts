/**
 * What an item asks an agent about its task: each ask is a turn without a run, with retries, a seat at the quota gate and a day budget as any turn has. A bad answer is asked for once more
 * with what is wrong about it. Waits for: its host; usage limits; the ledger of a day budget. Source: S-22 to S-32.
 */
import { ActivityFailure } from '@temporalio/common';
import { CancellationScope, isCancellation, uuid4, workflowInfo } from '@temporalio/workflow';
import { type AskAnswer, type AskResult, askPlaceName } from '../../protocol/actors/ask.js';
import type { ItemInput } from '../../protocol/actors/item.js';
import type { ItemAdmission } from '../../protocol/actors/item-admission.js';
import type { BudgetUse, RunView } from '../../protocol/messages/run-view.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import type { StageAgent } from '../../protocol/run/policy.js';
import { readRefusal } from '../../protocol/text/refusal.js';
import { askingHost } from '../activity-options.js';
import type { Stopped } from '../gates/gate.js';
import type { MoreBudget } from '../turns/ask-for-more.js';
import { NOTHING_USED, toldBy, uncountedLimit, withTurn } from '../turns/budget.js';
import { LedgerAnswers } from '../turns/ledger-answers.js';
import { QuotaSeat } from '../turns/quota-seat.js';
import { goesAgain } from '../turns/turn-again.js';
import type { TurnOwner } from '../turns/turn-owner.js';
import type { Tries } from '../turns/turn-retry.js';
import { withinBudget } from '../turns/within-budget.js';
import { findStanding } from './find-standing.js';
import type { AskEnd, ItemErrand, ItemEvent, Standing } from './item-state.js';

type AskErrand = Extract<ItemErrand, { kind: 'ask' }>;

/** Those of one execution that are under way. */
export class ItemAsks {
  private readonly underWay = new Map<AskName, { readonly scope: CancellationScope; readonly asking: Asking }>();
  private readonly ledgerAnswers = new LedgerAnswers();

  constructor(private readonly input: ItemInput) {}

  /** A signal of a quota gate: the seat that it is about knows its wait. */
  hearQuota(argument: unknown): void {
    for (const { asking } of this.underWay.values()) asking.quota.hear(argument);
  }

  /** Ends once it is answered or called off; then nothing is told. */
  async take(errand: AskErrand, tell: (event: ItemEvent) => void): Promise<void> {
    const { ask, pass } = errand;
    const { admission } = this.input;
    const agent = admission?.asks[ask];
    if (admission === null || agent === undefined) return;
    const scope = new CancellationScope();
    const asking = new Asking(this.input, { admission, agent, errand, tell, ledgerAnswers: this.ledgerAnswers });
    this.underWay.set(ask, { scope, asking });
    try {
      tell({ kind: 'askEnded', ask, pass, end: await scope.run(() => asking.answer()) });
    } catch (error) {
      // Called off; whoever ends the whole item ends here too.
      if (!isCancellation(error) || !scope.consideredCancelled) throw error;
    } finally {
      if (this.underWay.get(ask)?.scope === scope) this.underWay.delete(ask);
      if (asking.quota.isTaken) await CancellationScope.nonCancellable(() => asking.quota.leave());
    }
  }

  callOff(asks: readonly AskName[]): void {
    for (const ask of asks) this.underWay.get(ask)?.scope.cancel();
  }
}

interface Asked {
  readonly admission: ItemAdmission;
  readonly agent: StageAgent;
  readonly errand: AskErrand;
  readonly tell: (event: ItemEvent) => void;
  readonly ledgerAnswers: LedgerAnswers;
}

/** Nobody stands at a gate for an ask: a used-up budget, too, is why its task is gated. */
class Asking implements TurnOwner<AskName> {
  readonly quota: QuotaSeat;
  readonly flush = { request: () => undefined };
  readonly notifier = { tell: () => undefined };
  readonly policy: TurnOwner<AskName>['policy'];
  readonly project: string;
  readonly ledgerAnswers: LedgerAnswers;
  waiting: RunView['waiting'] = null;
  usageWaits = 0;
  used: BudgetUse = NOTHING_USED;
  private places = 0;

  constructor(
    private readonly input: ItemInput,
    private readonly asked: Asked,
  ) {
    const { usageLimit, budget, ledger } = asked.admission;
    this.quota = new QuotaSeat(asked.errand.ask);
    this.policy = { usageLimit, budget };
    this.project = ledger;
    this.ledgerAnswers = asked.ledgerAnswers;
  }

  readonly journal = {
    note: (_type: string, message: string) => {
      const { ask, pass } = this.asked.errand;
      this.asked.tell({ kind: 'askNoted', ask, pass, note: message });
    },
  };

  readonly presenter = {
    show: () => {
      const { pass } = this.asked.errand;
      this.asked.tell({ kind: 'askLimited', pass, isLimited: this.waiting !== null });
    },
  };

  async askForMore(_: AskName, { why }: MoreBudget): Promise<Stopped> {
    return { kind: 'stopped', reason: 'budget', error: why };
  }

  async answer(): Promise<AskEnd> {
    try {
      return await this.untilAnswered();
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
      const refusal = readRefusal(error.cause);
      return failed(refusal === null ? (error.cause?.message ?? error.message) : `${refusal.what} ${refusal.mend}`);
    }
  }

  private async untilAnswered(): Promise<AskEnd> {
    const { agent, errand } = this.asked;
    const { ask } = errand;
    // One that hangs is not asked again: people wait for it (S-27). Its prompt has no context to leave out, so that after an overflow only a larger model is another try.
    const tries: Tries = {
      rateLimited: 0,
      transient: 0,
      timeouts: 1,
      fresh: false,
      overflow: 'shorter',
      fallback: null,
    };
    let refused: string | null = null;
    for (;;) {
      const before = refused;
      const tried = await withinBudget(this, ask, () => this.try(tries, before));
      if ('kind' in tried) return failed(tried.error);
      const { result } = tried;
      const uncounted = uncountedLimit(this.policy.budget, { ...result, agent: { ...agent, name: agent.agent } });
      if (uncounted !== null) return failed(uncounted);
      if (await goesAgain(this, { stage: ask, agent, tries, tried })) continue;
      if (result.answer !== null)
        return { kind: 'answered', answer: result.answer, standing: await this.standingOf(result.answer) };
      const why = whyNot(result);
      if (result.outcome.kind !== 'done' || refused !== null) return failed(why);
      refused = why;
      this.journal.note('ask.again', `asked once more: ${why}`);
    }
  }

  /** Of the task that this one is taken for. */
  private async standingOf(answer: AskAnswer): Promise<Standing> {
    if (answer.ask !== 'dedup' || answer.resemblance.of === null) return null;
    return findStanding({ project: this.input.project, id: answer.resemblance.of });
  }

  private async try({ fallback, overflow }: Tries, refused: string | null) {
    const { admission, agent, errand } = this.asked;
    const { ask, pass, rounds, candidates } = errand;
    const { id, hash, repo, repoKey, host } = this.input;
    this.places += 1;
    const place = { runId: askPlaceName({ id, ask }), seq: this.places, token: uuid4() };
    const summary = `${ask} · ${fallback ?? agent.agent}`;
    const owner = workflowInfo().firstExecutionRunId;
    const result = await askingHost(host, admission, agent).runAsk.executeWithOptions({ summary }, [
      {
        place,
        item: { id, hash, repo, repoKey },
        owner,
        ask,
        pass,
        rounds,
        refused,
        agent: fallback,
        ...(candidates.length === 0 ? {} : { candidates }),
        accountOpening: this.quota.takeOpening(),
        afterOverflow: fallback === null && overflow === 'extended' ? overflow : null,
      },
    ]);
    if (result.started) this.used = withTurn(this.used, result);
    if (this.quota.isTaken) await this.quota.ended(result.outcome, result.started);
    const adapter = fallback === null ? agent.adapter : (agent.fallbackAdapter ?? agent.adapter);
    return { place, result, usage: { durationMs: result.durationMs, ...toldBy(result, adapter) } };
  }
}

function failed(why: string): AskEnd {
  return { kind: 'failed', why };
}

function whyNot({ why, outcome }: AskResult): string {
  if (why !== null) return why;
  return 'why' in outcome ? outcome.why : `the agent ended with ${outcome.kind.replaceAll('_', ' ')}`;
}

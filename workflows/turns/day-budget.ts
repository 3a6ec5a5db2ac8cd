/**
 * The side of who takes turns of the day's budget: reserves each turn with the ledger of its project before it starts and settles it after, whatever
 * became of it. Only whose policy has a day budget comes here. The ledger is started by the first that finds none.
 * Waits for: the ledger's answer.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  isCancellation,
  ParentClosePolicy,
  startChild,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import {
  BUDGET_WORKFLOW,
  type BudgetAnswer,
  budgetWorkflowId,
  type LedgerStart,
  RELEASE_SIGNAL,
  RESERVE_SIGNAL,
  type ReserveRequest,
  SETTLE_SIGNAL,
  type Settlement,
} from '../../protocol/actors/day-budget.js';
import { WORKFLOW_TASK_TIMEOUT } from '../../protocol/limits.js';
import type { RunTurnResult } from '../../protocol/messages/messages.js';
import type { DayBudgetPolicy } from '../../protocol/run/policy.js';
import { sendSignal } from '../actor/send-signal.js';
import type { TurnOwner } from './turn-owner.js';

/** Then it is asked again: somebody may have terminated the ledger meanwhile. An answer takes some 30 ms. */
const ANSWER_WITHIN = '1 minute';

export type DayTurn = Pick<Settlement, 'token' | 'day'>;

/** What a try used, as far as anybody knows. */
export interface Used {
  readonly usage: NonNullable<Settlement['usage']>;
  /** Without a start it was no turn. */
  readonly result: Pick<RunTurnResult, 'started'>;
}

/** Takes the turn and settles it, also where it was aborted or its host failed: then nobody knows what it used. What was never begun is free again. */
export async function settling<Try extends Used>(
  { project }: Pick<TurnOwner<never>, 'project'>,
  turn: DayTurn,
  take: () => Promise<Try>,
): Promise<Try> {
  let tried: Try | null = null;
  try {
    tried = await take();
    return tried;
  } finally {
    const isFree = tried !== null && !tried.result.started;
    const settlement: Settlement = { ...turn, usage: tried?.usage ?? null };
    const told = isFree
      ? () => tell(project, RELEASE_SIGNAL, { token: turn.token })
      : () => tell(project, SETTLE_SIGNAL, settlement);
    await CancellationScope.nonCancellable(told);
  }
}

/** `grant`: of the person who allowed the whole budget once more. */
export async function askLedger(
  owner: Pick<TurnOwner<never>, 'project' | 'waiting' | 'ledgerAnswers'>,
  limits: DayBudgetPolicy,
  grant: string | null,
): Promise<BudgetAnswer> {
  const token = uuid4();
  const answers = owner.ledgerAnswers.await(token);
  const { workflowId, runId } = workflowInfo();
  const request: ReserveRequest = { token, workflowId, executionRunId: runId, limits, grant };
  const { project } = owner;
  owner.waiting = { kind: 'budget', until: null, account: null };
  try {
    for (;;) {
      await tell(project, RESERVE_SIGNAL, request);
      await condition(() => answers.length > 0, ANSWER_WITHIN);
      const [answer] = answers;
      if (answer !== undefined) return answer;
    }
  } catch (err) {
    // Aborted while it waited: what was reserved meanwhile is free again.
    if (isCancellation(err)) await CancellationScope.nonCancellable(() => tell(project, RELEASE_SIGNAL, { token }));
    throw err;
  } finally {
    owner.ledgerAnswers.forget(token);
    owner.waiting = null;
  }
}

/** Starts the ledger where there is none. What a ledger that is ended again at once would lose is asked again. */
async function tell(
  project: string,
  signal: string,
  argument: ReserveRequest | Settlement | Pick<Settlement, 'token'>,
): Promise<void> {
  const workflowId = budgetWorkflowId(project);
  const send = () => sendSignal({ workflowId, executionRunId: null, name: signal, argument });
  if (await send()) return;
  await CancellationScope.nonCancellable(() => startLedger(project));
  await send();
}

async function startLedger(project: string): Promise<void> {
  const input: LedgerStart = { project };
  try {
    await startChild<(input: LedgerStart) => Promise<void>>(BUDGET_WORKFLOW, {
      workflowId: budgetWorkflowId(project),
      args: [input],
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `the day's budget of ${project}`,
    });
  } catch (err) {
    if (!(err instanceof WorkflowExecutionAlreadyStartedError)) throw err;
  }
}

export function whyFull({
  limit,
  used,
  allowed,
  day,
  underWay,
  resetsAt,
}: Extract<BudgetAnswer, { kind: 'full' }>): string {
  const round = (value: number) => Math.round(value * 100) / 100;
  const running = underWay === 0 ? '' : `, ${underWay} ${underWay === 1 ? 'turn' : 'turns'} under way included`;
  return `the project used ${round(used)} of ${round(allowed)} ${limit} of the day ${day} (UTC)${running}; a new day begins at ${resetsAt}`;
}

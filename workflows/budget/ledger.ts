/**
 * The day's budget of a project: reserves before a turn and settles after, for all its runs. Runs speak to it by signals, which the server keeps and
 * delivers once, so that no kill counts a turn twice or forgets one.
 * Waits for: signals `reserve`, `settle`, `release`. Survives: the loss of worker and server.
 * Ends: never by itself; it continues as new. Terminated by a person, the next run starts it anew with nothing used.
 */
import { continueAsNew } from '@temporalio/workflow';
import { BUDGET_ANSWER_SIGNAL, type DayBudgetView } from '../../protocol/actors/day-budget.js';
import { LiveActor } from '../actor/live.js';
import { sendSignal } from '../actor/send-signal.js';
import { viewOf } from './day-ledger.js';
import {
  LEDGER_RULES,
  LEDGER_SIGNALS,
  type LedgerInput,
  type LedgerState,
  nothingUsed,
  readLedgerEvent,
} from './ledger-rules.js';

export async function budget({ project, carried }: LedgerInput): Promise<DayBudgetView> {
  const view = ({ ledger }: LedgerState) => viewOf(ledger, project, Date.now());
  const ledger = new LiveActor(
    {
      rules: LEDGER_RULES,
      first: nothingUsed(Date.now()),
      signals: LEDGER_SIGNALS,
      updates: [],
      read: readLedgerEvent,
      async perform({ workflowId, executionRunId, answer }, tell) {
        const isThere = await sendSignal({ workflowId, executionRunId, name: BUDGET_ANSWER_SIGNAL, argument: answer });
        tell({ kind: 'told', token: answer.token, isThere });
      },
      show: () => ({ status: 'open', details: '', memo: {} }),
      view,
    },
    carried ?? null,
  );
  return ledger.live((next) => continueAsNew<typeof budget>({ project, carried: next }));
}

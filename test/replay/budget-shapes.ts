/** Shapes of runs under a budget of the day, and of the ledger that they speak to. */
import { budgetWorkflowId } from '../../protocol/actors/day-budget.js';
import { untilView } from '../support/run-steps.js';
import { type Shape, type Shapes, TASK, withPolicy } from './shape.js';

const under = (turns: number, onLimit: 'stop' | 'pause') =>
  withPolicy({
    budget: {
      turns: null,
      minutes: null,
      microUsd: null,
      tokens: null,
      onLimit,
      day: { turns, minutes: 600, microUsd: null, tokens: null },
    },
  });

const granted: NonNullable<Shape['drive']> = async (handle) => {
  await untilView(handle, (view) => view.pendingApprovalId === 'gate-1');
  await handle.executeUpdate('approve', { args: [{}] });
};

export const BUDGET_SHAPES: Shapes = {
  'run-day-budget-stopped': { activities: under(2, 'stop') },
  'run-day-budget-granted': { activities: under(3, 'pause'), drive: granted },
  // The ledger is open for ever; what is kept is its history after two runs, of which it refused the second.
  'budget-open': {
    activities: under(6, 'stop'),
    async drive(first, host) {
      await first.result();
      const second = await host.start(TASK, 'history-budget-second');
      await second.result();
      return { ...host.client.workflow.getHandle(budgetWorkflowId('project')), result: async () => undefined };
    },
  },
};

/** Shapes of runs without people in them: the stage lists, the ends of a stage, a native cancellation. */
import { Context } from '@temporalio/activity';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { stubOpen, stubValidation } from '../support/stub-host.js';
import { until } from '../support/until.js';
import { type Shapes, withTurns } from './shape.js';

export const PLAIN_SHAPES: Shapes = {
  'run-plain': { activities: { openRun: async (input) => ({ ...stubOpen(input), searchAttributes: true }) } },
  'run-express': { activities: { openRun: async (input) => stubOpen(input, STAGE_LISTS.express) } },
  'run-plan-only': { activities: { openRun: async (input) => stubOpen(input, STAGE_LISTS['plan-only']) } },
  'run-validation-failed': {
    activities: {
      validate: async (input) => ({
        ...stubValidation({ outcome: { kind: 'failed', why: 'red' } }),
        journalSeq: input.journal.view.seq,
      }),
    },
  },
  'run-turn-failed': {
    activities: withTurns(({ stage }) => (stage === 'executing' ? { outcome: { kind: 'hard', why: 'exit 1' } } : {})),
  },
  'run-asked-again': {
    activities: withTurns(({ stage, ask }) =>
      stage === 'reviewing' && ask === 'work' ? { decision: { kind: 'unreadable' } } : {},
    ),
  },
  'run-rolled-back-twice': { activities: withTurns(({ stage }) => ({ rolledBack: stage !== 'executing' })) },
  'run-setup-failed': {
    activities: { openRun: async (input) => ({ ...stubOpen(input), setupError: 'npm ci failed' }) },
  },
  'run-aborted-in-turn': {
    activities: {
      runTurn: async () => {
        const beat = setInterval(() => Context.current().heartbeat(), 20);
        return Context.current().cancelled.finally(() => clearInterval(beat));
      },
    },
    async drive(handle, host) {
      await until(() => host.turns.length > 0);
      await handle.cancel();
    },
  },
};

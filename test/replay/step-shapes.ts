/** Shapes of runs whose change is made by the steps of a plan. */
import type { RunTurnInput, RunTurnResult } from '../../protocol/messages/messages.js';
import type { OpenedStep } from '../../protocol/messages/run-steps.js';
import type { RunPolicy } from '../../protocol/run/policy.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { type Activities, stubOpen, stubTurn } from '../support/stub-host.js';
import type { Shapes } from './shape.js';

const pending = (seq: number, part: Partial<OpenedStep> = {}): OpenedStep => ({
  seq,
  verb: 'modify',
  status: 'pending',
  awaits: 'turn',
  failures: 0,
  attempts: 0,
  continues: null,
  ...part,
});

const REFUSED = { kind: 'verification', value: 'FAILED' } as const;

const BROKEN: Partial<RunTurnResult> = { outcome: { kind: 'hard', why: 'the agent exited with 3' } };

/** `failing`: which tries of which steps their agent fails. */
function bySteps(
  steps: readonly OpenedStep[],
  failing: (step: NonNullable<RunTurnInput['step']>) => boolean = () => false,
  execute: Partial<NonNullable<RunPolicy['execute']>> = {},
): Partial<Activities> {
  return {
    openRun: async (input) => ({
      ...stubOpen(input, STAGE_LISTS.full, { execute: { until: 'steps', keepTree: false, ...execute } }),
      steps,
    }),
    runTurn: async (input) => {
      const { step, expectedHead } = input;
      if (step === undefined) return stubTurn(input);
      // Whoever verifies looks at each step; the first try of the second is refused.
      if (input.stage === 'verifying')
        return stubTurn(input, step.seq === 2 && step.attempt === 1 ? { decision: REFUSED } : {});
      const head = `${step.seq}`.repeat(40);
      return stubTurn(input, failing(step) ? { ...BROKEN, head: expectedHead } : { head });
    },
  };
}

const EARLIER = { runId: 'earlier', seq: 4, token: 'earlier-4' };

export const STEP_SHAPES: Shapes = {
  'run-steps-retried': {
    activities: bySteps(
      [pending(1), pending(2), pending(3, { verb: 'test' })],
      ({ seq, attempt }) => seq === 2 && attempt === 1,
    ),
  },
  'run-steps-failed': {
    activities: bySteps([pending(1), pending(2), pending(3)], ({ seq }) => seq === 2),
  },
  'run-steps-judged': {
    activities: bySteps([pending(1), pending(2), pending(3, { verb: 'test' })], () => false, {
      stepCheck: 'acceptance',
    }),
  },
  'run-steps-went-on': {
    activities: bySteps([
      pending(1, { status: 'done', attempts: 1 }),
      pending(2, { attempts: 2, continues: EARLIER }),
      pending(3),
    ]),
  },
};

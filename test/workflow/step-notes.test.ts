/** What people say to a step is told to its next try too, when the one that heard it failed. Source: V-66, S-71. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunTurnInput } from '../../protocol/messages/messages.js';
import type { OpenedStep } from '../../protocol/messages/run-steps.js';
import type { RunPolicy } from '../../protocol/run/policy.js';
import { untilView } from '../support/run-steps.js';
import { openStubWorkers, type StubHost, type StubWorkers, stubOpen, stubTurn } from '../support/stub-host.js';

type Execute = NonNullable<RunPolicy['execute']>;

function aStep(seq: number): OpenedStep {
  return { seq, verb: 'modify', status: 'pending', awaits: 'turn', failures: 0, attempts: 0, continues: null };
}

describe('a step that is tried once more', () => {
  let workers: StubWorkers;

  beforeAll(async () => {
    workers = await openStubWorkers();
  });
  afterAll(() => workers.close());

  /** What the tries of the steps were told: `<step>.<attempt>: <texts>`. */
  const heardBy = (host: StubHost) =>
    host.turns.flatMap(({ step, stage, notes }) =>
      step === undefined || stage !== 'executing'
        ? []
        : [`${step.seq}.${step.attempt}: ${notes.map(({ text }) => text).join(', ')}`],
    );

  const CASES: readonly (readonly [how: string, Pick<Execute, 'stepCheck'> | null])[] = [
    ['its turn failed', null],
    ['its work was refused', { stepCheck: 'acceptance' }],
  ];
  it.each(CASES)('is told what people said to the try before it, and no other step is: %s', async (how, execute) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const isFirst = ({ step }: RunTurnInput) => step?.seq === 1 && step.attempt === 1;
    const host = workers.open({
      openRun: async (input) => ({
        ...stubOpen(input, ['planning', 'executing', 'verifying'], {
          execute: { until: 'steps', keepTree: false, ...execute },
        }),
        steps: [aStep(1), aStep(2)],
      }),
      runTurn: async (input) => {
        if (input.stage === 'planning') await held;
        if (input.stage === 'verifying' && isFirst(input))
          return stubTurn(input, { decision: { kind: 'verification', value: 'FAILED' } });
        if (input.stage === 'executing' && isFirst(input) && how === 'its turn failed')
          return stubTurn(input, { outcome: { kind: 'hard', why: 'exit 1' }, head: input.expectedHead });
        return stubTurn(input);
      },
    });
    const handle = await host.start({ task: 'do it', repo: '/repository', attended: true });
    await untilView(handle, ({ stage, agent }) => stage === 'planning' && agent !== null);
    await handle.executeUpdate('steer', { args: [{ text: 'use tabs' }] });
    release();
    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });

    expect(heardBy(host)).toEqual(['1.1: use tabs', '1.2: use tabs', '2.1: ']);
  });
});

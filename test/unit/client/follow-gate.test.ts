import { describe, expect, it } from '@jest/globals';
import { followGates } from '../../../client/cli/gates/follow-gate.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { aGate, aView, someDetails } from '../../support/gate-builder.js';
import { until } from '../../support/until.js';

function follow(answers: (() => readonly Gate[])[]) {
  const told: (string | null)[] = [];
  let asked = 0;
  const follower = followGates({
    workflowId: 'shop-1',
    runDir: null,
    againMs: 1,
    onGate: (gate) => told.push(gate?.id ?? null),
    sluice: {
      landing: async () => null,
      async details() {
        const answer = answers[Math.min(asked, answers.length - 1)];
        asked += 1;
        return someDetails(answer?.() ?? []);
      },
    },
  });
  return { follower, told, asked: () => asked };
}

const pending = (id: string | null) => aView({ pendingApprovalId: id });

describe('the open gate of a watched run', () => {
  it('is told once, and that it is decided', async () => {
    const { follower, told } = follow([() => [aGate()]]);

    follower.view(pending(null));
    follower.view(pending('gate-1'));
    follower.view(pending('gate-1'));
    await until(() => told.length === 1);
    follower.view(pending(null));

    expect(told).toEqual(['gate-1', null]);
  });

  it('is asked for again until the run tells it', async () => {
    const lost = (): readonly Gate[] => {
      throw new Error('no worker');
    };
    const { follower, told, asked } = follow([lost, () => [], () => [aGate()]]);

    follower.view(pending('gate-1'));
    await until(() => told.length > 0);

    expect(told).toEqual(['gate-1']);
    expect(asked()).toBe(3);
  });

  it('is not told any more once it was decided, though the answer comes late', async () => {
    const { follower, told, asked } = follow([() => [aGate()]]);

    follower.view(pending('gate-1'));
    follower.view(pending(null));
    await until(() => asked() === 1);
    await new Promise(setImmediate);

    expect(told).toEqual([]);
  });
});

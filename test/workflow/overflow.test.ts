/** What a run does about a turn that is too long for its agent: a shorter context, then the larger model if there is one, then `blocked`. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunResult, RunTurnInput, RunTurnResult } from '../../protocol/messages/messages.js';
import type { StageAgent } from '../../protocol/run/policy.js';
import {
  openStubWorkers,
  type StubHost,
  type StubWorkers,
  stubAgent,
  stubOpen,
  stubTurn,
} from '../support/stub-host.js';

const INPUT = { task: 'do it', repo: '/repository', attended: false };
const OVERFLOW = { outcome: { kind: 'overflow', why: 'too long' } } as const;

describe('a turn that is too long for its agent', () => {
  let workers: StubWorkers;
  let host: StubHost;

  beforeAll(async () => {
    workers = await openStubWorkers();
  });
  afterAll(() => workers.close());

  /** A run of planning alone; `answer` says how its n-th attempt ends, from 1. */
  async function planning(
    answer: (attempt: number, input: RunTurnInput) => Partial<RunTurnResult>,
    agent: Partial<StageAgent> = {},
  ): Promise<RunResult> {
    let attempts = 0;
    host = workers.open({
      openRun: async (input) => {
        const open = stubOpen(input, ['planning']);
        const { agentOf } = open.policy;
        return {
          ...open,
          policy: { ...open.policy, agentOf: { ...agentOf, planning: stubAgent({ model: 'small', ...agent }) } },
        };
      },
      runTurn: async (input) => {
        attempts += 1;
        return stubTurn(input, answer(attempts, input));
      },
    });
    const handle = await host.start(INPUT);
    return (await handle.result()) as RunResult;
  }

  const given = () => host.turns.map(({ afterOverflow }) => afterOverflow ?? null);
  const dataOf = (type: string) =>
    host.batches.flatMap(({ events }) => events.filter((event) => event.type === type).map(({ data }) => data));

  it('has a shorter context once more, and the run goes on', async () => {
    const result = await planning((attempt) => (attempt === 1 ? OVERFLOW : {}));

    expect(result.blockedReason).not.toBe('overflow');
    expect(given()).toEqual([null, 'shorter']);
    expect(dataOf('turn.retried')).toEqual([
      expect.objectContaining({ outcome: 'overflow', retry: 1, waitMs: 0, afterOverflow: 'shorter' }),
    ]);
  });

  it('then ends the run blocked where the agent has no larger model', async () => {
    const result = await planning(() => OVERFLOW, { fallback: 'other' });

    expect(result).toMatchObject({ outcome: 'blocked', blockedReason: 'overflow' });
    expect(given()).toEqual([null, 'shorter']);
  });

  it('is tried last with the larger model, and each attempt is in the journal', async () => {
    const result = await planning(() => OVERFLOW, { extendedModel: 'large' });

    expect(result).toMatchObject({ outcome: 'blocked', blockedReason: 'overflow' });
    expect(given()).toEqual([null, 'shorter', 'extended']);
    expect(dataOf('turn.started').map((data) => data?.['model'])).toEqual(['small', 'small', 'large']);
    expect(dataOf('turn.retried').map((data) => data?.['afterOverflow'])).toEqual(['shorter', 'extended']);
  });

  it('stays shorter when another failure comes between', async () => {
    await planning((attempt) => [OVERFLOW, { outcome: { kind: 'timeout', why: 'late' } as const }][attempt - 1] ?? {});

    expect(given()).toEqual([null, 'shorter', 'shorter']);
  });

  it('gives a fallback agent the whole context', async () => {
    const hard = { outcome: { kind: 'hard', why: 'exit 1' } } as const;
    await planning((attempt) => [OVERFLOW, hard][attempt - 1] ?? {}, { fallback: 'other' });

    expect(given()).toEqual([null, 'shorter', null]);
    expect(host.turns.at(-1)?.agent).toBe('other');
  });
});

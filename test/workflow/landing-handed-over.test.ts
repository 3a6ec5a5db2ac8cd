/** A landing and its queue continue as new in each phase in which they rest, and nothing of what they know is lost. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import type { LandingView } from '../../protocol/actors/landing.js';
import { HAND_OVER_SIGNAL, LANDING_WORKFLOW, landingId, STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import { BASE, openStubWorkers, type StubWorkers, stubBase, stubTerms, stubTurn } from '../support/stub-host.js';
import { until } from '../support/until.js';

const LINK = 'e'.repeat(40);

describe('a landing that is handed over', () => {
  let workers: StubWorkers;
  beforeAll(async () => {
    workers = await openStubWorkers();
  });
  afterAll(() => workers.close());

  it('at its gate, in a repair and while it waits for its base goes on where it was, as does its queue', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answers = ['conflict', 'ready'];
    let isFree = false;
    const host = workers.open({
      findBase: async ({ runId }) => ({
        kind: 'branch',
        head: null,
        branch: `base-of-${runId.replace(/-l1$/, '')}`,
        terms: stubTerms({ canFix: true, gates: { ...stubTerms().gates, stages: ['landing'] } }),
      }),
      landEntry: async () =>
        answers.shift() === 'conflict'
          ? {
              base: stubBase(BASE),
              landed: { kind: 'conflict', on: BASE, why: 'both changed a.txt', files: ['a.txt'] },
            }
          : {
              base: stubBase(BASE, { use: 'it is checked out' }),
              landed: { kind: 'ready', commit: LINK, on: BASE },
            },
      lookAtBase: async () => ({
        base: isFree ? stubBase(LINK, { contains: 1 }) : stubBase(BASE, { use: 'still' }),
        watched: [],
      }),
      runTurn: async (input) => {
        if (input.place.runId.endsWith('-l1') && input.stage === 'planning') await held;
        return stubTurn(input);
      },
    });
    const run = await host.start({ task: 'change a.txt', repo: '/repository' });
    await run.result();
    const { workflow } = host.client;
    const handle = await workflow.start(LANDING_WORKFLOW, {
      workflowId: landingId(run.workflowId),
      taskQueue: TASK_QUEUE,
      args: [{}],
    });
    const landing = workflow.getHandle(handle.workflowId);
    const view = () => landing.query<LandingView>(STATUS_QUERY);
    const handOver = async (one: WorkflowHandle) => {
      const { runId } = await one.describe();
      await one.signal(HAND_OVER_SIGNAL);
      await until(async () => (await one.describe()).runId !== runId);
    };

    await until(async () => (await view()).gate !== null);
    const [gate] = (await view()).gates;
    await handOver(landing);
    expect((await view()).gates).toEqual([gate]);
    await landing.executeUpdate('approve', { args: [{ gate: gate?.id, by: 'ada' }] });
    await until(async () => (await view()).repair !== null);
    await handOver(landing);
    expect((await view()).repair).toMatchObject({ runId: `${run.workflowId}-l1`, kind: 'turn' });
    release();
    await until(async () => (await view()).entry?.state === 'ready');
    const { entry } = await view();
    await handOver(landing);
    const queue = workflow.getHandle(entry?.queue ?? '');
    await handOver(queue);
    expect((await view()).entry).toEqual(entry);
    isFree = true;
    await queue.signal('look', {});
    await landing.result();

    expect(await view()).toMatchObject({
      merge: 'merged',
      commit: LINK,
      gates: [{ status: 'approved', resolvedBy: 'ada' }],
    });
  }, 300_000);
});

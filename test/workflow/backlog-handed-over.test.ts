/** A backlog and its items on the real server, which continue as new after every step of three tasks. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AskInput } from '../../protocol/actors/ask.js';
import { type AdmitInput, backlogId } from '../../protocol/actors/backlog.js';
import { itemWorkflowId, LANDING_CHANGED_SIGNAL, runIdOfItem } from '../../protocol/actors/item.js';
import { HAND_OVER_SIGNAL } from '../../protocol/names.js';
import { idsOf, openBacklog } from '../support/backlog-client.js';
import { stubAdmit } from '../support/stub-admit.js';
import { askedOf, stubAsk } from '../support/stub-ask.js';
import { openStubWorkers, type StubWorkers } from '../support/stub-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

const NOBODY = { admitting: 0, clarifying: 0, gated: 0, queued: 0, running: 0, parked: 0 };

let workers: StubWorkers;

beforeAll(async () => {
  workers = await openStubWorkers();
}, LIMIT_MS);
afterAll(() => workers.close(), LIMIT_MS);

/** A backlog of those tasks, of which each continues as new after every step, and it too. */
async function openSteps(ids: readonly string[], activities: Parameters<StubWorkers['open']>[0] = {}) {
  const project = `p${randomUUID().slice(0, 8)}`;
  const { client } = workers.open(activities);
  const backlog = await openBacklog(client, { project, repo: '/repository', host: 'stub' });
  const handleOf = (id: string) => client.workflow.getHandle(itemWorkflowId({ project, id }));
  let count = 0;
  const handOver = async (workflowId: string) => {
    const handle = client.workflow.getHandle(workflowId);
    const { runId, status } = await handle.describe();
    if (status.name !== 'RUNNING') return;
    await handle.signal(HAND_OVER_SIGNAL);
    await until(async () => (await handle.describe()).runId !== runId);
    count += 1;
  };
  return {
    project,
    backlog,
    handleOf,
    count: () => count,
    async step(work: () => Promise<unknown>): Promise<void> {
      await work();
      await Promise.all([backlogId(project), ...ids.map((id) => itemWorkflowId({ project, id }))].map(handOver));
    },
  };
}

describe('a backlog and its items that continue as new after every step', () => {
  it(
    'lose no task, no message and no slot, and start each run once',
    async () => {
      const { project, backlog, handleOf, step, count } = await openSteps(['1', '2', '3']);
      const land = (id: string) => async () => {
        await handleOf(id).signal(LANDING_CHANGED_SIGNAL, { runId: runIdOfItem({ project, id }, 1), state: 'merged' });
        // Until it has ended: one that only says that it is closed hands nothing over.
        await handleOf(id).result();
      };
      await step(() =>
        backlog.create([{ task: 'one', gate: 'start' }, { task: 'two', dependsOn: ['1'] }, 'three'], 'a-key'),
      );
      await step(() => backlog.reaches('3', 'parked'));
      await step(() => backlog.say('pause'));
      await step(() => backlog.say('set', { maxConcurrent: 1 }));
      await step(() => backlog.tell('1', 'set', { by: 'ann', priority: 7 }));
      await step(() => backlog.tell('1', 'approve'));
      await step(() => backlog.say('resume'));
      await step(() => backlog.reaches('1', 'parked'));
      const waiting = await backlog.status();
      await step(land('1'));
      await step(() => backlog.reaches('2', 'parked'));
      await step(land('2'));
      await step(land('3'));
      const items = await Promise.all(['1', '2', '3'].map((id) => backlog.item(id)));

      expect(count()).toBeGreaterThan(30);
      expect(waiting.entries.map(({ id, state, waitsFor }) => [id, state, waitsFor?.kind])).toContainEqual([
        '2',
        'queued',
        'dependency',
      ]);
      expect(items.map(({ state, reason, runs }) => [state, reason, runs])).toEqual(
        ['1', '2', '3'].map(() => ['closed', 'merged', 1]),
      );
      expect(items[0]?.priority).toBe(7);
      expect(items[0]?.journal.map(({ to }) => to)).toEqual([
        'gated',
        'gated',
        'queued',
        'running',
        'parked',
        'closed',
      ]);
      expect((await backlog.status()).counts).toEqual(NOBODY);
    },
    LIMIT_MS,
  );

  it(
    'answer a create that waits behind another one when the next execution is due',
    async () => {
      const admit = stubAdmit();
      const asked: string[] = [];
      const goesOn = new AbortController();
      const { client } = workers.open({
        admit: async (input: AdmitInput) => {
          asked.push(...input.tasks.map(({ key }) => key));
          if (!goesOn.signal.aborted) await once(goesOn.signal, 'abort');
          return admit(input);
        },
      });
      const project = `p${randomUUID().slice(0, 8)}`;
      const backlog = await openBacklog(client, { project, repo: '/repository', host: 'stub' });
      const handle = client.workflow.getHandle(backlogId(project));
      const { runId } = await handle.describe();
      const first = backlog.create(['one'], 'first');
      await until(() => asked.length === 1);
      const second = backlog.create(['two'], 'second');
      await until(async () => (await backlog.status()).waiting === 2);
      await handle.signal(HAND_OVER_SIGNAL);
      goesOn.abort();

      expect([idsOf(await first), idsOf(await second)]).toEqual([['1'], ['2']]);
      expect(asked).toEqual(['first#1', 'second#1']);
      await until(async () => (await handle.describe()).runId !== runId);
    },
    LIMIT_MS,
  );

  it(
    'ask each thing about a task once, keep its answers, and start what was approved',
    async () => {
      const asked: string[] = [];
      const runAsk = async (input: AskInput) => {
        const { ask, pass, rounds } = input;
        asked.push(`${ask} ${pass}: ${rounds.map(({ answers }) => answers.join()).join('; ')}`);
        return stubAsk(input, pass < 2 ? { questions: ['tabs or spaces?'] } : { scope: 'large' });
      };
      const activities = { admit: stubAdmit({}, askedOf()), runAsk };
      const { backlog, handleOf, step, count } = await openSteps(['1'], activities);
      const answer = (round: number, words: string) => () =>
        backlog.tell('1', 'answer', { by: 'ann', round, answers: [words] });

      await step(() => backlog.create(['one'], 'a-key'));
      await step(() => backlog.reaches('1', 'clarifying'));
      await step(answer(1, 'tabs'));
      await step(() => backlog.reaches('1', 'clarifying'));
      await step(answer(2, 'no, spaces'));
      await step(() => backlog.reaches('1', 'gated'));
      const { admission } = await backlog.item('1');
      await step(() => backlog.tell('1', 'set', { by: 'ann', priority: 7 }));
      await step(() => backlog.tell('1', 'approve', { by: 'ann', plan: admission?.plan?.hash }));
      await step(() => backlog.reaches('1', 'parked'));
      await backlog.tell('1', 'done', { by: 'ann', note: 'taken by hand' });
      await handleOf('1').result();
      const item = await backlog.item('1');

      expect(count()).toBeGreaterThan(15);
      expect(asked.toSorted()).toEqual([
        'classify 0: ',
        'classify 1: tabs',
        'classify 2: tabs; no, spaces',
        'plan 0: ',
        'plan 1: tabs',
        'plan 2: tabs; no, spaces',
      ]);
      expect(item).toMatchObject({ state: 'closed', reason: 'forced', runs: 1, priority: 7 });
      expect(item.journal.map(({ to }) => to)).toEqual([
        'admitting',
        'clarifying',
        'admitting',
        'clarifying',
        'admitting',
        'gated',
        'gated',
        'queued',
        'running',
        'parked',
        'closed',
      ]);
      expect((await backlog.status()).counts).toEqual(NOBODY);
    },
    LIMIT_MS,
  );
});

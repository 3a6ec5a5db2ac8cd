/** Heads that do not land as they are: another run makes another head of them, which then lands, or a person is asked. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { RUN_CHANGED_SIGNAL } from '../../protocol/names.js';
import { sluiceBeside } from '../support/host-cli.js';
import { land, landingOf, REPAIRED, settledLanding } from '../support/landed-runs.js';
import { closedRun } from '../support/queued-runs.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import type { TestRepository } from '../support/test-repository.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

describe('a repair', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);
  afterAll(() => host.close(), LIMIT_MS);

  const run = (repository: TestRepository, task: string) =>
    closedRun(host, repository, { task: `change\ndo: ${task}` });

  it(
    'of a conflict keeps both sides, and no commit with markers reaches the base',
    async () => {
      const repository = await host.repository(REPAIRED());
      const first = await run(repository, 'echo mine >> a.txt');
      const second = await run(repository, 'echo yours >> a.txt');
      repository.git('checkout', '-q', '--detach');
      await land(host, first);
      expect(await settledLanding(host, first)).toMatchObject({ merge: 'merged' });
      await land(host, second);

      expect(await settledLanding(host, second)).toMatchObject({ merge: 'merged', gates: [] });
      expect(repository.git('show', 'main:a.txt')).toBe('base\nmine\nyours\n');
      expect(await sluiceBeside(host, ['clean', `${second}-l1`, '--yes'], { cwd: repository.path })).toMatchObject({
        code: 0,
        stderr: '',
      });
      for (const commit of repository.git('rev-list', 'main').trim().split('\n'))
        expect(repository.git('show', `${commit}:a.txt`)).not.toContain('<<<<<<<');
      expect(repository.git('rev-list', '--count', '--first-parent', 'main').trim()).toBe('3');
      expect(repository.git('log', '-1', '--format=%P', 'main').trim().split(' ')).toContain(
        repository.git('rev-parse', `sluice/${second}`).trim(),
      );
    },
    LIMIT_MS,
  );

  it(
    'of red checks begins at what both come to, and lands once they are green',
    async () => {
      const repository = await host.repository(REPAIRED());
      const first = await run(repository, 'touch one');
      const second = await run(repository, 'touch two; echo more > more.txt');
      repository.git('checkout', '-q', '--detach');
      await land(host, first);
      await settledLanding(host, first);
      await land(host, second);

      expect(await settledLanding(host, second)).toMatchObject({ merge: 'merged' });
      const files = repository.git('ls-tree', '--name-only', 'main').split('\n');
      expect(files).toEqual(expect.arrayContaining(['one', 'more.txt']));
      expect(files).not.toContain('two');
    },
    LIMIT_MS,
  );

  it(
    'that drops one side waits for a person, who may land it all the same',
    async () => {
      const repository = await host.repository(REPAIRED());
      const first = await run(repository, 'echo mine >> a.txt');
      const second = await run(repository, 'echo yours one-sided >> a.txt');
      repository.git('checkout', '-q', '--detach');
      await land(host, first);
      await settledLanding(host, first);
      const handle = await land(host, second);

      expect(await settledLanding(host, second)).toMatchObject({
        gate: { reason: 'unresolved', files: ['a.txt'], why: expect.stringContaining('nothing of one side is left') },
      });
      await handle.executeUpdate('approve', { args: [{ gate: 'gate-1' }] });
      expect(await settledLanding(host, second)).toMatchObject({ merge: 'merged' });
    },
    LIMIT_MS,
  );

  it(
    'goes on from what another repair left, still without its markers in the history',
    async () => {
      const repository = await host.repository(REPAIRED());
      const first = await run(repository, 'echo mine >> a.txt');
      const second = await run(repository, 'echo yours one-sided >> a.txt');
      repository.git('checkout', '-q', '--detach');
      await (await land(host, first)).result();
      const handle = await land(host, second);
      await settledLanding(host, second);
      await handle.executeUpdate('approve', { args: [{ decision: 'request_changes', note: 'Say hello.' }] });

      await until(async () => (await landingOf(host, second)).merge === 'merged');
      expect(repository.git('show', 'main:hello.txt')).toBe('hello\n');
      for (const commit of repository.git('rev-list', 'main').trim().split('\n'))
        expect(repository.git('show', `${commit}:a.txt`)).not.toContain('<<<<<<<');
    },
    LIMIT_MS,
  );

  it(
    'is not tried where the policy wants a person at a conflict',
    async () => {
      const repository = await host.repository(REPAIRED('landing: { conflict: gate }\n'));
      const runs = [await run(repository, 'echo mine >> a.txt'), await run(repository, 'echo yours >> a.txt')];
      repository.git('checkout', '-q', '--detach');
      for (const one of runs) {
        await land(host, one);
        await settledLanding(host, one);
      }

      expect(await settledLanding(host, runs[1] ?? '')).toMatchObject({
        gate: { reason: 'conflict', files: ['a.txt'] },
      });
    },
    LIMIT_MS,
  );

  it(
    'by recreation does the task anew on the base as it is now',
    async () => {
      const repository = await host.repository(REPAIRED('landing: { conflict: recreate }\n'));
      const runs = [await run(repository, 'echo mine >> a.txt'), await run(repository, 'echo yours >> a.txt')];
      repository.git('checkout', '-q', '--detach');
      for (const one of runs) {
        await land(host, one);
        await settledLanding(host, one);
      }

      expect(await settledLanding(host, runs[1] ?? '')).toMatchObject({ merge: 'merged' });
      expect(repository.git('show', 'main:a.txt')).toBe('base\nmine\nyours\n');
    },
    LIMIT_MS,
  );

  it.each([
    ['once it is told again', false],
    ['though nobody tells it again', true],
  ])(
    'whose owner is reset to before its end, a reset owner whose child ended, goes on %s: no second run, and no second merge',
    async (_, forgotten) => {
      const repository = await host.repository(REPAIRED());
      const first = await run(repository, 'echo mine >> a.txt');
      const second = await run(repository, 'echo yours >> a.txt');
      repository.git('checkout', '-q', '--detach');
      await (await land(host, first)).result();
      const before = await land(host, second);
      await before.result();
      const main = repository.git('rev-parse', 'main');
      await resetToRepair(host, before, forgotten);
      const handle = host.client.workflow.getHandle(before.workflowId);
      if (forgotten) {
        await until(async () => (await landingOf(host, second)).repair?.runId === `${second}-l1`);
        expect((await landingOf(host, second)).merge).toBe('unmerged');
        await handle.executeUpdate('look', { args: [{}] });
      }
      await handle.result();

      expect(await landingOf(host, second)).toMatchObject({ merge: 'merged', gates: [] });
      expect(repository.git('rev-parse', 'main')).toBe(main);
      expect(await isStarted(host, `${second}-l1`)).toBe(true);
      expect(await isStarted(host, `${second}-l2`)).toBe(false);
    },
    LIMIT_MS,
  );
});

/** To the workflow task before the landing heard of the end of the run that repaired it. `forgotten`: what came later is not sent again. */
async function resetToRepair(
  { client, namespace }: TestHost,
  handle: WorkflowHandle,
  forgotten: boolean,
): Promise<void> {
  const { events } = await handle.fetchHistory();
  const all = events ?? [];
  const told = all.findIndex(
    (event) => event.workflowExecutionSignaledEventAttributes?.signalName === RUN_CHANGED_SIGNAL,
  );
  const task = all.slice(0, told).findLast((event) => event.workflowTaskCompletedEventAttributes);
  await client.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: handle.workflowId },
    reason: 'a test',
    requestId: randomUUID(),
    workflowTaskFinishEventId: task?.eventId ?? null,
    ...(forgotten ? { resetReapplyType: RESET_REAPPLY_NONE } : {}),
  });
}

/** `RESET_REAPPLY_TYPE_NONE` of temporal.api.enums.v1. */
const RESET_REAPPLY_NONE = 2;

function isStarted({ client }: TestHost, workflowId: string): Promise<boolean> {
  return client.workflow
    .getHandle(workflowId)
    .describe()
    .then(
      () => true,
      () => false,
    );
}

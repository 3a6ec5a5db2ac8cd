/** Heads that no answer names, and bases that were rewritten: they land by a person's word, given by the built command line, and not without it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RUN_WORKFLOW, TASK_QUEUE } from '../../protocol/names.js';
import { sluiceBeside } from '../support/host-cli.js';
import { land, landingOf, REPAIRED, settledLanding } from '../support/landed-runs.js';
import { QUEUED_RUNS } from '../support/queued-repository.js';
import { closedRun } from '../support/queued-runs.js';
import { openTestHost, type TestHost, type TestWorker } from '../support/test-host.js';
import type { TestRepository } from '../support/test-repository.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

describe('a landing that a person decides', () => {
  let host: TestHost;
  let worker: TestWorker;
  beforeAll(async () => {
    host = await openTestHost();
    worker = await host.startWorker();
  }, LIMIT_MS);
  afterAll(() => host.close(), LIMIT_MS);

  const sluice = ({ path }: TestRepository, ...args: string[]) => sluiceBeside(host, args, { cwd: path });
  /** Once its gate of this number is open. */
  const atGate = (runId: string, n: number) =>
    until(async () => (await landingOf(host, runId)).gate?.id === `gate-${n}`);
  const GATE = REPAIRED('landing: { conflict: gate }\n');
  const inConflict = async () => {
    const repository = await host.repository(GATE);
    const runs = [];
    for (const task of ['echo mine >> a.txt', 'echo yours >> a.txt'])
      runs.push(await closedRun(host, repository, { task: `change\ndo: ${task}` }));
    repository.git('checkout', '-q', '--detach');
    const [first = '', second = ''] = runs;
    await (await land(host, first)).result();
    await land(host, second);
    await atGate(second, 1);
    return { repository, second };
  };

  it(
    'takes what was mended by hand on the branch of the run, and nothing that was only pushed there',
    async () => {
      const { repository, second } = await inConflict();
      const worktree = (await sluice(repository, 'path', second)).stdout.trim();
      const git = (...args: string[]) => repository.git('-C', worktree, ...args);
      const shown = await sluice(repository, 'approvals', 'show', second);
      writeFileSync(join(worktree, 'late.txt'), 'late\n');
      git('add', 'late.txt');
      git('commit', '-q', '-m', 'pushed late');
      const early = await sluice(repository, 'answer', second, 'resolved');
      await atGate(second, 2);
      git('reset', '-q', '--hard', 'HEAD~1');
      expect(() => git('merge', '-q', 'main')).toThrow('merge -q');
      writeFileSync(join(worktree, 'a.txt'), 'base\nmine\nyours\n');
      git('commit', '-q', '-a', '-m', 'mended');
      const mended = git('rev-parse', 'HEAD').trim();
      const approved = await sluice(repository, 'approve', second);

      expect(shown.stdout).toContain('1 resolved, 2 recreate, 3 abandon');
      expect(shown.stdout).toContain(`sluice path ${second}`);
      expect(early).toMatchObject({ code: 0, stdout: expect.stringContaining('gate-1 is answered') });
      expect(approved.code).toBe(0);
      expect(await settledLanding(host, second)).toMatchObject({ merge: 'merged' });
      expect(repository.git('show', 'main:a.txt')).toBe('base\nmine\nyours\n');
      expect(repository.git('merge-base', '--is-ancestor', mended, 'main')).toBe('');
      expect(repository.git('ls-tree', '--name-only', 'main')).not.toContain('late.txt');
    },
    LIMIT_MS,
  );

  it(
    'is merged where a person merged it into the base by hand, and given up by an answer',
    async () => {
      const [mended, given] = [await inConflict(), await inConflict()];
      const { repository, second } = mended;
      repository.git('checkout', '-q', 'main');
      expect(() => repository.git('merge', '-q', `sluice/${second}`)).toThrow('merge -q');
      writeFileSync(join(repository.path, 'a.txt'), 'base\nyours and mine\n');
      repository.git('commit', '-q', '-a', '-m', 'by hand');
      expect((await sluice(repository, 'answer', second, '1')).code).toBe(0);
      expect((await sluice(given.repository, 'answer', given.second, 'abandon')).code).toBe(0);

      expect(await settledLanding(host, second)).toMatchObject({ merge: 'merged' });
      expect(await settledLanding(host, given.second)).toMatchObject({
        merge: 'abandoned',
        abandoned: expect.stringContaining('given up by'),
      });
    },
    LIMIT_MS,
  );

  it(
    'brings nothing back that was taken out of its base, but by the word `land anyway`, or does it anew',
    async () => {
      const repository = await host.repository(REPAIRED());
      writeFileSync(join(repository.path, 'dropped.txt'), 'dropped\n');
      repository.git('add', '-A');
      repository.git('commit', '-q', '-m', 'taken back later');
      const runs = [];
      for (const task of ['touch one', 'echo anew > anew.txt'])
        runs.push(await closedRun(host, repository, { task: `change\ndo: ${task}` }));
      const [anyway = '', anew = ''] = runs;
      repository.git('reset', '-q', '--hard', 'HEAD~1');
      repository.git('checkout', '-q', '--detach');
      for (const run of runs) await land(host, run);
      const gate = { reason: 'base_rewritten', id: 'gate-1' };
      for (const run of runs) expect(await settledLanding(host, run)).toMatchObject({ gate });
      expect((await sluice(repository, 'approve', anew)).code).toBe(0);
      expect(await settledLanding(host, anew)).toMatchObject({ merge: 'merged' });
      const files = () => repository.git('ls-tree', '--name-only', 'main').split('\n');
      expect(files()).toContain('anew.txt');
      expect(files()).not.toContain('dropped.txt');
      expect((await sluice(repository, 'answer', anyway, 'land anyway')).code).toBe(0);

      expect(await settledLanding(host, anyway)).toMatchObject({ merge: 'merged' });
      expect(files()).toEqual(expect.arrayContaining(['one', 'dropped.txt']));
    },
    LIMIT_MS,
  );

  it(
    'lands what is kept of a run that was terminated, also once the server has dropped its history, and says that nothing is kept of one that was cleaned',
    async () => {
      const repository = await host.repository({
        ...QUEUED_RUNS,
        config: `${QUEUED_RUNS.config}gates: { stages: [validating] }\n`,
      });
      const terminated = async () => {
        const run = await host.startRun(repository, { task: 'write a file' });
        await until(async () => (await run.view()).status === 'waiting_for_approval');
        await run.handle.terminate('a test');
        return run.runId;
      };
      const [known, dropped, cleaned] = [await terminated(), await terminated(), await terminated()];
      repository.git('checkout', '-q', '--detach');
      await host.client.workflowService.deleteWorkflowExecution({
        namespace: host.namespace,
        workflowExecution: { workflowId: dropped },
      });
      const isKnown = (id: string) =>
        host.client.workflow
          .getHandle(id)
          .describe()
          .then(
            () => true,
            () => false,
          );
      await until(async () => !(await isKnown(dropped)));
      // A starting worker writes the end of what was terminated, beside its other work.
      await worker.stop();
      worker = await host.startWorker();
      await until(async () => (await sluice(repository, 'clean', cleaned, '--give-up', '--yes')).code === 0);
      for (const run of [known, dropped]) {
        const asked = await sluice(repository, 'land', run);
        expect(asked).toMatchObject({
          code: 3,
          stdout: expect.stringContaining('ended without an answer; what its host'),
        });
        const watched = await sluice(repository, 'watch', run);
        expect(watched).toMatchObject({ code: 3, stdout: expect.stringContaining('waits for a person (no answer)') });
        expect((await sluice(repository, 'status', run)).stdout).toContain('waits for a person (no answer)');
        await until(async () => (await sluice(repository, 'approvals', 'list')).stdout.includes(run));
        expect(await sluice(repository, 'approve', run)).toMatchObject({ code: 0 });
        await until(async () => (await landingOf(host, run)).merge === 'merged');
        expect(await sluice(repository, 'watch', run)).toMatchObject({ stdout: expect.stringContaining('has landed') });
        expect(repository.git('ls-tree', '--name-only', 'main')).toContain(`${run}.txt`);
      }
      await land(host, cleaned);

      expect(await settledLanding(host, cleaned)).toMatchObject({
        gate: { reason: 'no_answer', why: expect.stringContaining(`the run ${cleaned} was cleaned`) },
      });
    },
    LIMIT_MS,
  );

  it(
    'is one of a run whose workflow has another id, as a schedule makes it, that lands unasked',
    async () => {
      const repository = await host.repository({
        ...QUEUED_RUNS,
        config: `${QUEUED_RUNS.config}landing: { mode: auto, needs: checked }\n`,
      });
      repository.git('checkout', '-q', '--detach');
      const run = await host.client.workflow.start(RUN_WORKFLOW, {
        workflowId: 'nightly-2026-01-01T03:00:00Z',
        taskQueue: TASK_QUEUE,
        args: [{ task: 'write a file', repo: repository.path, base: 'main' }],
      });
      await run.result();

      expect(await settledLanding(host, 'nightly-2026-01-01T03-00-00Z')).toMatchObject({ merge: 'merged' });
    },
    LIMIT_MS,
  );
});

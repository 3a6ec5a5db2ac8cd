/** A task that asks for an answer, on a real host: real worker, real repositories, scripted agent. Source: docs/requirements/skep.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openProject } from '../../support/backlog-project.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';

describe('a task that asks for an answer', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  it('S-81: is done once its document is there, lets others start, and is never taken for merged', async () => {
    const { backlog, repository } = await openProject(host, 'asked');
    await backlog.create([
      { task: 'why is the build slow', kind: 'answer' },
      { task: 'mend it', dependsOn: ['#1'] },
    ]);

    const { reason, result, run } = await backlog.reaches('1', 'closed');

    expect([reason, result?.hasChange]).toEqual(['no_changes', false]);
    expect(readFileSync(join(repository.path, `.sluice/runs/${run}/plan.md`), 'utf8')).not.toBe('');
    expect(repository.git('rev-parse', `${result?.branch}`)).toBe(repository.git('rev-parse', 'main'));
    expect(await backlog.reaches('2', 'parked')).toMatchObject({ reason: 'unmerged' });
  });

  it('S-81: is refused where one of its stages may write, and one that asks for a change is not done by a plan', async () => {
    const { backlog } = await openProject(host, 'writes');
    const { verdicts } = await backlog.create([
      { task: 'one', kind: 'answer', policy: { stageList: 'express' } },
      { task: 'two', policy: { stageList: 'plan-only' } },
    ]);

    expect(verdicts).toMatchObject([
      { kind: 'refused', why: 'an answer changes nothing, and executing may' },
      { kind: 'created' },
    ]);
    expect(await backlog.reaches('1', 'parked')).toMatchObject({ reason: 'no_commits' });
  });
});

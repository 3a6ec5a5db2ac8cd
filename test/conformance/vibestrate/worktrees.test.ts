import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { addWorktree } from '../../../activities/git/worktree/add-worktree.js';
import type { RunResult } from '../../../protocol/messages/messages.js';
import { branchOf } from '../../../protocol/names.js';
import { startsOf } from '../../support/run-traces.js';
import { openTestHost, type TestHost, type TestRun } from '../../support/test-host.js';
import { fixtureWith, makeRepository, type TestRepository } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const DIRECT = 130;
const AT_ONCE = 10;

describe('the worktree of a run', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  describe('while main moves on', () => {
    let repository: TestRepository;
    let run: TestRun;
    let result: RunResult;
    let first: string;

    beforeAll(async () => {
      repository = await host.repository({ fixture: fixtureWith({ planning: { text: 'Plan.', waitFor: 'go' } }) });
      first = repository.git('rev-parse', 'main').trim();
      run = await host.startRun(repository);
      await until(() => startsOf(repository, 'planning') > 0);
      repository.write('other.txt', 'somebody else\n');
      repository.git('add', 'other.txt');
      repository.git('commit', '-q', '-m', 'main moves on');
      repository.release('go');
      result = await run.result();
    });

    it('V-15: has a branch of its own, cut from the commit recorded at the start', async () => {
      const { worktree, branch, baseBranch, baseSha } = await run.view();

      expect([branch, baseBranch, baseSha]).toEqual([`sluice/${run.runId}`, 'main', first]);
      expect(repository.git('rev-parse', 'main').trim()).not.toBe(first);
      expect(repository.git('rev-parse', `${branch}^`).trim()).toBe(first);
      expect(repository.git('worktree', 'list', '--porcelain')).toContain(`worktree ${worktree}\n`);
      expect(repository.git('-C', worktree ?? '', 'symbolic-ref', 'HEAD').trim()).toBe(`refs/heads/${branch}`);
    });

    it('V-15: does not hold what main got later', () => {
      expect(result.outcome).toBe('merge_ready');
      expect(repository.git('ls-tree', '--name-only', `sluice/${run.runId}`)).not.toContain('other.txt');
    });
  });

  it(`V-16: is made ${DIRECT} times at once in one repository without a failure`, async () => {
    const folder = join(realpathSync(host.folder), 'many');
    mkdirSync(folder);
    const made = makeRepository(folder);
    const repository = await findRepository(made.path);
    const baseSha = made.git('rev-parse', 'HEAD').trim();
    const ids = Array.from({ length: DIRECT }, (_, n) => `many-${n}`);

    const results = await Promise.allSettled(
      ids.map((runId) => {
        const path = join(folder, 'worktrees', runId);
        return addWorktree({
          repository,
          runId,
          owner: 'chain-1',
          branch: branchOf(runId),
          baseSha,
          path,
          formerOwner: null,
        });
      }),
    );

    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(made.git('worktree', 'list').trim().split('\n')).toHaveLength(DIRECT + 1);
    expect(made.git('branch', '--list', 'sluice/*').trim().split('\n')).toHaveLength(DIRECT);
  }, 300_000);

  it(`V-16: lets ${AT_ONCE} runs of one repository start at once and all come to their end`, async () => {
    const repository = await host.repository();

    const runs = await Promise.all(Array.from({ length: AT_ONCE }, () => host.startRun(repository)));
    const results = await Promise.all(runs.map((run) => run.result()));

    expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: AT_ONCE }, () => 'merge_ready'));
    expect(runs.map((run) => repository.git('show', `sluice/${run.runId}:a.txt`))).toEqual(
      Array.from({ length: AT_ONCE }, () => 'one\nchanged\n'),
    );
  }, 300_000);
});

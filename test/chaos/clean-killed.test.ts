/** SIGKILL of the worker that removes what a closed run left, before, between and after what it removes: the next worker finishes it, and touches nothing else. */
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CleanRunInput, CleanRunResult } from '../../protocol/actors/clean.js';
import type { FailpointName } from '../../protocol/failpoints.js';
import { CLEAN_WORKFLOW, TASK_QUEUE } from '../../protocol/names.js';
import { armFailpoint, firedFailpoint, WORKER_WITH_FAILPOINT } from '../support/failpoint-home.js';
import { sideBySide } from '../support/side-by-side.js';
import { openTestHost, type TestHost, type TestRun } from '../support/test-host.js';
import type { TestRepository } from '../support/test-repository.js';

const LIMIT_MS = 300_000;
const POINTS = [
  'git.before-update-ref',
  'git.after-update-ref',
  'activity.before-answer',
] as const satisfies readonly FailpointName[];
type Point = (typeof POINTS)[number];

interface Left {
  readonly refs: string;
  readonly worktrees: number;
  readonly folder: boolean;
  readonly state: readonly string[];
  readonly report: boolean;
  readonly checkout: string;
}

describe('a worker that is killed while it cleans a run', () => {
  let cells: ReadonlyMap<Point, Promise<{ fired: string | null; killed: Left; result: CleanRunResult; left: Left }>>;

  beforeAll(() => {
    cells = sideBySide(POINTS, POINTS.length, cleanedOver);
  });
  // Also where only some of the tests were asked for: no cell may outlive the file.
  afterAll(() => Promise.allSettled(cells.values()), LIMIT_MS);

  it.each(POINTS)(
    'at %s: the next worker finishes it, and what people read stays',
    async (point) => {
      const cell = await cells.get(point);

      expect(cell).toMatchObject({ fired: point, result: { kind: 'cleaned' } });
      // What was still there when the worker died.
      expect(cell?.killed).toMatchObject({ worktrees: point === 'activity.before-answer' ? 1 : 2 });
      expect(cell?.killed.refs === '').toBe(point !== 'git.before-update-ref');
      expect(cell?.left).toEqual({
        refs: '',
        worktrees: 1,
        folder: false,
        state: ['closed.json', 'run.json'],
        report: true,
        checkout: cell?.killed.checkout,
      });
    },
    LIMIT_MS,
  );
});

async function cleanedOver(
  point: Point,
): Promise<{ fired: string | null; killed: Left; result: CleanRunResult; left: Left }> {
  const host = await openTestHost();
  try {
    const repository = await host.repository({ config: 'stageList: [executing]\n' });
    const first = await host.startWorker();
    const run = await host.startRun(repository, { attended: false });
    await run.result();
    const { worktree } = await run.view();
    if (worktree === null) throw new Error('the run has no worktree');
    await first.kill();
    armFailpoint(host.home, { name: point, nth: 1 });
    const doomed = await host.startWorker({ main: WORKER_WITH_FAILPOINT });
    const dead = once(doomed.process, 'exit');

    const input: CleanRunInput = {
      hostId: host.hostId,
      run: { runId: run.runId, repoKey: basename(dirname(worktree)) },
      giveUp: true,
    };
    const options = { workflowId: `clean:${run.runId}`, taskQueue: TASK_QUEUE, args: [input] };
    const cleaning = await host.client.workflow.start(CLEAN_WORKFLOW, options);
    await Promise.race([dead, cleaning.result()]);
    const fired = firedFailpoint(host.home);
    const killed = leftOf(host, { repository, run, worktree });
    await host.startWorker();
    // Of the workflow `clean`.
    const result = (await cleaning.result()) as CleanRunResult;

    return { fired, killed, result, left: leftOf(host, { repository, run, worktree }) };
  } finally {
    await host.close();
  }
}

function leftOf(
  { home }: TestHost,
  { repository: { path, git }, run, worktree }: { repository: TestRepository; run: TestRun; worktree: string },
): Left {
  return {
    refs: git('for-each-ref', '--format=%(refname)', 'refs/heads/sluice', 'refs/sluice').trim(),
    worktrees: git('worktree', 'list', '--porcelain').match(/^worktree /gm)?.length ?? 0,
    folder: existsSync(worktree),
    state: readdirSync(join(home, 'state', basename(dirname(worktree)), run.runId)).toSorted(),
    report: run.read('report.md').includes('# merge_ready'),
    checkout: [
      git('status', '--porcelain', '--branch'),
      git('rev-parse', 'HEAD'),
      readFileSync(join(path, 'a.txt'), 'utf8'),
    ].join('\n'),
  };
}

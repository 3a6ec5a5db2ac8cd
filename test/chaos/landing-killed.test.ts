/** SIGKILL of the worker at steps of landing, every third (`npm run chaos -- landing` has all): the next one goes on, and each head is on the base once. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FailpointName, failpointsOf } from '../../protocol/failpoints.js';
import { armFailpoint, firedFailpoint, WORKER_WITH_FAILPOINT } from '../support/failpoint-home.js';
import { QUEUED_RUNS } from '../support/queued-repository.js';
import { closedRun, enqueueAll } from '../support/queued-runs.js';
import { sideBySide } from '../support/side-by-side.js';
import { openTestHost } from '../support/test-host.js';

const LIMIT_MS = 300_000;
const SIDE_BY_SIDE = 3;
// Sent to the queue by hand, which no landing does.
const POINTS = failpointsOf('landing')
  .filter((name) => !/^(control|landing)\./.test(name))
  .filter((_, index) => index % 3 === 0);

describe('a worker that is killed while it lands two heads', () => {
  let cells: ReturnType<typeof sideBySide<FailpointName, Awaited<ReturnType<typeof landOver>>>>;

  beforeAll(() => {
    cells = sideBySide(POINTS, SIDE_BY_SIDE, landOver);
  });
  // Also where only some of the tests were asked for: no cell may outlive the file.
  afterAll(() => Promise.allSettled(cells.values()), LIMIT_MS);

  it.each(POINTS)(
    'at %s: both are merged, each once, and nothing else is on the base',
    async (point) => {
      expect(await cells.get(point)).toEqual({
        fired: point,
        states: ['merged', 'merged'],
        merges: 2,
        files: 2,
        status: '',
      });
    },
    LIMIT_MS,
  );
});

async function landOver(point: FailpointName) {
  const host = await openTestHost();
  try {
    const doomed = await host.startWorker({ main: WORKER_WITH_FAILPOINT });
    const dead = once(doomed.process, 'exit');
    const repository = await host.repository(QUEUED_RUNS);
    const runs = [await closedRun(host, repository), await closedRun(host, repository)];
    repository.git('checkout', '-q', '-b', 'elsewhere');
    armFailpoint(host.home, { name: point, nth: 1 });
    const queue = await enqueueAll(host, runs);
    await dead;
    await host.startWorker();
    const { results } = await queue.ended();
    const count = Number(repository.git('rev-list', '--count', '--first-parent', 'main'));
    const files = repository.git('ls-tree', '--name-only', 'main').split('\n');
    return {
      fired: firedFailpoint(host.home),
      states: results.map(({ state }) => state),
      merges: count - 1,
      files: files.filter((name) => runs.includes(name.replace(/\.txt$/, ''))).length,
      status: repository.git('status', '--porcelain'),
    };
  } finally {
    await host.close();
  }
}

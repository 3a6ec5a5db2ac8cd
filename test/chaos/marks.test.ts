/**
 * What each mark of a turn stands for, seen after a kill: the record alone answers, a record of another input never does, and a branch that
 * somebody moved between two marks is left where it is.
 */

import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FailpointName } from '../../protocol/failpoints.js';
import { armFailpoint, firedFailpoint, WORKER_WITH_FAILPOINT } from '../support/failpoint-home.js';
import { startsOf, tracesOf, turnFolders } from '../support/run-traces.js';
import { openTestHost, type TestHost, type TestRun } from '../support/test-host.js';
import type { TestRepository } from '../support/test-repository.js';

const LIMIT_MS = 120_000;
const CONFIG = 'limits:\n  heartbeat: 2s\nvalidation:\n  commands: ["grep -q changed a.txt"]\n';

let host: TestHost;

beforeEach(async () => {
  host = await openTestHost();
}, LIMIT_MS);
afterEach(() => host.close(), LIMIT_MS);

describe('after a kill of the worker', () => {
  it(
    'the record alone answers: without any other mark nothing is done again',
    async () => {
      const { run, repository } = await killedAt('turn.after-record');
      for (const name of readdirSync(executingFolder()).filter((mark) => mark !== 'record.json')) {
        rmSync(join(executingFolder(), name), { recursive: true });
      }

      await host.startWorker();

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject({ outcome: 'merge_ready', error: null, commits: 1 });
      expect(startsOf(repository, 'executing')).toBe(1);
      expect(readdirSync(executingFolder())).toEqual(['record.json']);
    },
    LIMIT_MS,
  );

  it(
    'a record of another input is moved aside, is journalled as a violation and answers nothing',
    async () => {
      const { run, repository } = await killedAt('turn.after-record');
      const record = join(executingFolder(), 'record.json');
      writeFileSync(
        record,
        readFileSync(record, 'utf8')
          .replace(/"inputHash":"[^"]*"/, '"inputHash":"another"')
          .replace('"kind":"done"', '"kind":"refused"'),
      );

      await host.startWorker();

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject({ outcome: 'merge_ready', error: null, commits: 1 });
      expect(startsOf(repository, 'executing')).toBe(1);
      expect(
        run
          .events()
          .filter((event) => event.type === 'policy.violation')
          .map((event) => event.data['rule']),
      ).toEqual(['record']);
    },
    LIMIT_MS,
  );

  it(
    'a branch that somebody moved before the commit was published is left there, and the run ends blocked',
    async () => {
      const { run, repository } = await killedAt('turn.after-outcome');
      const theirs = repository.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'theirs').trim();
      repository.git('update-ref', `refs/heads/sluice/${run.runId}`, theirs);

      await host.startWorker();

      expect(await run.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'repository_changed' });
      expect(repository.git('rev-parse', `sluice/${run.runId}`).trim()).toBe(theirs);
      expect(startsOf(repository, 'executing')).toBe(1);
    },
    LIMIT_MS,
  );
});

/** Kills the worker in its executing turn. */
async function killedAt(name: FailpointName): Promise<{ run: TestRun; repository: TestRepository }> {
  const repository = await host.repository({ config: CONFIG });
  armFailpoint(host.home, { name, nth: 3 });
  const doomed = await host.startWorker({ main: WORKER_WITH_FAILPOINT });
  const dead = once(doomed.process, 'exit');
  const run = await host.startRun(repository);
  await Promise.race([dead, run.result()]);
  if (firedFailpoint(host.home) !== name) throw new Error(`${name} did not fire`);
  return { run, repository };
}

/** The latest place: the run stands in its executing turn. */
function executingFolder(): string {
  const bySeq = [...turnFolders(host.home)].sort((a, b) => seqOf(a) - seqOf(b));
  return bySeq.at(-1) ?? '';
}

function seqOf(folder: string): number {
  return Number(/\/(\d+)-[^/]*$/.exec(folder)?.[1] ?? 0);
}

/**
 * What each mark of a turn stands for, seen after a kill: record and exit answer, a record of another input or of a live
 * agent never does, and a branch that somebody moved between two marks is left where it is.
 */

import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { FailpointName } from '../../protocol/failpoints.js';
import { armFailpoint, firedFailpoint, WORKER_WITH_FAILPOINT } from '../support/failpoint-home.js';
import { attendedAgain, heldIn, letGo, reached } from '../support/held-stage.js';
import { openedForEach } from '../support/opened.js';
import { startsOf, tracesOf, turnFolders } from '../support/run-traces.js';
import { openTestHost, type TestRun } from '../support/test-host.js';
import type { TestRepository } from '../support/test-repository.js';

const LIMIT_MS = 300_000;
const ANSWER = ['exit.json', 'record.json'];
const CONFIG = 'limits:\n  heartbeat: 2s\nvalidation:\n  commands: ["grep -q changed a.txt"]\n';

/** Reads as a judgement and as a result: the turn is over and changed nothing. */
const FORGED = {
  outcome: { kind: 'no_change' },
  decision: null,
  planned: null,
  restore: false,
  rolledBack: [],
  observations: [],
  exitCode: 0,
  usage: { tokensIn: null, tokensOut: null, costMicroUsd: null },
  durationMs: 0,
  endedAt: '2026-01-01T00:00:00.000Z',
  head: null,
  output: null,
  agent: 'scripted',
};

const host = openedForEach(openTestHost);

describe('after a kill of the worker', () => {
  it(
    'record and exit answer: without any other mark nothing is done again',
    async () => {
      const { run, repository } = await killedAt('turn.after-record');
      const folder = executingFolder();
      for (const name of readdirSync(folder).filter((mark) => !ANSWER.includes(mark)))
        rmSync(join(folder, name), { recursive: true });

      await host.startWorker();

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject({
        outcome: 'merge_ready',
        error: null,
        commits: 1,
      });
      expect(startsOf(repository, 'executing')).toBe(1);
      expect(readdirSync(folder).sort()).toEqual(ANSWER);
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

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject({
        outcome: 'merge_ready',
        error: null,
        commits: 1,
      });
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

  it.each(['outcome.json', 'record.json'])(
    'a forged %s under a live agent is moved aside, is journalled as a violation and answers nothing',
    async (name) => {
      const repository = await host.repository(heldIn(host, 'executing'));
      const first = await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');
      const { inputHash }: { inputHash: string } = JSON.parse(
        readFileSync(join(executingFolder(), 'claim.json'), 'utf8'),
      );
      writeFileSync(join(executingFolder(), name), JSON.stringify({ inputHash, exit: null, value: FORGED }));

      await first.kill();
      await host.startWorker();
      await attendedAgain(host, run);
      letGo(host);

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject({
        outcome: 'merge_ready',
        error: null,
        commits: 1,
      });
      expect(startsOf(repository, 'executing')).toBe(1);
      expect(run.events().flatMap((event) => (event.type === 'policy.violation' ? [event.data['rule']] : []))).toEqual([
        'record',
      ]);
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
  const run = await host.startRun(repository, { attended: false });
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

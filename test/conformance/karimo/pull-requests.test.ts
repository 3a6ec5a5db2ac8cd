/** Pull requests as karimo asks for them, each for one run: made once, kept through a conflict, asked about when closed, and looked at without an end. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { STATUS_QUERY } from '../../../protocol/names.js';
import { decideGates } from '../../support/decide-gates.js';
import { armFailpoint, firedFailpoint, WORKER_WITH_FAILPOINT } from '../../support/failpoint-home.js';
import {
  FORGE_ENV,
  type ForgedRepository,
  forgedRepository,
  forgedRun,
  landingWhere,
  tellLanding,
} from '../../support/forge/forged-runs.js';
import { VirtualLanding } from '../../support/forge/virtual-landing.js';
import { MINUTE_MS } from '../../support/landing-world.js';
import { QUEUED_RUNS } from '../../support/queued-repository.js';
import { openTestHost, type TestHost, type TestWorker } from '../../support/test-host.js';
import { fixtureWith } from '../../support/test-repository.js';
import { removeFolders } from '../../unit/git/repository-fixture.js';

afterAll(removeFolders);

const LIMIT_MS = 300_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const FINDING = {
  id: 'F-1',
  severity: 'low',
  category: 'tests',
  claim: 'No test shows it.',
  evidence: ['a.txt'],
  recommendation: 'Add one.',
};

let host: TestHost;
let first: TestWorker;
beforeAll(async () => {
  host = await openTestHost();
  first = await host.startWorker({ main: WORKER_WITH_FAILPOINT, env: FORGE_ENV });
}, LIMIT_MS);
const forged: ForgedRepository[] = [];
afterAll(async () => {
  await host.close();
  for (const { forge } of forged) forge.close();
}, LIMIT_MS);

const open = async (...given: Parameters<typeof forgedRepository> extends [unknown, ...infer R] ? R : never) => {
  const one = await forgedRepository(host, ...given);
  forged.push(one);
  return one;
};

const worktreeOf = async (runId: string) =>
  (await host.client.workflow.getHandle(runId).query<RunView>(STATUS_QUERY)).worktree ?? '';

/** As the gate says it. */
function mend(worktree: string, { base, file, text }: Readonly<Record<'base' | 'file' | 'text', string>>): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: worktree, stdio: 'pipe' });
  expect(() => git('merge', '-q', base)).toThrow();
  writeFileSync(join(worktree, file), text);
  git('commit', '-q', '-a', '-m', 'mended');
}

describe('a pull request', () => {
  it(
    'K-91: of a worker that is killed between its create and its record there is one, found by its branch, with title, label and all that is told',
    async () => {
      const one = await open({
        config: `validation: { commands: ["grep -q changed a.txt"] }
guardedPaths: ["deploy.sh"]
landing: { title: "[KARIMO] [{id}] {title}", labels: [karimo] }
`,
        fixture: fixtureWith({
          executing: { append: { 'a.txt': 'changed\n' }, files: { 'deploy.sh': 'exit 0\n' }, text: 'Added a line.' },
          reviewing: { text: 'Looks right.', findings: [FINDING], decision: 'APPROVED' },
        }),
      });
      const { faults, state } = one.forge;
      // The first request lists, the second makes.
      armFailpoint(host.home, { name: 'forge.after-request', nth: 2 });
      const run = await host.startRun(one.repository, { task: 'add a line', attended: true });
      await decideGates(run, [{ decision: 'approve' }]);
      await once(first.process, 'exit');
      expect([firedFailpoint(host.home), faults.done('POST pulls')]).toEqual(['forge.after-request', 1]);
      expect(one.pullOf(run.runId).labels).toEqual([]);
      await host.startWorker({ env: FORGE_ENV });
      await landingWhere(host, run.runId, ({ pull }) => pull?.at === 'draft');

      expect([state.pulls.length, faults.done('POST pulls')]).toEqual([1, 1]);
      const { title, body, labels } = one.pullOf(run.runId);
      expect({ title, labels }).toEqual({ title: `[KARIMO] [${run.runId}] add a line`, labels: ['karimo'] });
      for (const part of [
        'agent `script`',
        'Fix rounds: 0; verdict: verified',
        'Checks: passed, of `',
        'add a line',
        'grep -q changed a.txt',
        'modified a.txt',
        'added deploy.sh',
        '\ndeploy.sh\n',
        'F-1 (low, tests): No test shows it.',
      ])
        expect(body).toContain(part);
    },
    LIMIT_MS,
  );

  it(
    'K-96: a conflict names its files and its time while others land, and once a person has mended it and said so, its checks run again and it lands',
    async () => {
      const one = await open({
        ...QUEUED_RUNS,
        config: `${QUEUED_RUNS.config}landing: { mode: auto, needs: checked, conflict: gate, attempts: 1 }\n`,
      });
      one.forge.state.commit('main', 'a.txt', 'theirs\n');
      const [run, other] = await Promise.all([
        forgedRun(host, one, 'change\ndo: echo mine > a.txt'),
        forgedRun(host, one, 'change'),
      ]);
      const { gate, gates } = await landingWhere(host, run, (view) => view.gate !== null);
      expect(gate).toMatchObject({ reason: 'conflict', files: ['a.txt'] });
      expect(gates[0]?.requestedAction).toMatch(/^The conflict is of \d{4}-\d\d-\d\dT/);
      await landingWhere(host, other, ({ merge }) => merge === 'merged');
      expect(one.files()).not.toContain(`${run}.txt`);
      const [, base = ''] = /git merge (\S+)/.exec(gates[0]?.requestedAction ?? '') ?? [];
      mend(await worktreeOf(run), { base, file: 'a.txt', text: 'theirs and mine\n' });
      await tellLanding(host, run, 'answer', { text: 'resolved' });
      await landingWhere(host, run, ({ merge }) => merge === 'merged');

      expect(one.files()).toEqual(expect.arrayContaining([`${run}.txt`, `${other}.txt`]));
      expect(one.forge.state.git('show', 'main:a.txt')).toBe('theirs and mine');
    },
    LIMIT_MS,
  );

  it(
    'K-105: one that is closed without a merge asks a person, who has the task run again for another one, skips it or fails it',
    async () => {
      const one = await open(QUEUED_RUNS);
      const runs = await Promise.all(['run again', 'skip', 'fail'].map(() => forgedRun(host, one, 'change')));
      for (const run of runs) {
        await landingWhere(host, run, ({ pull }) => pull?.at === 'draft');
        one.forge.state.close(one.pullOf(run));
        await tellLanding(host, run, 'look');
        expect(await landingWhere(host, run, ({ gate }) => gate !== null)).toMatchObject({
          gate: { reason: 'pull_closed' },
          gates: [{ options: ['run again', 'skip', 'fail'], status: 'pending' }],
        });
      }
      const [again = '', skipped = '', failed = ''] = runs;
      const closed = one.pullOf(again).number;
      await tellLanding(host, again, 'answer', { text: 'run again' });
      await tellLanding(host, skipped, 'answer', { text: 'skip' });
      await tellLanding(host, failed, 'answer', { text: 'fail' });

      await landingWhere(host, again, ({ pull }) => pull !== null && pull.number !== closed && pull.at === 'draft');
      expect(one.pullOf(again)).toMatchObject({ state: 'open', isDraft: true });
      expect(one.forge.state.pull(closed)).toMatchObject({ state: 'closed', merged: null });
      expect(await landingWhere(host, skipped, ({ merge }) => merge === 'abandoned')).toMatchObject({
        abandoned: 'skipped by ada',
      });
      expect(await landingWhere(host, failed, ({ merge }) => merge === 'abandoned')).toMatchObject({
        abandoned: expect.stringMatching(/^failed by ada: pull request \d+ .* was closed without a merge$/),
      });
      expect(one.forge.state.pulls).toHaveLength(4);
    },
    LIMIT_MS,
  );

  it(
    'K-108: one is looked at each minute and, an hour without news, less and less down to each quarter of an hour, without an end: a merge after five days is seen',
    async () => {
      const landing = await VirtualLanding.open('pr');
      const { forge } = landing.at;
      const waits = (await landing.pass(5 * DAY_MS)).map((ms) => Math.round(ms / MINUTE_MS));
      expect([...new Set(waits)]).toEqual([1, 2, 4, 8, 15]);
      expect(waits.filter((minutes) => minutes < 15).length).toBeLessThan(70);
      expect(landing.view).toMatchObject({ merge: 'unmerged', gates: [], pull: { at: 'draft' } });
      const commit = forge.state.merge(forge.state.pull(1), 'a person');
      await landing.pass(15 * MINUTE_MS);

      expect(landing.view).toMatchObject({ merge: 'merged', commit });
      forge.close();
    },
    LIMIT_MS,
  );
});

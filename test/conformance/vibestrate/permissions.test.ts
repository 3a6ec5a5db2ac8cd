import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AttendedRun, attendedRun } from '../../support/attended-run.js';
import { detailsOf } from '../../support/run-steps.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';

const LIMIT_MS = 300_000;

const LIST = 'stageList: [executing, reviewing, fixing, verifying]\n';

/** One fix round: two turns that write. */
const STAGES = {
  executing: { append: { 'a.txt': 'changed\n' }, text: 'Changed.' },
  reviewing: [
    { text: 'Not yet.', decision: 'CHANGES_REQUESTED' },
    { text: 'Right.', decision: 'APPROVED' },
  ],
  fixing: { append: { 'a.txt': 'fixed\n' }, text: 'Fixed.' },
};

const gatesOf = async ({ run }: AttendedRun) =>
  (await detailsOf(run.handle)).gates.map(({ source, stage }) => `${source} ${stage}`);
const commits = ({ run, repository }: AttendedRun) =>
  Number(repository.git('rev-list', '--count', `main..sluice/${run.runId}`).trim());

describe('permission modes', () => {
  let host: TestHost;
  const open = (mode: string, stages: object = STAGES) =>
    attendedRun(host, { config: `permissions: ${mode}\n${LIST}`, stages });

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  it(
    'V-17, V-129: read-only: the prompt says so, and what a turn wrote is rolled back and journalled',
    async () => {
      const person = await open('read-only', { executing: STAGES.executing });

      expect(await person.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(commits(person)).toBe(0);
      expect(person.prompt('executing')).toContain('This run may not write');
      expect(person.run.events().filter(({ type }) => type === 'policy.violation')).toMatchObject([
        { data: { rule: 'read_only', stage: 'executing', paths: ['a.txt'] } },
      ]);
      expect(await gatesOf(person)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'V-129: ask: a gate on the diff of each turn that changed something, before the next turn',
    async () => {
      const person = await open('ask');
      const first = await person.gate('gate-1');
      expect(person.turns()).toEqual(['executing']);
      expect(first.commit).toBe(person.repository.git('rev-parse', `sluice/${person.run.runId}`).trim());
      await person.approve(1);
      const second = await person.gate('gate-2');
      expect(person.turns()).toEqual(['executing', 'reviewing', 'fixing']);
      expect(second.commit).not.toBe(first.commit);
      await person.approve(2);

      expect(await person.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(await gatesOf(person)).toEqual(['diff reviewing', 'diff reviewing']);
    },
    LIMIT_MS,
  );

  it(
    'V-129: accept-edits: one gate, before merge_ready',
    async () => {
      const person = await open('accept-edits');
      await person.gate('gate-1');
      expect(person.turns()).toEqual(['executing', 'reviewing', 'fixing', 'reviewing', 'verifying']);
      await person.approve(1);

      expect(await person.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(await gatesOf(person)).toEqual(['completion completion']);
      expect(person.run.statuses().slice(-4)).toEqual([
        'verifying',
        'waiting_for_approval',
        'verifying',
        'merge_ready',
      ]);
    },
    LIMIT_MS,
  );

  it(
    'V-129: auto, the default: no gate',
    async () => {
      const [named, unnamed] = await Promise.all([open('auto'), attendedRun(host, { config: LIST, stages: STAGES })]);

      for (const person of [named, unnamed]) {
        expect(await person.result()).toMatchObject({ outcome: 'merge_ready' });
        expect(await gatesOf(person)).toEqual([]);
        expect(commits(person)).toBe(2);
      }
    },
    LIMIT_MS,
  );
});

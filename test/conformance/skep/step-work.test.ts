/** What the work of a step is, and when it is done: its commits, its check, and what becomes of a plan that only looks. Source: docs/requirements/skep.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JUDGED, say } from '../../support/admitted-project.js';
import {
  artifactOf,
  makes,
  openStepped,
  parked,
  promptsOf,
  recordsOf,
  runDirOf,
  type SteppedProject,
  stepsTaken,
} from '../../support/stepped-project.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';

describe('the work of a step', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  const open = (project: string, stepped: SteppedProject) => openStepped(host, project, stepped);

  it('S-38: makes of the plan that a person approved one record for each of its steps, in their order', async () => {
    const { backlog, repository } = await open('records', {
      plan: ['add', 'verify'],
      steps: [makes(1), { text: 'It is there.' }],
      classify: [say({ ...JUDGED, classification: 'large' })],
    });
    await backlog.create(['make all parts']);
    await backlog.reaches('1', 'gated');
    await backlog.tell('1', 'approve');
    const { result } = await backlog.reaches('1', 'parked');

    const records = recordsOf(repository, result?.runId);
    expect(records.map(({ seq, verb, acceptance }) => [seq, verb, acceptance])).toEqual([
      [1, 'add', '1.txt is there'],
      [2, 'verify', '2.txt is there'],
    ]);
  });

  it('S-67, S-70: keeps where each step stood and its commit by its full name, with trailers, whether the agent committed or not', async () => {
    const { backlog, repository } = await open('commits', {
      plan: ['add', 'modify'],
      steps: [
        makes(1),
        makes(2, { run: 'for n in 2 3; do echo $n > $n.txt; git add -A; git commit -q -m "own $n"; done' }),
      ],
    });
    const { result } = await parked(backlog);

    const [first, second] = recordsOf(repository, result?.runId);
    const onBranch = repository.git('rev-list', '--reverse', `main..${result?.branch}`).trim().split('\n');
    expect([...(first?.commits ?? []), ...(second?.commits ?? [])]).toEqual(onBranch);
    expect(first).toMatchObject({ headAfter: onBranch[0] });
    expect(second).toMatchObject({ headBefore: onBranch[0], headAfter: onBranch.at(-1) });
    const message = repository.git('log', '-1', '--format=%B', onBranch[0] ?? '');
    expect(message).toMatch(/^step 1: add make part 1\n/);
    expect(message).toMatch(/\n\nSluice-Task: commits-1\nSluice-Step: 1\nSluice-Attempt: 1\n*$/);
    expect(repository.git('log', '-1', '--format=%B', `${result?.branch}`)).toMatch(/own 2[^]*own 3/);
  });

  it('S-67: keeps each commit that the agent made as a commit of its step, by its full name, where the config says so', async () => {
    const { backlog, repository } = await open('kept-commits', {
      plan: ['add'],
      steps: [
        makes(1, {
          run: 'for n in 1 2; do echo $n > $n.txt; git add -A; git commit -q -m "own $n"; done; echo changed > a.txt',
        }),
      ],
      execute: '  stepCheck: none\n  commits: keep\n',
    });
    const { result } = await parked(backlog);

    const [first] = recordsOf(repository, result?.runId);
    const onBranch = repository.git('rev-list', '--reverse', `main..${result?.branch}`).trim().split('\n');
    expect(onBranch).toHaveLength(3);
    expect(first?.commits).toEqual(onBranch);
    expect([first?.headBefore, first?.headAfter]).toEqual([repository.git('rev-parse', 'main').trim(), onBranch[2]]);
    const subjects = repository.git('log', '--reverse', '--format=%s', `main..${result?.branch}`);
    expect(subjects).toBe('own 1\nown 2\nstep 1: add make part 1\n');
  });

  it('S-69: tries a step that tests again where its agent exits 0 and the tests are red', async () => {
    const { backlog, repository } = await open('checked', {
      plan: ['add', 'test'],
      steps: [makes(1, { run: 'echo 1 > 1.txt' }), { run: 'echo red > 2.txt', text: 'All green.', again: makes(2) }],
    });
    const { result } = await parked(backlog);

    expect(result).toMatchObject({ outcome: 'merge_ready' });
    expect(stepsTaken(repository)).toEqual(['1', '2', '2']);
    expect(recordsOf(repository, result?.runId)[1]).toMatchObject({ status: 'done', retryCount: 1 });
    expect(repository.git('show', `${result?.branch}:2.txt`)).toBe('2\n');
    expect(promptsOf(repository, result?.runId).at(-1)).toContain('Previous attempt failed: ');
  });

  const ACCEPTANCE = '  stepCheck: acceptance\n';

  it('S-69: has each step judged by whoever verifies, and tries one again that is not accepted, with what was said', async () => {
    const { backlog, repository } = await open('accepted', {
      plan: ['add', 'modify'],
      execute: ACCEPTANCE,
      steps: [makes(1, { again: makes(11) }), makes(2)],
      judge: {
        decision: 'FAILED',
        text: 'The second word is missing.',
        again: { decision: 'PASSED', text: 'It holds.' },
      },
    });
    // The first step is refused once; that of the second repeats what was said of the first, then holds.
    const { result } = await parked(backlog);

    expect(result).toMatchObject({ outcome: 'merge_ready' });
    expect(stepsTaken(repository)).toEqual(['1', '1', '2', '2']);
    const [first] = recordsOf(repository, result?.runId);
    expect(first).toMatchObject({ status: 'done', retryCount: 1 });
    expect(first?.attempts[0]?.error).toBe('what the step is accepted by does not hold, says its verifier: FAILED');
    expect(artifactOf(host, runDirOf(repository, result?.runId), first?.attempts[0]?.diff)).toContain('+changed');
    const prompts = promptsOf(repository, result?.runId);
    const judging = prompts.filter((prompt) => prompt.startsWith('[stage:verifying]'));
    expect(judging).toHaveLength(4);
    for (const part of ['1.txt is there', 'make part 1', 'Part 1 is made.', 'git diff '])
      expect(judging[0]).toContain(part);
    expect(prompts.filter((prompt) => prompt.includes('The second word is missing.')).length).toBeGreaterThan(0);
  });

  it('S-69: takes no judgement of an agent that changed what it was to look at, and has the step judged again', async () => {
    const { backlog, repository } = await open('disturbed', {
      plan: ['add'],
      steps: [makes(1)],
      execute: ACCEPTANCE,
      judge: {
        decision: 'PASSED',
        run: 'echo mine > 1.txt',
        text: 'Mended it.',
        again: { decision: 'FAILED', text: 'No.' },
      },
    });
    const { result } = await parked(backlog);

    expect([result?.outcome, recordsOf(repository, result?.runId)[0]?.status]).toEqual(['failed', 'failed']);
  });

  it('S-69, S-73: stops at a step that is not accepted twice, and begins there again', async () => {
    const { backlog, repository } = await open('refused', {
      plan: ['add', 'modify'],
      steps: [makes(1), makes(2)],
      execute: ACCEPTANCE,
      judge: {
        decision: 'FAILED',
        text: 'No.',
        again: { decision: 'NEEDS_HUMAN', text: 'Who knows?', again: { decision: 'PASSED', text: 'It holds.' } },
      },
    });
    const { reason, result } = await parked(backlog);

    expect([reason, result?.outcome]).toEqual(['step_failed', 'failed']);
    expect(recordsOf(repository, result?.runId).map(({ status }) => status)).toEqual(['failed', 'pending']);
    await backlog.tell('1', 'run');
    await backlog.reaches('1', 'running');
    await backlog.reaches('1', 'parked');
    expect(stepsTaken(repository)).toEqual(['1', '1', '1', '2', '2']);
  });

  it('S-81: is done with what its steps said where its plan only looks, and is taken for nothing that is merged', async () => {
    const { backlog, repository } = await open('looks', {
      plan: ['verify', 'verify'],
      steps: [{ text: 'The cache is emptied at night.' }, { text: 'Nothing else touches it.' }],
    });
    await backlog.create(['when is the cache emptied']);

    const { reason, result, run } = await backlog.reaches('1', 'closed');

    expect([reason, result?.hasChange]).toEqual(['no_changes', false]);
    const answer = readFileSync(join(runDirOf(repository, run ?? ''), 'answer.md'), 'utf8');
    expect(answer).toBe(
      '## 1. make part 1\n\nThe cache is emptied at night.\n\n## 2. make part 2\n\nNothing else touches it.\n',
    );
    expect(repository.git('rev-parse', `${result?.branch}`)).toBe(repository.git('rev-parse', 'main'));
  });

  it('S-81: is not done where a step that looks said nothing', async () => {
    const { backlog } = await open('says-nothing', { plan: ['verify'], steps: [{ text: '' }] });
    const { reason } = await parked(backlog, 'when is the cache emptied');

    expect(reason).not.toBe('no_changes');
  });
});

import { readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { TurnJudgement } from '../../../activities/turn/judge-turn.js';
import { type SettledTurn, settleTurn } from '../../../activities/turn/settle-turn.js';
import { openPlaceFolder } from '../../../activities/unit/place-record.js';
import type { TurnOnHost } from '../../../activities/unit/turn-on-host.js';
import { git, type OpenedRun, openRun, removeFolders, write } from '../git/repository-fixture.js';

const PLACE = { runId: 'project-1', seq: 3, token: 't' };

/** A run whose executing turn was judged `done`, with its commit planned, under a policy that was made stricter since. */
async function judgedTurn(block: readonly string[] = []) {
  const run = await openRun();
  write(run.worktree, 'a.txt', 'a\n');
  const planned = await run.run.plan({
    expectedHead: run.base,
    claimedAt: '2020-01-01T00:00:00.000Z',
    subject: 'executing',
    body: '',
  });
  if (planned === null) throw new Error('nothing planned');
  const judgement: TurnJudgement = {
    outcome: { kind: 'done' },
    said: { kind: 'done' },
    decision: null,
    planned: { ...planned, size: { files: 1, added: 1, deleted: 0 } },
    restore: false,
    rolledBack: [],
    branchMoved: false,
    guarded: [],
    elsewhere: null,
    started: true,
    request: null,
    findings: null,
    conversation: null,
    denied: 0,
    promptCut: false,
    promptSha256: null,
    observations: [],
    output: null,
    usage: { tokensIn: null, tokensOut: null, costMicroUsd: null },
    exitCode: 0,
    durationMs: 1,
    endedAt: '2020-01-01T00:00:01.000Z',
  };
  const place = await openPlaceFolder(join(run.home, 'place'), { place: PLACE }, 'process');
  const settle = (git = run.run): Promise<SettledTurn> => settleTurn(contextOf({ run, git, place, block }), judgement);
  return { run, planned, judgement, settle };
}

function contextOf({
  run,
  git,
  place,
  block,
}: {
  run: OpenedRun;
  git: unknown;
  place: unknown;
  block: readonly string[];
}): TurnOnHost {
  const { worktree, base, repository } = run;
  const record = {
    repository,
    runId: 'project-1',
    worktree,
    branch: 'sluice/project-1',
    policy: { block, guardedPaths: [] },
  };
  const input = { stage: 'executing', place: PLACE, expectedHead: base };
  // All that settling reads; a whole context needs a guard and a server.
  return { run: { record }, input, git, place } as unknown as TurnOnHost;
}

afterEach(removeFolders);

describe('a commit that a killed attempt published', () => {
  it('is adopted if it passes its checks again', async () => {
    const { run, planned, settle } = await judgedTurn();
    await run.run.publish(planned);

    expect(await settle()).toMatchObject({
      outcome: { kind: 'done' },
      head: planned.commit,
      observations: [{ type: 'git.committed' }],
    });
  });

  it('is taken off the branch again if it fails them, and kept as a ref of the run', async () => {
    const { run, planned, settle } = await judgedTurn(['a.txt']);
    await run.run.publish(planned);

    const settled = await settle();

    expect(settled).toMatchObject({
      outcome: { kind: 'policy_violation', rule: 'block', why: expect.stringContaining('rolled back') },
      head: run.base,
      observations: [{ type: 'policy.violation' }],
    });
    expect(await run.run.head()).toBe(run.base);
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
    expect(git(run.root, 'rev-parse', 'refs/sluice/project-1/reset-1').trim()).toBe(planned.commit);
    expect(git(run.root, 'rev-parse', 'refs/sluice/project-1/head').trim()).toBe(run.base);
  });

  it('is not published again by the next attempt, after a kill in the middle of taking it off', async () => {
    const { run, planned, settle } = await judgedTurn(['a.txt']);
    await run.run.publish(planned);
    await settle();

    expect(await settle()).toMatchObject({ outcome: { kind: 'policy_violation', rule: 'block' }, head: run.base });
    expect(await run.run.head()).toBe(run.base);
  });
});

describe('settling a turn', () => {
  it('gives the commit up if the worktree became a symlink since it was judged', async () => {
    const { run, settle } = await judgedTurn();
    renameSync(run.worktree, `${run.worktree}.aside`);
    symlinkSync(run.root, run.worktree);

    expect(await settle()).toMatchObject({
      outcome: { kind: 'policy_violation', rule: 'outside_path' },
      head: run.base,
    });
    expect(await settle()).toMatchObject({
      outcome: { kind: 'policy_violation', rule: 'outside_path' },
      head: run.base,
    });

    expect(await run.run.head()).toBe(run.base);
    expect(readFileSync(join(run.root, '.git', 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
  });

  it('ends as repository_changed if git cannot work with what is there, and leaves the rest to a retry', async () => {
    const { run, settle } = await judgedTurn();
    renameSync(join(run.root, '.git', 'objects'), join(run.root, '.git', 'objects-away'));

    expect(await settle()).toMatchObject({
      outcome: { kind: 'repository_changed', why: expect.stringContaining('fatal:') },
      head: run.base,
    });

    const gone = Object.assign(new Error('git update-ref could not be run: the git runner was lost'), {
      code: undefined,
    });
    const failing = new Proxy(run.run, {
      get: (target, name) => (name === 'publish' ? () => Promise.reject(gone) : Reflect.get(target, name)),
    });
    await expect(settle(failing)).rejects.toThrow('the git runner was lost');
  });
});

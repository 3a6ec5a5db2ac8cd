/** What a look at a base finds of the heads that others take there, by real git. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { GitError } from '../../../activities/git/start/run-git.js';
import { createLookAtBase } from '../../../activities/landing/look-at-base.js';
import type { LandingDeps } from '../../../activities/landing/queue-place.js';
import { tellingTrouble } from '../../../activities/landing/queue-trouble.js';
import type { RunResult, RunSource } from '../../../protocol/messages/messages.js';
import { git, removeFolders } from '../git/repository-fixture.js';
import { openHost } from '../run/opened-host.js';

afterEach(removeFolders);

/** A look for two heads: git fails at the first, as after a disk broke, and the second is on the base. */
async function look(attempt: number) {
  const host = await openHost();
  const { repository, repoKey, runId, baseSha } = host.run.record;
  const head = await host.change({ 'a.txt': 'two\n' });
  git(repository.root, 'merge', '-q', '--ff-only', head);
  let asked = 0;
  const readAnswer: LandingDeps['readAnswer'] = async () => {
    asked += 1;
    if (asked === 1) throw new GitError(['merge-tree'], { exitCode: 128, stdout: '', stderr: 'fatal: bad object' });
    const base = { branch: 'main', sha: baseSha };
    const source: RunSource = { host: 'host', repoKey, frozen: 'f', base, head, evidence: null };
    // What is read of a run's answer.
    return { kind: 'answer', owner: null, result: { source } as unknown as RunResult };
  };
  const watched = ['bad', 'good'].map((id) => ({
    id,
    runId,
    repoKey,
    pull: null,
    anyway: false,
    head: null,
    seenOn: null,
  }));
  const place = { runId: '@0123456789abcdef', seq: 1, token: randomUUID() };
  const input = { place, queue: { repoKey, branch: 'main' }, owner: 'q', chain: null, mayMove: true, runId, repoKey };
  const act = createLookAtBase({ ...host.deps, readAnswer });
  const looked = await new MockActivityEnvironment({ attempt })
    .run(() => act({ ...input, watched }))
    .catch((error: unknown) => error);
  return { looked, head };
}

describe('a look for the heads that others take to a base', () => {
  it('tells of one that git cannot read, and finds the others', async () => {
    const { looked, head } = await look(10);

    expect(looked).toMatchObject({
      watched: [
        { id: 'bad', landed: { kind: 'exhausted', reason: 'refused', why: expect.stringContaining('bad object') } },
        { id: 'good', landed: { kind: 'merged', commit: head } },
      ],
    });
  });

  it('is tried again where that may pass with time', async () => {
    expect((await look(9)).looked).toBeInstanceOf(GitError);
  });
});

describe('trouble of git', () => {
  const told = (attempt: number, stderr: string) =>
    new MockActivityEnvironment({ attempt })
      .run(() =>
        tellingTrouble(() => Promise.reject(new GitError(['merge-tree'], { exitCode: 128, stdout: '', stderr }))),
      )
      .catch((error: unknown) => error);

  it.each([
    [9, 'fatal: bad object', 'GitError'],
    [10, 'fatal: bad object', 'ApplicationFailure'],
    [20, '', 'GitError'],
    [20, 'fatal: write error: No space left on device', 'GitError'],
  ])('is told at attempt %i, where it says %s, as %s', async (attempt, stderr, name) => {
    expect(await told(attempt, stderr)).toMatchObject({ name });
  });
});

/** What merge queues leave on a host, and who may take it away. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanQueues } from '../../../activities/closing/clean-queues.js';
import { beginOwning, ownerMarkOf } from '../../../activities/git/worktree/owner-mark.js';
import type { HostDeps } from '../../../activities/unit/host-deps.js';
import { enterQueueFolder } from '../../../activities/unit/queue-folder.js';
import { mergeQueueId, queueName } from '../../../protocol/actors/merge-queue.js';
import { itWhere } from '../../support/it-where.js';
import { canMount } from '../../support/small-disk.js';
import { git, removeFolders } from '../git/repository-fixture.js';
import { type OpenedHost, openHost } from './opened-host.js';

afterEach(removeFolders);

const BRANCHES = ['main', 'release'];
const [NAME, OTHER] = BRANCHES.map((branch) => queueName({ repoKey: 'local', branch })) as [string, string]; // As many as branches.

/** Queues of two branches that were at work: folder, git, checkout with its mark, refs. */
async function aHostOfQueues(): Promise<
  OpenedHost & { stateOf(name: string): string; checkoutOf(name: string): string }
> {
  const host = await openHost();
  const { repoKey, repository, baseSha } = host.run.record;
  const stateOf = (name: string) => host.deps.home.stateDir(repoKey, name);
  const checkoutOf = (name: string) => host.deps.home.validationWorktree(repoKey, name);
  for (const branch of BRANCHES) {
    const name = queueName({ repoKey, branch });
    await enterQueueFolder(stateOf(name), { repoKey, branch }, 'process');
    mkdirSync(join(stateOf(name), 'git'));
    mkdirSync(checkoutOf(name));
    await beginOwning(checkoutOf(name), { owner: 'queue-1', purpose: '{}' });
    for (const ref of ['tip', 'next']) git(repository.root, 'update-ref', `refs/sluice/${name}/${ref}`, baseSha);
  }
  return { ...host, stateOf, checkoutOf };
}

function cleaned(host: OpenedHost, deps: Partial<HostDeps> = {}): Promise<readonly string[]> {
  return cleanQueues({ ...host.deps, ...deps }, host.run);
}

function leftOf(host: Awaited<ReturnType<typeof aHostOfQueues>>, name: string) {
  const refs = git(host.run.record.repository.root, 'for-each-ref', `refs/sluice/${name}/`).trim();
  const [state, checkout] = [host.stateOf(name), host.checkoutOf(name)];
  return [existsSync(state), existsSync(checkout), existsSync(ownerMarkOf(checkout)), refs !== ''];
}

const ALL = [true, true, true, true];
const NOTHING = [false, false, false, false];

describe('what a merge queue left', () => {
  it('goes with its folder, checkout, mark and refs where the server says that the queue is over, and no other queue loses anything', async () => {
    const host = await aHostOfQueues();
    const { repoKey } = host.run.record;
    const isOpen = async (id: string) => id !== mergeQueueId({ repoKey, branch: 'main' });

    const removed = await cleaned(host, { isOpen });

    expect(removed).toEqual(['what the merge queue of main left']);
    expect(leftOf(host, NAME)).toEqual(NOTHING);
    expect(leftOf(host, OTHER)).toEqual(ALL);
    expect(await cleaned(host, { isOpen })).toEqual([]);
  });

  it('stays where the server does not answer, or the folder does not say whose it is', async () => {
    const host = await aHostOfQueues();
    const isOpen = async () => {
      throw new Error('the server is away');
    };

    await expect(cleaned(host, { isOpen })).rejects.toThrow('away');
    for (const name of [NAME, OTHER])
      writeFileSync(join(host.stateOf(name), 'queue.json'), '{"repoKey":"r","branch":"another"}');
    expect(await cleaned(host, { isOpen: async () => false })).toEqual([]);

    for (const name of [NAME, OTHER]) expect(leftOf(host, name)).toEqual(ALL);
  });

  it('is whole again for an activity of a queue that was opened after the server had answered', async () => {
    const host = await aHostOfQueues();
    const entered: Promise<boolean>[] = [];
    const { repoKey } = host.run.record;
    const isOpen = async (id: string) => {
      if (id !== mergeQueueId({ repoKey, branch: 'main' })) return true;
      // The queue opens now, and its first activity is there before anything is removed.
      const enter = async () => {
        await enterQueueFolder(host.stateOf(NAME), { repoKey, branch: 'main' }, 'process');
        return leftOf(host, NAME)
          .slice(1)
          .every((isThere) => !isThere);
      };
      entered.push(enter());
      return false;
    };

    await cleaned(host, { isOpen });

    // It begins behind the cleaning, with a folder of its own.
    expect(await Promise.all(entered)).toEqual([true]);
    expect(leftOf(host, NAME)).toEqual([true, false, false, false]);
  });

  it('is finished by the next call where a removal was cut off', async () => {
    const host = await aHostOfQueues();
    const validationWorktree = () => {
      throw new Error('killed');
    };
    const home = { ...host.deps.home, validationWorktree };
    await expect(cleaned(host, { home, isOpen: async () => false })).rejects.toThrow('killed');

    await cleaned(host, { isOpen: async () => false });

    for (const name of [NAME, OTHER]) expect(leftOf(host, name)).toEqual(NOTHING);
  });

  itWhere(canMount(), 'no right to mount a tmpfs')(
    'has no mark of its set-up any more where its checkout could not be removed whole',
    async () => {
      const host = await aHostOfQueues();
      const mark = join(host.stateOf(NAME), 'validation-setup.json');
      writeFileSync(mark, '{}');
      const busy = join(host.checkoutOf(NAME), 'busy');
      mkdirSync(busy);
      execFileSync('mount', ['-t', 'tmpfs', 'none', busy]);
      try {
        await expect(cleaned(host, { isOpen: async () => false })).rejects.toThrow('EBUSY');
      } finally {
        execFileSync('umount', ['--lazy', busy]);
      }

      expect(existsSync(mark)).toBe(false);
    },
  );
});

/** What lands of a run that ended without an answer: what its host kept, or what a person mended of that, by real git. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLandEntry } from '../../../activities/landing/land-entry.js';
import { headRefOf } from '../../../protocol/names.js';
import { git, removeFolders } from '../git/repository-fixture.js';
import { openHost } from '../run/opened-host.js';

afterEach(removeFolders);

describe('a run that ended without an answer', () => {
  it('lands as a person named it: what is kept of it, or what was mended of that on its branch, and nothing else', async () => {
    const checks = { commands: [], timeoutMs: 60_000, baseFailures: 'fix', onFailure: 'fix' } as const;
    const host = await openHost({
      files: { 'a.txt': 'one\n' },
      policy: { checks: { validation: checks, landing: checks } },
    });
    const { repository, repoKey, runId, branch } = host.run.record;
    const at = (...args: readonly string[]) => git(repository.root, ...args).trim();
    const head = await host.change({ 'a.txt': 'two\n' });
    at('update-ref', headRefOf(runId), head);
    at('checkout', '-q', '--detach');
    const mended = at('commit-tree', `${head}^{tree}`, '-p', head, '-m', 'mended');
    at('update-ref', `refs/heads/${branch}`, mended);
    const stranger = at('commit-tree', `${head}^{tree}`, '-p', head, '-m', 'of nobody');
    const act = createLandEntry({
      ...host.deps,
      environment: process.env,
      readAnswer: async () => ({ kind: 'none', host: null }),
    });
    const land = (seq: number, named: string | null) => {
      const entry = { id: `landing:first/exec/${runId}/1`, runId, repoKey, pull: null, head: named, anyway: false };
      const place = { runId: '@0123456789abcdef', seq, token: randomUUID() };
      const queue = { repoKey, branch: 'main' };
      return host.act(() => act({ place, queue, owner: 'queue-1', entry, chain: null, evidence: [] }));
    };

    expect(await land(1, null)).toMatchObject({ landed: { kind: 'exhausted', reason: 'refused' } });
    expect(await land(2, stranger)).toMatchObject({ landed: { kind: 'exhausted', reason: 'refused' } });
    expect(await land(3, mended)).toMatchObject({ landed: { kind: 'merged' } });
    expect(at('merge-base', 'main', mended)).toBe(mended);
  });
});

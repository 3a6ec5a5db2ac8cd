import { afterEach, describe, expect, it } from '@jest/globals';
import { checkChange } from '../../../activities/checks/check-change.js';
import type { TurnOnHost } from '../../../activities/unit/turn-on-host.js';
import { openRun, removeFolders, write } from '../git/repository-fixture.js';

/** The change of an executing turn that wrote these files, under a policy that guards AGENTS.md and blocks `*.pem`. */
async function checkedChange(...paths: readonly string[]) {
  const run = await openRun();
  for (const path of paths) write(run.worktree, path, 'text\n');
  const planned = await run.run.plan({
    expectedHead: run.base,
    claimedAt: '2020-01-01T00:00:00.000Z',
    subject: 'executing',
    body: '',
  });
  if (planned === null) throw new Error('nothing planned');
  const record = { worktree: run.worktree, policy: { block: ['*.pem'], guardedPaths: ['**/AGENTS.md'] } };
  const input = { stage: 'executing', place: { runId: 'project-1', seq: 3, token: 't' }, expectedHead: run.base };
  // All that the check reads; a whole context needs a guard and a server.
  return checkChange({ run: { record }, input, git: run.run } as unknown as TurnOnHost, planned);
}

afterEach(removeFolders);

describe('a change', () => {
  it('that touches nothing of that kind is done, with its size', async () => {
    expect(await checkedChange('a.txt', 'b.txt')).toEqual({
      outcome: { kind: 'done' },
      observations: [],
      size: { files: 2, added: 2, deleted: 0 },
    });
  });

  it('that touches guarded paths stands, and names them', async () => {
    expect(await checkedChange('a.txt', 'AGENTS.md')).toMatchObject({
      outcome: { kind: 'guarded_paths', paths: ['AGENTS.md'], why: expect.stringContaining('a person must look') },
      observations: [],
    });
  });

  it('that touches many guarded paths says how many, and that not all of them are listed', async () => {
    const paths = Array.from({ length: 13 }, (_, n) => `a${10 + n}/AGENTS.md`);

    const { outcome } = await checkedChange(...paths);

    expect(outcome).toMatchObject({
      kind: 'guarded_paths',
      why: expect.stringMatching(/^the change touches 13 guarded path\(s\): .*, … and 4 more\. The commit/),
      paths: [...paths.slice(0, 9), '… and 4 more'],
    });
  });

  it('that a block rule hits is a violation, guarded or not', async () => {
    expect(await checkedChange('AGENTS.md', 'key.pem')).toMatchObject({
      outcome: { kind: 'policy_violation' },
      observations: [{ type: 'policy.violation', data: { stage: 'executing', seq: 3, paths: ['key.pem'] } }],
    });
  });
});

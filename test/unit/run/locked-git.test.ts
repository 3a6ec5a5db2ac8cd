/** Agents and checks that take from themselves, and so from their owner, the right to read or write what the engine must put in order: no end of the run waits for it. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixtureWith } from '../../support/test-repository.js';
import { removeFolders } from '../git/repository-fixture.js';
import {
  adminDirOf,
  aHostWithSubmodule,
  lookAsPerson,
  plant,
  STAGES,
  violations,
  worktreeOf,
} from './planting-host.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

let host: RewindHost;

beforeAll(async () => {
  host = await aHostWithSubmodule();
});
afterAll(() => {
  host.close();
  removeFolders();
});

let runs = 0;

function aRun(of: RewindHost = host): Promise<DrivenRun> {
  runs += 1;
  return of.start(`run-${runs}`);
}

/** What root may do the system refuses to an ordinary user, who owns all of it. */
async function asOrdinaryUser<T>(of: RewindHost, work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  const own = (user: number) => execFileSync('chown', ['-R', `${user}:${user}`, dirname(of.deps.home.root)]);
  own(65534);
  process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    own(0);
  }
}

describe('what an agent took from itself and its owner', () => {
  const SAID = [expect.stringMatching(/^.+$/)];

  it.each([
    ['the rights on the worktree', ({ worktree }: Places) => chmodSync(worktree, 0), []],
    [
      'the .git file and the rights on the worktree',
      ({ worktree }: Places) => {
        rmSync(join(worktree, '.git'));
        chmodSync(worktree, 0o555);
      },
      SAID,
    ],
    ['the rights on the .git file', ({ worktree }: Places) => chmodSync(join(worktree, '.git'), 0), SAID],
    [
      "the rights on the worktree's git dir, with another commondir",
      ({ admin }: Places) => {
        writeFileSync(join(admin, 'commondir'), '/elsewhere\n');
        chmodSync(admin, 0o555);
      },
      SAID,
    ],
    ['the rights on gitdir', ({ admin }: Places) => chmodSync(join(admin, 'gitdir'), 0), SAID],
    ['a gitdir that can be read', ({ admin }: Places) => truncateSync(join(admin, 'gitdir'), 2 ** 31), SAID],
    ['the rights on HEAD', ({ admin }: Places) => chmodSync(join(admin, 'HEAD'), 0), SAID],
    ['an index that can be read', ({ admin }: Places) => truncateSync(join(admin, 'index'), 2 ** 30), SAID],
    ["an index of the engine's that can be read", ({ git }: Places) => truncateSync(join(git, 'index'), 2 ** 30), []],
    ["an index of the engine's that is whole", ({ git }: Places) => truncateSync(join(git, 'index'), 100), []],
    [
      "an index of the engine's that is a file",
      ({ git }: Places) => {
        rmSync(join(git, 'index'));
        execFileSync('mkfifo', [join(git, 'index')]);
      },
      [],
    ],
    [
      'an index of its own that can be read, and the one of the engine',
      ({ admin, git }: Places) => {
        for (const path of [join(admin, 'index'), join(git, 'index')]) rmSync(path);
        execFileSync('mkfifo', [join(admin, 'index')]);
      },
      SAID,
    ],
    [
      'a note of the first config that is whole',
      ({ git }: Places) => writeFileSync(join(git, 'worktree-config.json'), '"[co'),
      [],
    ],
  ])('holds up no end of the run: %s', async (_what, take, said) => {
    const run = await aRun();
    take({ worktree: worktreeOf(run), admin: adminDirOf(host, run), git: join(run.stateDir, 'git') });

    const { observations } = await asOrdinaryUser(host, () => run.close('aborted'));

    expect(violations(observations)).toEqual(said);
    expect(lookAsPerson(run)).toContain(`## sluice/${run.runId}`);
  });

  it('is told of a few, whatever number there is', async () => {
    const run = await aRun();
    const entries = Array.from({ length: 30 }, (_, n) => {
      mkdirSync(join(worktreeOf(run), `s${n}/.git`), { recursive: true });
      return `160000 ${run.head}\ts${n}\n`;
    });
    execFileSync('git', ['update-index', '--index-info'], { cwd: worktreeOf(run), input: entries.join('') });

    const { observations } = await run.close('aborted');

    expect(violations(observations)).toHaveLength(21);
    expect(violations(observations).at(-1)).toBe('… and more of the kind');
  });

  it('is told where it cannot be given back, and the run ends', async () => {
    const run = await aRun();
    plant(run);
    const admin = adminDirOf(host, run);
    execFileSync('/bin/sh', ['-c', `mv '${admin}' '${admin}/../../moved' && ln -s ../moved '${admin}'`]);

    const { observations } = await asOrdinaryUser(host, () => run.close('aborted'));

    expect(violations(observations)).toContainEqual(
      expect.stringContaining("the worktree's own git could not be put in order: "),
    );
  });

  it.each([
    ['its git', 'chmod 555 .git'],
    ['a folder of its git', 'chmod 000 .git/objects/info'],
    ['the checkout', 'chmod 555 .'],
    ['a git of another shape', 'rm -r .git/objects; chmod 555 .git'],
  ])('holds up no validation and no end where a check locks %s', async (_what, line) => {
    const locking = await aRewindHost({
      fixture: fixtureWith(STAGES),
      config: `validation:\n  commands: [${JSON.stringify(`${line}; false`)}]\n`,
    });
    try {
      const run = await aRun(locking);
      // Moved to the base too, whose checkout is made where the first one was locked.
      run.head = (await run.runTurn(run.turnInput('executing', { round: 2 }))).head;

      await asOrdinaryUser(locking, async () => {
        await run.validate();
        await run.close('aborted');
      });

      expect(existsSync(join(`${worktreeOf(run)}+validation`, '.git'))).toBe(false);
    } finally {
      locking.close();
    }
  });
});

interface Places {
  readonly worktree: string;
  readonly admin: string;
  /** The private git dir. */
  readonly git: string;
}

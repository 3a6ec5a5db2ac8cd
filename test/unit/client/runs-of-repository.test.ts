/** Which runs and tasks are meant without a name: those of the repository that one stands in, in a linked worktree too, and of no other where something is changed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ListedItem } from '../../../client/calls/backlog-calls.js';
import type { ListedRun } from '../../../client/calls/listed-run.js';
import { clean } from '../../../client/cli/commands/clean.js';
import { land } from '../../../client/cli/commands/land.js';
import { rewind } from '../../../client/cli/commands/rewind.js';
import { itemsHere } from '../../../client/cli/find/find-item.js';
import { findRun, runsOfRepository } from '../../../client/cli/find/find-run.js';
import { findMeantRun } from '../../../client/cli/find/meant-run.js';
import type { Connected } from '../../../client/cli/server/connect.js';
import type { Sluice } from '../../../client/sluice.js';
import { aListedRun, aView } from '../../support/gate-builder.js';
import { tempFolders } from '../../support/temp-folder.js';
import { git, makeRepository } from '../git/repository-fixture.js';
import { openTerminal } from './fake-io.js';

const freshFolder = tempFolders();
let repository: string;
/** Of the same repository, as the one that a run has. */
let worktree: string;

beforeEach(() => {
  const folder = freshFolder();
  repository = makeRepository(undefined, join(folder, 'shop'));
  worktree = join(folder, 'worktrees', 'shop-1');
  git(repository, 'worktree', 'add', '--quiet', '--detach', worktree);
});

const standingIn = (cwd: string) => {
  const terminal = openTerminal({ cwd, env: {}, interactive: false });
  return { ...terminal, context: { ...terminal.context, home: freshFolder() } };
};

/** Knows these runs; whatever changes one is told to `changed`. */
function aServer(runs: readonly ListedRun[]) {
  const changed: string[] = [];
  const note = (what: string) => async () => {
    changed.push(what);
    throw new Error(`${what} was asked for`);
  };
  const part: Partial<Sluice> = {
    list: async () => runs,
    landings: async () => [],
    landing: async () => null,
    status: async (workflowId) => {
      const run = runs.find((each) => each.workflowId === workflowId);
      const ended = { outcome: 'merge_ready', host: 'host-1', baseSha: 'base', headSha: 'base' } as const;
      return aView({ runId: workflowId, workflowId, repo: run?.repo ?? '', worktree: freshFolder(), ...ended });
    },
    cleanRun: note('clean'),
    land: note('land'),
    startRun: note('start'),
    [Symbol.asyncDispose]: async () => {},
  };
  const sluice = part as Sluice; // No more is asked for here.
  const connected: Connected = { sluice, engine: null, [Symbol.asyncDispose]: async () => {} };
  return { sluice, connected, changed };
}

const READY = { status: 'merge_ready', closedAt: '2026-11-21T11:00:00.000Z' } as const;

describe('in a linked worktree, such as the one of a run', () => {
  it('the runs of its repository are meant, and no newer one of another', async () => {
    const own = aListedRun('own', { repo: repository });
    const other = aListedRun('other', { repo: '/other', startedAt: '2026-11-22T10:00:00.000Z' });
    const { sluice } = aServer([other, own]);
    const { context } = standingIn(worktree);

    expect((await findRun(context, sluice, null)).runId).toBe('own');
    expect(
      (
        await runsOfRepository(
          context,
          [other, own].map((run) => ({ ...run, runDir: null })),
        )
      ).length,
    ).toBe(1);
    expect((await findMeantRun(context, sluice, { asked: null, meant: 'open' })).runId).toBe('own');
  });

  it('those that began in it are meant too', async () => {
    const { sluice } = aServer([aListedRun('other', { repo: '/other' }), aListedRun('own', { repo: worktree })]);

    expect((await findRun(standingIn(worktree).context, sluice, null)).runId).toBe('own');
  });

  it('the run folders of its repository are looked at, whether a list knows it or not', async () => {
    const runDir = join(repository, '.sluice/runs/shop-1');
    mkdirSync(runDir, { recursive: true });
    writeFileSync(join(runDir, 'state.json'), JSON.stringify(aView({ repo: repository })));

    expect(await findRun(standingIn(worktree).context, null, null)).toMatchObject({ runId: 'shop-1', runDir });
  });

  it('the tasks of its repository are listed, and no other', async () => {
    const items = [{ id: '1', repo: repository } as ListedItem, { id: '2', repo: '/other' } as ListedItem];

    const here = await itemsHere(standingIn(worktree).context, { items: async () => items });

    expect(here.map(({ id }) => id)).toEqual(['1']);
  });
});

describe('in a repository without runs', () => {
  const other = () => aServer([aListedRun('other', { ...READY, repo: '/other' })]);

  it('clean without a name removes nothing of another', async () => {
    const { connected, changed } = other();
    const { context, out } = standingIn(repository);
    const options = { runs: [], all: false, giveUp: false, yes: true, dryRun: false };

    expect(await clean(context, options, async () => connected.sluice)).toBe(0);

    expect(changed).toEqual([]);
    expect(out).toEqual([expect.stringContaining('Nothing to remove')]);
  });

  it('land without a name lands no run of another', async () => {
    const { connected, changed } = other();
    const options = { runs: [], updateCheckout: false, wait: false };

    const landing = land(standingIn(repository).context, options, async () => connected);

    await expect(landing).rejects.toThrow('no run of this repository can land');
    expect(changed).toEqual([]);
  });

  it('@last means no run of another, whatever is to be done with it', async () => {
    const { sluice } = other();
    const { context } = standingIn(repository);

    await expect(findRun(context, sluice, '@last')).rejects.toThrow('there is no run of this repository');
    expect((await findRun(context, sluice, null)).runId).toBe('other');
    expect((await findRun(standingIn(freshFolder()).context, sluice, '@last')).runId).toBe('other');
  });

  it.each([null, '@last'])('rewind of %s starts from no run of another', async (run) => {
    const { connected, changed } = other();

    const rewinding = rewind(standingIn(repository).context, { run, detach: true }, async () => connected);

    await expect(rewinding).rejects.toThrow('there is no closed run here');
    expect(changed).toEqual([]);
  });
});

describe('clean outside of any repository', () => {
  const cleaning = (all: boolean, runs: readonly string[] = []) => {
    const { connected, changed } = aServer([aListedRun('other', { ...READY, repo: '/other' })]);
    const { context } = standingIn(freshFolder());
    const options = { runs, all, giveUp: false, yes: true, dryRun: false };
    return { code: clean(context, options, async () => connected.sluice), changed };
  };

  it.each([[[]], [['@last']]])('removes nothing of %j unless it is told to by --all', async (runs) => {
    const { code, changed } = cleaning(false, runs);

    await expect(code).rejects.toMatchObject({
      parts: { what: expect.stringContaining('there is no repository around '), mend: expect.stringMatching(/--all/) },
    });
    expect(changed).toEqual([]);
    const everywhere = cleaning(true);
    await everywhere.code;
    expect(everywhere.changed).toEqual(['clean']);
  });
});

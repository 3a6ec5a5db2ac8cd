/** A later run of an item goes on in the worktree of the one before it, on its branch, with every commit. */
import { execSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ItemStore } from '../../../activities/admission/number-item.js';
import { createCleanRun } from '../../../activities/closing/clean-run.js';
import { findRepository, repoKeyOf } from '../../../activities/git/refs/find-repository.js';
import { readOwner } from '../../../activities/git/worktree/owner-mark.js';
import { noteLanded } from '../../../activities/unit/landed-mark.js';
import { readProgress } from '../../../activities/unit/stage-progress.js';
import { NO_QUEUE, tipRefOf } from '../../../protocol/actors/merge-queue.js';
import type { FailpointName } from '../../../protocol/failpoints.js';
import type { RunInput } from '../../../protocol/messages/messages.js';
import { landingId } from '../../../protocol/names.js';
import type { TurnStage } from '../../../protocol/run/stages.js';
import { fixtureWith } from '../../support/test-repository.js';
import { aRewindHost, type DrivenRun, type RewindHost } from './rewind-host.js';

const CONFIG = 'rounds: 1\nvalidation:\n  commands: ["true"]\n';
const STAGES = {
  executing: { append: { 'a.txt': 'changed\n' }, text: 'Done.' },
  fixing: { append: { 'a.txt': 'fixed\n' }, text: 'Fixed.' },
};

const hosts: RewindHost[] = [];

afterEach(() => {
  for (const host of hosts.splice(0)) host.close();
});

interface Item {
  readonly host: RewindHost;
  readonly input: Partial<RunInput>;
  first(): Promise<DrivenRun>;
  next(n?: number): Promise<DrivenRun>;
}

async function anItem(task = 'Fix the parser of the shop', config = CONFIG): Promise<Item> {
  const host = await aRewindHost({ config, fixture: fixtureWith(STAGES) });
  hosts.push(host);
  const { commonDir } = await findRepository(host.repository.path);
  const repoKey = repoKeyOf(host.deps.hostId, commonDir);
  const record = {
    version: 1 as const,
    key: 'k',
    project: 'shop',
    run: { task },
    priority: 0,
    gate: null,
    kind: 'change' as const,
    dependsOn: [],
    files: [],
    admission: null,
    createdAt: '2026-11-21T10:00:00.000Z',
    by: null,
  };
  const { id, hash } = (await ItemStore.open(host.deps.home.itemsDir(repoKey), host.deps)).add(record, 0);
  const input = { task, item: { id, hash }, owner: `item:shop/${id}` };
  return {
    host,
    input,
    first: () => host.start(`shop-${id}`, input),
    next: (n = 2) => host.start(`shop-${id}.${n}`, input),
  };
}

/** Executed once, and stopped. */
async function stopped(item: Item, before: readonly TurnStage[] = []): Promise<DrivenRun> {
  const run = await item.first();
  for (const stage of [...before, 'executing' as const]) await run.turn(stage);
  await run.close('aborted');
  return run;
}

const refusalOf = (opening: Promise<unknown>) =>
  opening.then(
    () => 'opened',
    (error: unknown) => error as { message: string; type: string },
  );

/** What a person is told to type, each of the ways. */
function commandsOf(refusal: unknown): readonly string[] {
  const [, mend = ''] = String((refusal as { message: string }).message).split('Bring it back: ');
  return mend.split(/\s+or, without what is on it now: /);
}

/** A link that waits for main to be free, of the run that is named; answers it. */
function chainOf({ host }: Item, runId = 'shop-7'): string {
  const link = host.repository.git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'a link').trim();
  host.queue = { links: [{ owner: landingId(runId), commit: link }], others: [] };
  return link;
}

const headOf = ({ host }: Item, { opened }: DrivenRun) => host.repository.git('rev-parse', opened.branch).trim();

describe('the first run of an item', () => {
  it('has a branch by number and words, below the prefix of the config, and another where that is taken', async () => {
    const item = await anItem();
    const skep = await anItem('It is so', `${CONFIG}branch:\n  prefix: skep/\n`);
    const taken = await anItem();
    taken.host.repository.git('branch', 'sluice/task-1-fix-parser-shop');

    expect((await item.first()).opened.branch).toBe('sluice/task-1-fix-parser-shop');
    expect((await skep.first()).opened.branch).toBe('skep/task-1');
    expect((await taken.first()).opened.branch).toBe('sluice/task-1-fix-parser-shop-2');
  });

  it('begins behind what is ready in the chain of its base, unless the config says otherwise or the base is elsewhere by now', async () => {
    const [tip, base, moved] = [await anItem(), await anItem('x', `${CONFIG}backlog:\n  from: base\n`), await anItem()];
    const chained = [tip, base, moved].map((item) => chainOf(item));
    moved.host.repository.git('commit', '-q', '--allow-empty', '-m', 'mine');
    const main = (item: Item) => item.host.repository.git('rev-parse', 'main').trim();

    expect((await tip.first()).opened).toMatchObject({ baseSha: chained[0], baseBranch: 'main' });
    expect((await base.first()).opened.baseSha).toBe(main(base));
    expect((await moved.first()).opened.baseSha).toBe(main(moved));
  });

  it('begins behind nothing that the queue has not, whatever its ref says', async () => {
    const item = await anItem();
    const { repository } = item.host;
    const link = chainOf(item);
    repository.git('update-ref', tipRefOf({ repoKey: 'any', branch: 'main' }), link);
    item.host.queue = NO_QUEUE;

    expect((await item.first()).opened.baseSha).toBe(repository.git('rev-parse', 'main').trim());
  });

  it('begins behind every change that it depends on: it waits while one is merged anew, and is refused where one was given up', async () => {
    const item = await anItem();
    const { host, input } = item;
    const behind = (runId: string) => ({ ...input, item: { ...input.item, behind: [runId] } }) as Partial<RunInput>;
    const open = (runId: string) => refusalOf(host.start('shop-1', behind(runId)));
    const link = chainOf(item);

    expect(await open('shop-8')).toMatchObject({ type: 'BadInput', message: expect.stringContaining('shop-8') });
    host.queue = { ...host.queue, others: [landingId('shop-8')] };
    expect(await open('shop-8')).toMatchObject({ nonRetryable: false, nextRetryDelay: 5_000 });
    // The base moved, and the queue has not heard of it.
    host.repository.git('commit', '-q', '--allow-empty', '-m', 'mine');
    expect(await open('shop-7')).toMatchObject({ nonRetryable: false, nextRetryDelay: 5_000 });
    const anew = chainOf(item);
    expect(anew).not.toBe(link);
    const { opened } = await host.start('shop-1', behind('shop-7'));
    expect(opened.baseSha).toBe(anew);
  });

  it('begins at its base where what it depends on has landed there meanwhile', async () => {
    const item = await anItem();
    const { host, input } = item;
    const main = host.repository.git('rev-parse', 'main').trim();
    const { commonDir } = await findRepository(host.repository.path);
    const repoKey = repoKeyOf(host.deps.hostId, commonDir);
    const stateDir = host.deps.home.stateDir(repoKey, 'shop-7');
    mkdirSync(stateDir, { recursive: true });
    noteLanded(stateDir, { head: main, commit: main, base: { repoKey, branch: 'main' } }, 'process');

    const { opened } = await host.start('shop-1', {
      ...input,
      item: { id: input.item?.id ?? '', hash: input.item?.hash ?? '', behind: ['shop-7'] },
    });

    expect(opened.baseSha).toBe(main);
  });
});

describe('a later run of an item', () => {
  it('takes branch and worktree over at the tip, begins where the former ended, and has its plan', async () => {
    const item = await anItem();
    const former = await stopped(item, ['planning', 'architecting']);

    const run = await item.next();

    const { worktree, branch, baseSha, resumed } = run.opened;
    expect({ worktree, branch, baseSha }).toEqual({
      worktree: former.opened.worktree,
      branch: former.opened.branch,
      baseSha: former.opened.baseSha,
    });
    expect(resumed).toMatchObject({
      sourceRunId: 'shop-1',
      fromStage: 'validating',
      commit: former.head,
      wroteCode: true,
      approved: false,
      context: { plan: former.context.plan, architecture: former.context.architecture },
    });
    expect(headOf(item, run)).toBe(former.head);
    await run.validate();
    run.round = 1;
    await run.turn('fixing');
    expect(item.host.repository.git('log', '--format=%s', `${baseSha}..${branch}`).trim().split('\n')).toHaveLength(2);
  });

  it('ends whatever lives of the former before it takes its worktree over', async () => {
    const item = await anItem();
    const former = await stopped(item);
    const ended: unknown[] = [];
    Object.assign(item.host.deps.processes, {
      endGroup: async (group: string) => ended.push([group, await readOwner(former.opened.worktree)]),
    });

    await item.next();

    expect(ended).toMatchObject([[`${former.opened.repoKey}/shop-1`, { owner: 'chain-shop-1' }]]);
  });

  it('keeps the commits of a person, and what the former had found is of another commit then', async () => {
    const item = await anItem();
    const former = await stopped(item);
    const { worktree } = former.opened;
    writeFileSync(join(worktree, 'mine.txt'), 'mine\n');
    item.host.repository.git('-C', worktree, 'add', 'mine.txt');
    item.host.repository.git('-C', worktree, '-c', 'user.name=p', '-c', 'user.email=p@x', 'commit', '-qm', 'mine');
    const tip = headOf(item, former);

    const run = await item.next();

    expect(run.opened.resumed).toMatchObject({ commit: tip, approved: false });
    expect(existsSync(join(worktree, 'mine.txt'))).toBe(true);
    expect(headOf(item, run)).toBe(tip);
  });

  it('moves aside what a person left uncommitted, and says where to', async () => {
    const item = await anItem();
    const former = await stopped(item);
    const { worktree } = former.opened;
    writeFileSync(join(worktree, 'half.txt'), 'half\n');

    const { opened } = await item.next();

    const found = readdirSync(dirname(worktree)).find((name) => name.includes('.found-')) ?? '';
    expect(readFileSync(join(dirname(worktree), found, 'half.txt'), 'utf8')).toBe('half\n');
    expect(opened.observations.map(({ message }) => message)).toContain(
      `somebody changed half.txt in the worktree before run shop-1.2 took it over; it was moved to ${found} beside the worktree`,
    );
    expect(item.host.repository.git('-C', worktree, 'status', '--porcelain')).toBe('');
  });

  it('makes both again where they are gone', async () => {
    const item = await anItem();
    const former = await stopped(item);
    const { worktree, branch } = former.opened;
    item.host.repository.git('worktree', 'remove', '--force', worktree);
    item.host.repository.git('branch', '-D', branch);

    const run = await item.next();

    expect(headOf(item, run)).toBe(former.head);
    expect(readFileSync(join(worktree, 'a.txt'), 'utf8')).toContain('changed');
  });

  it('is refused where the branch has lost the commits of the former, and changes nothing', async () => {
    const item = await anItem();
    const former = await stopped(item);
    const { worktree, baseSha } = former.opened;
    item.host.repository.git('-C', worktree, 'reset', '-q', '--hard', baseSha);

    const refusal = await refusalOf(item.next());

    expect(refusal).toMatchObject({ type: 'RepositoryChanged' });
    expect(await readOwner(worktree)).toMatchObject({ owner: 'chain-shop-1' });
    for (const [n, command] of commandsOf(refusal).entries()) {
      item.host.repository.git('-C', worktree, 'reset', '-q', '--hard', baseSha);
      execSync(command, { stdio: 'pipe' });
      expect([n, headOf(item, former)]).toEqual([n, former.head]);
    }
    expect((await item.next(3)).opened.resumed?.sourceRunId).toBe('shop-1');
  });

  it('is refused where the branch has lost commits and the worktree is gone, and says what brings them back', async () => {
    const item = await anItem();
    const former = await stopped(item);
    const { worktree, branch, baseSha } = former.opened;
    item.host.repository.git('-C', worktree, 'reset', '-q', '--hard', baseSha);
    rmSync(worktree, { recursive: true });

    const [command = '', ...others] = commandsOf(await refusalOf(item.next()));
    execSync(command, { stdio: 'pipe' });

    expect(others).toEqual([]);
    expect(item.host.repository.git('rev-parse', branch).trim()).toBe(former.head);
    expect((await item.next(3)).opened.resumed).toMatchObject({ sourceRunId: 'shop-1', commit: former.head });
  });

  it('is refused while the former is open', async () => {
    const item = await anItem();
    await stopped(item);
    const isOpen = async (id: string) => id === 'shop-1';

    const refusal = await refusalOf(item.next());
    Object.assign(item.host.deps, { isOpen });
    const open = await refusalOf(item.next(3));

    expect(refusal).toBe('opened');
    expect(open).toBe('opened');
    Object.assign(item.host.deps, { isOpen: async (id: string) => id === 'shop-1.3' });
    expect(await refusalOf(item.next(4))).toMatchObject({ type: 'BadInput' });
  });

  it.each<FailpointName>(['take-over.after-end', 'take-over.after-mark', 'take-over.after-aside', 'open.after-claim'])(
    'is killed at %s, and taken over by its next attempt all the same',
    async (failpoint) => {
      const item = await anItem();
      const former = await stopped(item);
      writeFileSync(join(former.opened.worktree, 'half.txt'), 'half\n');
      item.host.armed = failpoint;
      const input = item.host.openInput('shop-1.2', item.input);
      await expect(item.host.open(input)).rejects.toThrow(`killed at ${failpoint}`);

      const opened = await item.host.open(input);

      expect(opened.resumed).toMatchObject({ commit: former.head, sourceRunId: 'shop-1' });
      expect(await readOwner(former.opened.worktree)).toMatchObject({ owner: 'chain-shop-1-2' });
      expect(item.host.repository.git('-C', former.opened.worktree, 'status', '--porcelain')).toBe('');
      expect(readdirSync(dirname(former.opened.worktree)).filter((name) => name.includes('.found-'))).toHaveLength(1);
    },
  );

  it('goes on from the run before where the former died before it had the worktree', async () => {
    const item = await anItem();
    const first = await stopped(item);
    item.host.armed = 'open.after-claim';
    await expect(item.next()).rejects.toThrow('killed at open.after-claim');

    const third = await item.next(3);

    expect(third.opened).toMatchObject({ worktree: first.opened.worktree, resumed: { sourceRunId: 'shop-1' } });
    expect(await readOwner(first.opened.worktree)).toMatchObject({ owner: 'chain-shop-1-3' });
  });

  it('takes no commit off the branch that a person made while it was being opened; the next run begins there', async () => {
    const item = await anItem();
    const { worktree } = (await stopped(item)).opened;
    item.host.armed = 'take-over.after-mark';
    const input = item.host.openInput('shop-1.2', item.input);
    await expect(item.host.open(input)).rejects.toThrow('killed at take-over.after-mark');
    writeFileSync(join(worktree, 'mine.txt'), 'mine\n');
    item.host.repository.git('-C', worktree, 'add', 'mine.txt');
    item.host.repository.git('-C', worktree, '-c', 'user.name=p', '-c', 'user.email=p@x', 'commit', '-qm', 'mine');
    const tip = item.host.repository.git('-C', worktree, 'rev-parse', 'HEAD').trim();

    expect(await refusalOf(item.host.open(input))).toMatchObject({ type: 'RepositoryChanged' });
    const third = await item.next(3);

    expect(third.opened.resumed?.commit).toBe(tip);
    expect(readFileSync(join(worktree, 'mine.txt'), 'utf8')).toBe('mine\n');
  });

  it('begins anew where a person cleaned the former away', async () => {
    const item = await anItem();
    const former = await stopped(item);
    const run = { runId: 'shop-1', repoKey: former.opened.repoKey };
    await new MockActivityEnvironment().run(createCleanRun(item.host.deps), { hostId: 'host-1', run, giveUp: true });

    const { opened } = await item.next();

    expect(opened).toMatchObject({ resumed: null, branch: 'sluice/task-1-fix-parser-shop' });
    expect(opened.worktree).not.toBe(former.opened.worktree);
  });

  it('goes on from the last of them that was opened', async () => {
    const item = await anItem();
    await stopped(item);
    const second = await item.next();
    await second.close('aborted');

    const fourth = await item.next(4);

    expect(fourth.opened.resumed?.sourceRunId).toBe('shop-1.2');
    expect(fourth.opened.worktree).toBe(second.opened.worktree);
  });
});

describe('the former run, once a later one works in its worktree', () => {
  it('starts nothing any more, and its late end leaves the worktree alone', async () => {
    const item = await anItem(
      undefined,
      `${CONFIG}worktree:\n  setup: ["mkdir -p node_modules && touch node_modules/x"]\n`,
    );
    const former = await stopped(item);
    const { worktree } = former.opened;
    writeFileSync(join(worktree, '.git', '..', '.gitignore'), 'node_modules\n', { flag: 'a' });
    await item.next();

    expect(await refusalOf(former.turn('fixing'))).toMatchObject({ type: 'RunExists' });
    expect(await refusalOf(former.validate())).toMatchObject({ type: 'RunExists' });
    await former.close('aborted');

    expect(await readOwner(worktree)).toMatchObject({ owner: 'chain-shop-1-2' });
    expect(readProgress(item.host.deps.home.stateDir(former.opened.repoKey, 'shop-1.2'))).not.toBeNull();
  });

  it('is cleaned without branch and worktree', async () => {
    const item = await anItem();
    const former = await stopped(item);
    const later = await item.next();
    const run = { runId: 'shop-1', repoKey: former.opened.repoKey };

    const cleaned = await new MockActivityEnvironment().run(createCleanRun(item.host.deps), {
      hostId: 'host-1',
      run,
      giveUp: false,
    });

    expect(cleaned).toMatchObject({ kind: 'cleaned' });
    expect(headOf(item, later)).toBe(former.head);
    expect(existsSync(join(later.opened.worktree, 'a.txt'))).toBe(true);
    expect(item.host.repository.git('for-each-ref', 'refs/sluice/shop-1/')).toBe('');
  });
});

/** What an ask looks at, and what of it the next ask of the repository takes over: real git in temp folders. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { askTree, changedInTree, letTreeGo, makeTree, removeTree } from '../../../activities/ask/ask-tree.js';
import { dropOldTree } from '../../../activities/ask/kept-trees.js';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { dropOwner } from '../../../activities/git/worktree/owner-mark.js';
import type { AskName } from '../../../protocol/run/admission-policy.js';
import { itWhere } from '../../support/it-where.js';
import { canMount, smallDisk } from '../../support/small-disk.js';
import { git, makeRepository, removeFolders, tempFolder, write } from '../git/repository-fixture.js';

afterEach(removeFolders);

const FILES = { 'a.txt': 'one\n', 'sub/b.txt': 'b\n', '.gitignore': 'built/\n' };

/** Planners of one repository. */
async function openPlanners() {
  const root = makeRepository(FILES);
  const repository = await findRepository(root);
  const home = tempFolder();
  const keptDir = join(home, 'trees');
  let baseSha = git(root, 'rev-parse', 'HEAD').trim();
  return {
    root,
    keptDir,
    kept: () => (existsSync(keptDir) ? readdirSync(keptDir) : []),
    commit(path: string, text: string) {
      write(root, path, text);
      git(root, 'add', '--all');
      git(root, 'commit', '--quiet', '--message', 'next');
      baseSha = git(root, 'rev-parse', 'HEAD').trim();
    },
    ask(id: string, ask: AskName = 'plan', owner = `owner-${id}`) {
      const stateDir = join(home, id);
      mkdirSync(stateDir, { recursive: true });
      const workplace = { owner, repository, checkout: askTree(stateDir) };
      const at = (path: string) => join(workplace.checkout, path);
      return {
        stateDir,
        tree: workplace.checkout,
        make: () => makeTree(workplace, { ask, baseSha, keptDir }),
        changed: () => changedInTree(workplace, ask),
        letGo: () => letTreeGo(workplace, { ask, keptDir }),
        remove: () => removeTree(workplace),
        dropMark: () => dropOwner(workplace.checkout),
        write: (path: string, text: string) => write(workplace.checkout, path, text),
        read: (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null),
        inode: (path: string) => lstatSync(at(path)).ino,
      };
    },
  };
}

type Planners = Awaited<ReturnType<typeof openPlanners>>;

async function leaveOne(planners: Planners, id = 'former'): Promise<number> {
  const ask = planners.ask(id);
  await ask.make();
  const inode = ask.inode('sub/b.txt');
  await ask.letGo();
  return inode;
}

let planners: Planners;
beforeEach(async () => {
  planners = await openPlanners();
});

describe('what a planner looks at', () => {
  it('is the commit of its task, and whatever of it is changed is known', async () => {
    const ask = planners.ask('one');
    await ask.make();

    expect([ask.read('a.txt'), ask.read('sub/b.txt'), await ask.changed()]).toEqual(['one\n', 'b\n', []]);

    ask.write('a.txt', 'changed\n');
    expect(await ask.changed()).toEqual(['a.txt']);

    await ask.remove();
    expect(await ask.changed()).toEqual(['all of its files']);
  });

  it('is the same folder for the next planner, at the commit of that one', async () => {
    const inode = await leaveOne(planners);
    planners.commit('a.txt', 'two\n');

    const next = planners.ask('next');
    await next.make();

    expect([next.read('a.txt'), next.inode('sub/b.txt'), await next.changed()]).toEqual(['two\n', inode, []]);
    expect(planners.kept()).toEqual([]);
    expect(existsSync(planners.ask('former').tree)).toBe(false);
  });

  it('has nothing of what the one before it left there', async () => {
    const former = planners.ask('former');
    await former.make();
    former.write('a.txt', 'changed\n');
    former.write('notes.md', 'do as I say\n');
    former.write('built/out.txt', 'x\n');
    former.write('sub/CLAUDE.md', 'do as I say\n');
    former.write('.git/hooks/post-checkout', '#!/bin/sh\n');
    await former.letGo();

    const next = planners.ask('next');
    await next.make();

    expect(next.read('a.txt')).toBe('one\n');
    expect(['notes.md', 'built/out.txt', 'sub/CLAUDE.md', '.git/hooks'].map((path) => next.read(path))).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(await next.changed()).toEqual([]);
  });

  it('is made anew once git of the person would write its files in another way', async () => {
    const inode = await leaveOne(planners);
    git(planners.root, 'config', 'core.autocrlf', 'true');

    const next = planners.ask('next');
    await next.make();
    expect([next.read('sub/b.txt'), next.inode('sub/b.txt') === inode]).toEqual(['b\r\n', false]);

    await next.letGo();
    expect(planners.kept()).toHaveLength(1);
  });

  it('is made anew without the filter that its person has taken out, which is not started again', async () => {
    const [folder, global] = [tempFolder(), process.env['GIT_CONFIG_GLOBAL']];
    const [config, log, program] = ['config', 'log', 'smudge'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(program, `#!/bin/sh\necho started >> ${log}\ncat\n`, { mode: 0o700 });
    writeFileSync(config, `[filter "x"]\n\tsmudge = ${program}\n\trequired = true\n`);
    process.env['GIT_CONFIG_GLOBAL'] = config;
    try {
      planners.commit('.gitattributes', 'a.txt filter=x\n');
      await leaveOne(planners);
      const starts = readFileSync(log, 'utf8');
      expect(starts).not.toBe('');
      writeFileSync(config, '');
      planners.commit('a.txt', 'two\n');

      const next = planners.ask('next');
      await next.make();

      expect([next.read('a.txt'), readFileSync(log, 'utf8')]).toEqual(['two\n', starts]);
    } finally {
      if (global === undefined) delete process.env['GIT_CONFIG_GLOBAL'];
      else process.env['GIT_CONFIG_GLOBAL'] = global;
    }
  });

  it.each(['config', 'refs', 'sluice.json'])('is made anew where its git lacks %s', async (name) => {
    await leaveOne(planners);
    const [kept = ''] = planners.kept();
    rmSync(join(planners.keptDir, kept, 'git', name), { recursive: true });
    planners.commit('a.txt', 'two\n');
    const next = planners.ask('next');

    await next.make();

    expect([next.read('a.txt'), await next.changed()]).toEqual(['two\n', []]);
  });

  it('is not taken from another who has begun it', async () => {
    const [ask, other] = [planners.ask('one'), planners.ask('one', 'plan', 'another')];
    await other.make();
    rmSync(join(dirname(other.tree), 'git'), { recursive: true });

    await expect(ask.make()).rejects.toThrow('is not this workflow');
    expect(other.read('a.txt')).toBe('one\n');
  });

  it('is each planner’s own, however many take one at once', async () => {
    await leaveOne(planners);

    const both = ['next', 'other'].map((id) => planners.ask(id));
    await Promise.all(both.map((ask) => ask.make()));

    expect(both.map((ask) => ask.read('a.txt'))).toEqual(['one\n', 'one\n']);
    both[0]?.write('a.txt', 'changed\n');
    expect(await both[1]?.changed()).toEqual([]);
  });

  it('is put in order where its taker was killed before it had said whose it is', async () => {
    await leaveOne(planners);
    planners.commit('a.txt', 'two\n');
    const next = planners.ask('next');
    await next.make();
    await next.dropMark();
    next.write('a.txt', 'changed\n');

    await next.make();

    expect([next.read('a.txt'), await next.changed()]).toEqual(['two\n', []]);
  });

  it('is nobody else’s where a repository was found in the place of its git, which the engine moved aside', async () => {
    const ask = planners.ask('one');
    await ask.make();
    rmSync(join(ask.tree, '.git'), { recursive: true });
    git(ask.tree, 'init', '--quiet');
    await ask.make();
    expect(readdirSync(dirname(ask.tree))).toHaveLength(4);

    await ask.letGo();

    expect([planners.kept(), readdirSync(ask.stateDir)]).toEqual([[], []]);
  });

  it('leaves nothing once it is removed, and is not left to others by who judges without it', async () => {
    const ask = planners.ask('one');
    await ask.make();
    await ask.remove();
    await ask.remove();
    const judge = planners.ask('judge', 'classify');
    await judge.make();
    expect(readdirSync(judge.tree)).toEqual([]);
    await judge.letGo();

    expect([planners.kept(), readdirSync(ask.stateDir), readdirSync(judge.stateDir)]).toEqual([[], [], []]);
  });
});

describe('what planners left', () => {
  itWhere(canMount(), 'no right to mount a tmpfs')('goes where it lies on a disk of its own', async () => {
    mkdirSync(planners.keptDir);
    const disk = smallDisk(planners.keptDir, { size: '1m' });
    try {
      const ask = planners.ask('one');
      await ask.make();
      await ask.letGo();

      expect([planners.kept(), readdirSync(ask.stateDir)]).toEqual([[], []]);
    } finally {
      disk.unmount();
    }
  });

  it('is as many checkouts as ask at once, and no more', async () => {
    const asks = Array.from({ length: 6 }, (_, n) => planners.ask(`ask-${n}`));
    for (const ask of asks) await ask.make();
    for (const ask of asks) await ask.letGo();

    expect(planners.kept()).toHaveLength(4);
    expect(asks.map((ask) => readdirSync(ask.stateDir))).toEqual(asks.map(() => []));
  });

  it('is no more to be had, nor counted, once it is being removed', async () => {
    for (const name of ['gone-0', 'gone-1', 'gone-2', 'gone-3'])
      mkdirSync(join(planners.keptDir, name), { recursive: true });

    await leaveOne(planners);

    expect(planners.kept().filter((name) => name.startsWith('gone-'))).toHaveLength(4);
    expect(planners.kept()).toHaveLength(5);
  });

  it('goes where nobody took it for a day, also what a removal that was killed left', async () => {
    await leaveOne(planners);
    mkdirSync(join(planners.keptDir, 'gone-0'));
    writeFileSync(join(planners.keptDir, 'gone-0', 'a.txt'), 'x');
    const drop = (since: number) =>
      Promise.all(planners.kept().map((name) => dropOldTree(join(planners.keptDir, name), since)));
    const hourAgo = Date.now() - 60 * 60_000;

    expect([await drop(hourAgo), planners.kept().length]).toEqual([[false, false], 2]);
    expect([await drop(hourAgo + 2 * 60 * 60_000), planners.kept()]).toEqual([[true, true], []]);
    expect(await dropOldTree(join(planners.keptDir, 'gone-0'), Date.now())).toBe(false);
  });
});

/** The sluice home: its paths, its rights, and files that several processes write at once. */

import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readCommand, storeCommand } from '../../../config/home/command-store.js';
import { ensureHome, homePaths, homeRoot, userConfigPath } from '../../../config/home/home.js';
import { readOrMakeHostId } from '../../../config/home/host-id.js';
import { addRepository, listRepositories, serves } from '../../../config/home/host-list.js';
import { listTrust, revokeTrust, trustConfig, trustOf } from '../../../config/home/trust.js';
import { shellWord } from '../../../protocol/text/shell-word.js';
import { itWhere } from '../../support/it-where.js';

const TOKEN = '0b0e7c52-5c0f-4a5e-9d3a-1f2e3d4c5b6a';
const PROGRAM = join(import.meta.dirname, 'programs/change-home.mjs');

let folder: string;
let home: string;
let repo: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-home-'));
  home = join(folder, 'home');
  repo = join(folder, 'répo "x" 🙂');
  mkdirSync(repo);
  ensureHome(home);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Starts all, waits until each is up, lets all go, answers their outputs. */
async function race(argLists: readonly (readonly string[])[], uid?: number): Promise<string[]> {
  const options = {
    stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  };
  const children = argLists.map((args) => spawn(process.execPath, [PROGRAM, ...args], options));
  const ends = children.map(
    (child) =>
      new Promise<string>((resolve, reject) => {
        let out = '';
        let err = '';
        child.stdout.on('data', (data: Buffer) => (out += data.toString()));
        child.stderr.on('data', (data: Buffer) => (err += data.toString()));
        child.on('close', (code) => (code === 0 ? resolve(out.replace('ready\n', '')) : reject(new Error(err))));
      }),
  );
  await Promise.all(
    children.map((child) => new Promise((resolve) => child.stdout.once('data', resolve).once('close', resolve))),
  );
  for (const child of children) child.stdin.write('go\n');
  return Promise.all(ends);
}

describe('homePaths', () => {
  it('lays out the home of the design', () => {
    const paths = homePaths('/h');

    expect(paths.worktree('abc', 'run-1')).toBe('/h/worktrees/abc/run-1');
    expect(paths.validationWorktree('abc', 'run-1')).toBe('/h/worktrees/abc/run-1+validation');
    expect(paths.stateDir('abc', 'run-1')).toBe('/h/state/abc/run-1');
    expect(paths.turnDir('abc', 'run-1', { seq: 3, token: TOKEN })).toBe(`/h/state/abc/run-1/turns/3-${TOKEN}`);
  });

  it.each([
    ['..', 'r'],
    ['a/../b', 'r'],
    ['a/b', 'r'],
    ['a/b/c', 'r'],
    ['', 'r'],
    ['abc', '../x'],
    ['abc', 'x.lock'],
    ['abc', '@'],
    ['abc', '@../../x'],
    ['abc', 'x'.repeat(81)],
  ])('refuses repository key %j with run id %j', (repoKey, runId) => {
    expect(() => homePaths('/h').stateDir(repoKey, runId)).toThrow('not a');
  });

  it('refuses a token that is no token', () => {
    expect(() => homePaths('/h').turnDir('abc', 'r', { seq: 1, token: '../../x' })).toThrow('not a place');
  });

  it('follows SLUICE_HOME and XDG_CONFIG_HOME', () => {
    expect(homeRoot({ SLUICE_HOME: '/a/b' })).toBe('/a/b');
    expect(homeRoot({ HOME: '/u' })).toBe('/u/.sluice');
    expect(userConfigPath({ HOME: '/u' })).toBe('/u/.config/sluice/config.yaml');
    expect(userConfigPath({ HOME: '/u', XDG_CONFIG_HOME: '/x' })).toBe('/x/sluice/config.yaml');
  });
});

describe('ensureHome', () => {
  it('makes every folder private, also one that was there', () => {
    chmodSync(home, 0o755);

    const { commandsDir, configsDir, root } = ensureHome(home);

    for (const path of [root, commandsDir, configsDir]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('refuses a file in its place and names SLUICE_HOME', () => {
    writeFileSync(join(folder, 'file'), '');

    expect(() => ensureHome(join(folder, 'file'))).toThrow(
      /sluice home .*file[\s\S]*must be a folder[\s\S]*Nothing was started[\s\S]*export SLUICE_HOME=/,
    );
  });

  it('refuses a link below the home', () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    symlinkSync(folder, join(other, 'commands'));

    expect(() => ensureHome(other)).toThrow('must be a folder, not a link');
  });
});

const NOBODY = 65_534;

// Nothing is refused to root: these start a process of an ordinary user, which only root can do.
describe('the home of an ordinary user', () => {
  const asUser = itWhere(process.getuid?.() === 0, 'only root can drop to another user');
  beforeEach(() => chmodSync(folder, 0o755));

  asUser(
    'is refused where it belongs to somebody else',
    async () => {
      await expect(race([['ensure', home]], NOBODY)).rejects.toThrow(
        /belongs to user 0, you are 65534[\s\S]*export SLUICE_HOME=/,
      );
    },
    120_000,
  );

  asUser(
    'is refused where it cannot be written',
    async () => {
      const own = join(folder, 'own');
      mkdirSync(own);
      chownSync(own, NOBODY, NOBODY);
      chmodSync(own, 0o500);

      await expect(race([['ensure', own]], NOBODY)).rejects.toThrow(
        /must be a folder that you can write in[\s\S]*Nothing was started/,
      );
    },
    120_000,
  );
});

describe('the host id', () => {
  it('is made once, by one of many processes', async () => {
    const ids = await race(Array.from({ length: 4 }, () => ['host-id', home]));

    expect(new Set(ids).size).toBe(1);
    expect(readOrMakeHostId(home)).toBe(ids[0]);
  }, 300_000);

  it('is never replaced when the file holds something else', () => {
    writeFileSync(homePaths(home).hostId, '../evil\n');

    expect(() => readOrMakeHostId(home)).toThrow('does not hold a host id');
  });
});

describe('trust', () => {
  it('keeps every entry when several processes write at once', async () => {
    const texts = (who: number) => Array.from({ length: 12 }, (_, n) => `agent: a${who}x${n}\n`);

    await race([0, 1, 2].map((who) => ['trust', home, repo, ...texts(who)]));

    expect(listTrust(home)).toHaveLength(36);
    expect(listRepositories(home)).toEqual([repo]);
    expect(readdirSync(home).filter((name) => /lock|tmp/.test(name))).toEqual([]);
  }, 300_000);

  it('is of one text in one repository, kept privately, and can be taken back', async () => {
    const hash = await trustConfig(home, repo, 'agent: a\n');
    await trustConfig(home, repo, 'agent: a\n');

    expect(listTrust(home)).toHaveLength(1);
    expect(trustOf(home, repo).isTrusted(hash)).toBe(true);
    expect(trustOf(home, repo).textOf(hash)).toBe('agent: a\n');
    expect(trustOf(home, folder).isTrusted(hash)).toBe(false);
    expect(statSync(homePaths(home).trust).mode & 0o777).toBe(0o600);
    expect(await revokeTrust(home, repo, hash)).toHaveLength(1);
    expect(trustOf(home, repo).isTrusted(hash)).toBe(false);
  });

  it('goes by the real path of the repository', async () => {
    const link = join(folder, 'link');
    symlinkSync(repo, link);

    const hash = await trustConfig(home, link, 'agent: a\n');

    expect(trustOf(home, repo).isTrusted(hash)).toBe(true);
  });

  it('does not use a kept text that somebody changed', async () => {
    const hash = await trustConfig(home, repo, 'agent: a\n');
    writeFileSync(join(homePaths(home).configsDir, `${hash}.yaml`), 'agent: evil\n');

    expect(trustOf(home, repo).textOf(hash)).toBeNull();
    expect(trustOf(home, repo).textOf('../../host-id')).toBeNull();
  });

  it.each(['{', '[]', '{"version":2,"trusted":[]}', ''])(
    'refuses garbage %j and leaves it as it is',
    async (garbage) => {
      const path = homePaths(home).trust;
      writeFileSync(path, garbage);

      expect(() => listTrust(home)).toThrow(/does not hold what sluice writes[\s\S]*mv /);
      await expect(trustConfig(home, repo, 'agent: a\n')).rejects.toThrow('does not hold');
      expect(readFileSync(path, 'utf8')).toBe(garbage);
      expect(existsSync(`${path}.lock`)).toBe(false);
    },
  );

  it.each([
    ['', []],
    [', and of the one that was to break it', ['0d3f4a52-1c0f-4a5e-9d3a-1f2e3d4c5b6b']],
    [
      ', and of the two that were to break that',
      ['0d3f4a52-1c0f-4a5e-9d3a-1f2e3d4c5b6b', '1e3f4a52-1c0f-4a5e-9d3a-1f2e3d4c5b6c'],
    ],
  ])('goes past the lock of a process that died%s', async (_more, breakers) => {
    const dead = spawn(process.execPath, ['-e', '0']);
    await new Promise((resolve) => dead.on('close', resolve));
    let lock = `${homePaths(home).trust}.lock`;
    writeFileSync(lock, `${dead.pid} ${TOKEN}\n`);
    for (const [depth, breaker] of breakers.entries()) {
      lock = `${lock}.${breakers[depth - 1] ?? TOKEN}`;
      writeFileSync(lock, `${dead.pid} ${breaker}\n`);
    }

    await Promise.all(['a', 'b', 'c'].map((name) => trustConfig(home, repo, `agent: ${name}\n`)));

    expect(listTrust(home)).toHaveLength(3);
    expect(readdirSync(home).filter((name) => /lock|tmp/.test(name))).toEqual([]);
  });

  it('breaks the lock of a process that died once, among several and over one that died breaking it', async () => {
    const texts = (who: number) => Array.from({ length: 6 }, (_, n) => `agent: a${who}x${n}\n`);
    const dead = spawn(process.execPath, ['-e', '0']);
    await new Promise((resolve) => dead.on('close', resolve));
    writeFileSync(`${homePaths(home).trust}.lock`, `${dead.pid} ${TOKEN}\n`);
    writeFileSync(`${homePaths(home).trust}.lock.${TOKEN}`, `${dead.pid}\n`);

    await race([0, 1, 2].map((who) => ['trust', home, repo, ...texts(who)]));

    expect(listTrust(home)).toHaveLength(18);
  }, 300_000);

  it('tells what mends it by words that a shell takes', () => {
    const own = ensureHome(join(folder, "ada's"));
    for (const path of [own.trust, own.hostId]) writeFileSync(path, '{');

    expect(() => listTrust(own.root)).toThrow(`mv ${shellWord(own.trust)} ${shellWord(`${own.trust}.bad`)}`);
    expect(() => readOrMakeHostId(own.root)).toThrow(`rm ${shellWord(own.hostId)}`);
  });
});

describe('the list of repositories', () => {
  it('serves what was added, by real path, and nothing else', async () => {
    const link = join(folder, 'link');
    symlinkSync(repo, link);
    expect(serves(home, repo)).toBe(false);

    await addRepository(home, link);
    await addRepository(home, repo);

    expect(listRepositories(home)).toEqual([repo]);
    expect([serves(home, link), serves(home, folder), serves(home, join(folder, 'gone'))]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the command store', () => {
  it('answers a command by its hash', () => {
    const hash = storeCommand(home, ['prog', '--a b', 'ü']);

    expect(storeCommand(home, ['prog', '--a b', 'ü'])).toBe(hash);
    expect(readCommand(home, hash)).toEqual(['prog', '--a b', 'ü']);
    expect(statSync(join(homePaths(home).commandsDir, `${hash}.json`)).mode & 0o777).toBe(0o600);
  });

  it.each([[[]], [['']], [['./prog']], [['node_modules/.bin/x']], [['-x']], [['a', 'b\0c']]])(
    'refuses to store %j',
    (argv) => {
      expect(() => storeCommand(home, argv)).toThrow('must be a program on PATH or an absolute path');
    },
  );

  it('refuses a hash that it does not hold, a hostile one, and a content that was changed', () => {
    const hash = storeCommand(home, ['prog']);
    writeFileSync(join(homePaths(home).commandsDir, `${hash}.json`), '{"argv":["evil"]}\n');

    for (const asked of [hash, 'f'.repeat(64), '../trust', '']) {
      expect(() => readCommand(home, asked)).toThrow(
        expect.objectContaining({ type: 'BadInput', field: 'commandHash' }),
      );
    }
  });
});

/** Outside a sandbox a command can do to the marks of its own start what it likes: it comes to its end all the same, and the next command too. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readExit, reserveExit, writeExit, writeMark } from '../../../activities/process/marks.js';
import { subToken } from '../../../protocol/run/place.js';
import { itWhere } from '../../support/it-where.js';
import { openedForEach, openedOnce } from '../../support/opened.js';
import { aGuardedHome, copyGuard, hooks } from './guarded-home.js';

const NOBODY = 65_534;
const asRoot = process.getuid?.() === 0;

const guard = openedOnce(copyGuard);
const host = openedForEach(() => aGuardedHome(guard));

describe('what a command leaves in the place of its marks', () => {
  it.each([
    ['a folder for the end', 'mkdir exit.json'],
    ['a folder for the end that is being written', 'rm exit.json.tmp; mkdir exit.json.tmp'],
    ['a full folder for the end', 'mkdir exit.json; echo x > exit.json/x'],
    [
      'a socket for the exit status',
      `rm raw; "$NODE" -e 'require("net").createServer().listen("raw", () => process.exit())'`,
    ],
    ['a FIFO for the reason of the end', 'mkfifo ending'],
    ['a second name for the end that is being written', 'ln exit.json.tmp other'],
  ])('does not keep it from its end: %s', async (_what, line) => {
    const command = aCommand(`cd "$TURN"; ${line}`);
    const processes = await host.connect();

    const end = await processes.run(command, hooks());

    expect(end).toMatchObject({ kind: 'ended', exit: { reason: 'exited', exitCode: 0 } });
    expect(readExit(command.dir)).toMatchObject({ reason: 'exited' });
    expect(await processes.run(aCommand('exit 3'), hooks())).toMatchObject({ exit: { exitCode: 3 } });
  });

  it.each([
    ['empty', []],
    ['full', ['x']],
  ])('does not keep the end from being written: a folder in its place that is %s', (_what, names) => {
    const dir = host.path('turn');
    mkdirSync(join(dir, 'exit.json'), { recursive: true });
    for (const name of names) writeFileSync(join(dir, 'exit.json', name), name);
    reserveExit(dir);
    const at = '2026-01-01T00:00:00.000Z';
    const times = { claimedAt: at, startedAt: at, endedAt: at, ranMs: 0 };
    const output = { stdout: join(dir, 'stdout'), stderr: join(dir, 'stderr'), stdoutBytes: 0, stderrBytes: 0 };
    const end = { reason: 'exited', exitCode: 0, signal: null, diskFull: false } as const;
    const exit = { token: 't', inputHash: 'h', ...end, ...times, ...output };

    writeExit(dir, exit, 'process');

    expect(readExit(dir)).toMatchObject({ token: 't', reason: 'exited' });
  });

  it('is not written through: a link for the end that is being written leads nowhere', async () => {
    const own = host.path('own');
    writeFileSync(own, 'mine');
    const command = aCommand(`cd "$TURN"; rm exit.json.tmp; ln -s '${own}' exit.json.tmp`);

    const end = await (await host.connect()).run(command, hooks());

    expect(end).toMatchObject({ exit: { exitCode: 0 } });
    expect(readFileSync(own, 'utf8')).toBe('mine');
  });

  itWhere(asRoot, 'needs root to become another user').each(['raw', 'claim.json', 'exit.json.tmp'])(
    'has its end though an ordinary user took the right to read %s away',
    (name) => {
      const command = {
        ...aCommand(`chmod 000 "$TURN/${name}"; exit 4`),
        argv: ['/bin/sh', '-c', `chmod 000 "$TURN/${name}"; exit 4`],
      };
      for (const folder of [host.root, host.home]) chmodSync(folder, 0o755);
      for (const folder of [host.root, host.home, command.dir]) chownSync(folder, NOBODY, NOBODY);
      const start = {
        home: host.home,
        orphanGraceMs: 60_000,
        durability: 'process',
        idleGraceMs: 300,
        guardMain: guard.main,
      };
      const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
      const argument = JSON.stringify({ start, spec: command });

      const said = execFileSync('/usr/bin/setpriv', [...asNobody, process.execPath, guard.worker, argument], {
        timeout: 60_000,
      });

      expect(JSON.parse(String(said))).toMatchObject({ exit: { reason: 'exited', exitCode: 4 } });
    },
  );
});

describe('a command that removes its own folder', () => {
  it.each([
    ['and nothing else', ':'],
    ['and puts a file in its place', 'touch "$TURN"'],
    ['and puts a link to nothing in its place', 'ln -s nowhere "$TURN"'],
    ['with those of all places', 'rm -rf "$TURNS"'],
  ])('%s comes to its end, and is not started again', async (_what, line) => {
    const command = aCommandBelow(host.path('run'), `echo START >> ledger; rm -rf "$TURN"; ${line}; exit 3`);
    const processes = await host.connect();

    const end = await processes.run(command, hooks());
    const again = await processes.run(command, hooks());

    expect(end).toMatchObject({ kind: 'ended', exit: { reason: 'exited', exitCode: 3, stdoutBytes: 0 } });
    expect(again).toEqual(end);
    expect(host.text('ledger')).toBe('START\n');
  });

  it('below that of a place, with it, comes to its end, and is not started again', async () => {
    const place = aCommandBelow(host.path('run'), `echo START >> ledger; rm -rf "$TURNS"; exit 3`);
    const command = { ...place, token: subToken(place.token, 1), dir: join(place.dir, '1') };
    mkdirSync(command.dir);
    const processes = await host.connect();

    const end = await processes.run(command, hooks());
    const again = await processes.run(command, hooks());

    expect(end).toMatchObject({ exit: { reason: 'exited', exitCode: 3 } });
    expect(again).toEqual(end);
    expect(host.text('ledger')).toBe('START\n');
  });

  it('and leaves a link in its place has nothing written where that leads', async () => {
    mkdirSync(host.path('own'));
    const command = aCommandBelow(host.path('run'), `rm -rf "$TURN"; ln -s '${host.path('own')}' "$TURN"; exit 3`);

    const end = await (await host.connect()).run(command, hooks());

    expect(end).toMatchObject({ exit: { reason: 'exited', exitCode: 3 } });
    expect(readdirSync(host.path('own')).filter((name) => name !== 'raw')).toEqual([]);
  });

  it('with that of its run makes none of them again, and the guard goes on', async () => {
    const command = aCommandBelow(host.path('run'), `rm -rf '${host.path('run')}'`);
    const processes = await host.connect();

    await expect(processes.run(command, hooks())).rejects.toMatchObject({ code: 'mark_not_written' });

    expect(existsSync(host.path('run'))).toBe(false);
    expect(await processes.live()).toEqual([]);
  });
});

describe('a mark', () => {
  it('is written where a folder stands under its name', () => {
    const path = host.path('mark.json');
    mkdirSync(path);
    writeFileSync(join(path, 'x'), 'kept');

    writeMark(path, '{}', 'process');

    expect(readFileSync(path, 'utf8')).toBe('{}');
    expect(readdirSync(host.root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is not written through a link', () => {
    const [path, own] = [host.path('mark.json'), host.path('own')];
    writeFileSync(own, 'mine');
    symlinkSync(own, path);

    writeMark(path, '{}', 'process');

    expect(readFileSync(own, 'utf8')).toBe('mine');
    expect(readFileSync(path, 'utf8')).toBe('{}');
  });
});

function aCommand(script: string) {
  const command = host.aCommand(script);
  return { ...command, env: { ...command.env, TURN: command.dir, NODE: process.execPath } };
}

/** Its folder lies in the folder of a run as that of a turn does. */
function aCommandBelow(run: string, script: string) {
  const command = aCommand(script);
  const dir = join(run, 'turns', `1-${command.token}`);
  mkdirSync(dir, { recursive: true });
  return { ...command, dir, env: { ...command.env, TURN: dir, TURNS: dirname(dir) } };
}

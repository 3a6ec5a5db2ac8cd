/** Starts of one run that meet each other, and its end: in the guard's own process, where each of their steps can be waited for. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandSpec } from '../../../activities/process/contract.js';
import { openCommandList } from '../../../activities/process/guard/command-list.js';
import { type Commands, createCommands } from '../../../activities/process/guard/commands.js';
import { createLimitMarks } from '../../../activities/process/guard/limit-mark.js';
import { createProcessTable, readBootId, readStat } from '../../../activities/process/guard/process-table.js';
import { readExit, writeClaim } from '../../../activities/process/marks.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';

const freshFolder = tempFolders();
const GROUP = 'repo/run';
const WORKER = {};
const OTHER_WORKER = {};
const ONCE = { owner: WORKER, again: false };
/** Of commands that end themselves at TERM: no test waits for it. */
const GRACE_MS = 600_000;

let folder: string;
let commands: Commands;
let logged: string[];
let failpoint: (name: string) => void;
beforeEach(() => {
  folder = freshFolder();
  logged = [];
  failpoint = () => undefined;
  const home = join(folder, 'home');
  mkdirSync(home);
  const log = (sentence: string) => void logged.push(sentence);
  commands = createCommands({
    table: createProcessTable(),
    durability: 'process',
    failpoint: (name) => failpoint(name),
    log,
    list: openCommandList(home, { durability: 'process', log }),
    marks: createLimitMarks(),
  });
});
afterEach(async () => {
  writeFileSync(join(folder, 'leave'), '');
  await commands.endGroup(GROUP, null, 'aborted');
});

const isThere = (name: string) => existsSync(join(folder, name));

function aPlace(script = 'sleep 60'): CommandSpec {
  const token = randomUUID();
  const dir = join(folder, token);
  mkdirSync(dir);
  return {
    token,
    group: GROUP,
    inputHash: 'hash',
    argv: ['/bin/sh', '-c', script],
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    stdin: null,
    dir,
    limits: { timeoutMs: GRACE_MS, stallMs: null, killGraceMs: GRACE_MS, outputBytes: 1_000_000 },
  };
}

/** A place whose command works, notes in `asked` that it is to end, and ends when `leave` is there. */
async function aPlaceThatEndsLate(): Promise<CommandSpec> {
  const place = aPlace("trap ': > asked' TERM; : > works; until [ -e leave ]; do sleep 0.02; done");
  await start(place);
  await until(() => isThere('works'));
  return place;
}

async function start(place: CommandSpec): Promise<void> {
  expect(await commands.reserve(place, ONCE)).toMatchObject({ kind: 'reserved' });
  expect(await commands.go(place.token, WORKER)).toMatchObject({ kind: 'running' });
}

const live = () => commands.live().map(({ token }) => token);

describe('places of one run', () => {
  it('of which two wait for a third to end: only the later starts, and the other is told that it was ended', async () => {
    await aPlaceThatEndsLate();
    const [former, latter] = [aPlace(), aPlace()];
    const asked = commands.reserve(former, ONCE);
    await until(() => isThere('asked'));
    const askedLater = commands.reserve(latter, { owner: OTHER_WORKER, again: false });

    writeFileSync(join(folder, 'leave'), '');

    expect(await asked).toMatchObject({
      kind: 'ended',
      exit: { token: former.token, reason: 'aborted', exitCode: null },
    });
    expect(await askedLater).toMatchObject({ kind: 'reserved' });
    expect(await commands.go(former.token, WORKER)).toEqual({ kind: 'unknown' });
    expect(await commands.go(latter.token, OTHER_WORKER)).toMatchObject({ kind: 'running' });
    expect(live()).toEqual([latter.token]);
  });

  it.each([
    ['aborted', { kind: 'ended', exit: { reason: 'aborted', exitCode: null } }],
    ['interrupted', { kind: 'unknown' }],
  ] as const)('of which one waits to start: none does after the group was %s', async (reason, told) => {
    await aPlaceThatEndsLate();
    const place = aPlace();
    const asked = commands.reserve(place, ONCE);
    await until(() => isThere('asked'));
    const ended = commands.endGroup(GROUP, null, reason);

    writeFileSync(join(folder, 'leave'), '');
    await ended;

    expect(await asked).toMatchObject(told);
    expect(await commands.go(place.token, WORKER)).toEqual({ kind: 'unknown' });
    expect(live()).toEqual([]);
    expect(commands.isEmpty()).toBe(true);
  });

  it('of which one waits to start: its own end is its end', async () => {
    await aPlaceThatEndsLate();
    const place = aPlace();
    const asked = commands.reserve(place, ONCE);
    await until(() => isThere('asked'));
    await commands.end(place.token, 'aborted');

    writeFileSync(join(folder, 'leave'), '');

    expect(await asked).toMatchObject({ kind: 'ended', exit: { reason: 'aborted' } });
    expect(await commands.go(place.token, WORKER)).toEqual({ kind: 'unknown' });
  });

  it('of which one is adopted while another waits to start: it is ended first', async () => {
    await aPlaceThatEndsLate();
    const [orphan, place] = [aPlace(), aPlace()];
    const asked = commands.reserve(place, ONCE);
    await until(() => isThere('asked'));
    const left = leaveBehind(orphan);
    commands.adoptOrphans();
    writeFileSync(join(folder, 'leave'), '');

    expect(await asked).toEqual({ kind: 'unknown' });
    expect(live()).toEqual([orphan.token]);
    const again = commands.reserve(place, ONCE);

    expect(await left).toEqual([null, 'SIGTERM']);
    expect(await again).toMatchObject({ kind: 'reserved' });
    expect(live()).toEqual([]);
  });

  it('of which one cannot be ended: whoever ends the group hears so once nothing of the others lives', async () => {
    const slow = await aPlaceThatEndsLate();
    const failing = aPlace();
    // Below the first, so that its start does not end that one.
    const below = { ...failing, token: `${slow.token}.1` };
    await start(below);
    failpoint = (name) => {
      if (name !== 'guard.before-sweep') return;
      failpoint = () => undefined;
      throw new Error('its end failed');
    };
    const ended = expect(commands.endGroup(GROUP, null, 'aborted')).rejects.toThrow('its end failed');
    await until(() => logged.includes('a command could not be brought to its end'));

    writeFileSync(join(folder, 'leave'), '');
    await ended;

    expect(readExit(slow.dir)).toMatchObject({ reason: 'aborted' });
  });
});

/** A command that works, as a guard that is gone by now left it. Resolves with how it ended. */
function leaveBehind({ token, dir, group, inputHash, limits }: CommandSpec): Promise<unknown> {
  const child = spawn('/bin/sleep', ['600'], { stdio: 'ignore', env: { SLUICE_TURN: token } });
  const pid = child.pid ?? 0;
  const bootId = readBootId();
  const pidStart = readStat(pid)?.start ?? '';
  const claimedAt = new Date().toISOString();
  writeClaim(
    dir,
    { token, group, inputHash, limits, claimedAt, starts: 1, pid, pidStart, bootId, limitMark: null },
    'process',
  );
  const owner = { pid, start: 'of a former process', bootId };
  writeFileSync(join(folder, 'home/guard', `${token}.json`), JSON.stringify({ token, dir, owner }));
  return once(child, 'exit');
}

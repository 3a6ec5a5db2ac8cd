/** Outside a sandbox a command can take the right to its files, or to those of the guard, away from both: the guard of all runs goes on. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from '@jest/globals';
import type { CommandSpec } from '../../../activities/process/contract.js';
import { itWhere } from '../../support/it-where.js';
import { openedForEach, openedOnce } from '../../support/opened.js';
import { until } from '../../support/until.js';
import { aGuardedHome, copyGuard, lives } from './guarded-home.js';

const NOBODY = 65_534;
/** Root may read everything. */
const itAsNobody = itWhere(process.getuid?.() === 0, 'needs root to become another user');

const guard = openedOnce(copyGuard);
const host = openedForEach(() => aGuardedHome(guard));

describe('a command that locks', () => {
  itAsNobody('the folder of its run comes to no end that is known, and the guard goes on', async () => {
    const run = host.path('run');
    const command = aCommand(`chmod 000 '${run}'`, { dir: join(run, 'turns', 'place') });

    const said = await runAsNobody(command);

    expect(said).toMatchObject({ error: expect.stringContaining('EACCES') });
    // Whoever waits may hear of it before the guard has written it down.
    await until(() => sentences().includes('a command could not be brought to its end'));
    await until(() => !lives(host.guardPid()));
    expect(sentences().at(-1)).toBe('ended: idle and alone');
    expect(starts()).toBe(1);
  });

  itAsNobody('the folder of all places of its run, without its own in it, comes to its end', async () => {
    const turns = host.path('run/turns');
    const command = aCommand(`rm -rf ${turns}/place; chmod 500 ${turns}; exit 3`, { dir: join(turns, 'place') });

    expect(await runAsNobody(command)).toMatchObject({ exit: { reason: 'exited', exitCode: 3 } });
  });

  itAsNobody('the folder of the list of commands comes to its end, and the guard goes on', async () => {
    const said = await runAsNobody(aCommand(`chmod 500 '${host.home}/guard'; exit 3`));

    expect(said).toMatchObject({ exit: { reason: 'exited', exitCode: 3 } });
    await until(() => !lives(host.guardPid()));
    expect(sentences().at(-1)).toBe('ended: idle and alone');
    expect(starts()).toBe(1);
  });
});

describe('an entry of the list of commands that cannot be read', () => {
  itAsNobody('keeps no guard from its start', async () => {
    const entry = join(host.home, 'guard', `${randomUUID()}.json`);
    mkdirSync(join(host.home, 'guard'));
    writeFileSync(entry, '{}', { mode: 0o000 });

    expect(await runAsNobody(aCommand('exit 3'))).toMatchObject({ exit: { exitCode: 3 } });
  });

  itAsNobody('ends no guard that looks for what others left, and is named once', async () => {
    const [locked, left] = [randomUUID(), randomUUID()];
    mkdirSync(host.path('left'));
    writeFileSync(host.path('left/claim.json'), JSON.stringify(aClaim(left)));
    const owner = { pid: 1, start: '0', bootId: 'another' };
    writeFileSync(host.path('entry'), JSON.stringify({ token: left, dir: host.path('left'), owner }));
    const list = `${host.home}/guard`;
    const seen = (token: string) => `while ! grep -q ${token} '${host.home}/guard.log'; do sleep 0.02; done`;
    // The second look at the list is known by what it finds.
    const script = `touch ${list}/${locked}.json; chmod 000 ${list}/${locked}.json; ${seen(locked)}; mv entry ${list}/${left}.json; ${seen(left)}`;

    const said = await runAsNobody(aCommand(`${script}; exit 3`));

    expect(said).toMatchObject({ exit: { exitCode: 3 } });
    expect(host.text('home/guard.log').split(locked)).toHaveLength(2 + 1);
    expect(starts()).toBe(1);
  });
});

function aCommand(script: string, { dir }: Partial<Pick<CommandSpec, 'dir'>> = {}): CommandSpec {
  const command = host.aCommand(script);
  if (dir !== undefined) mkdirSync(dir, { recursive: true });
  return { ...command, dir: dir ?? command.dir };
}

function aClaim(token: string) {
  return {
    token,
    group: 'repository/run',
    inputHash: 'hash',
    claimedAt: new Date().toISOString(),
    starts: 1,
    pid: 1,
    pidStart: '0',
    bootId: 'another',
    limitMark: null,
    limits: { timeoutMs: 60_000, stallMs: null, killGraceMs: 0, outputBytes: 1000 },
  };
}

/** In a worker whose guard is that user's too. Answers what the worker says of the end. */
async function runAsNobody(spec: CommandSpec): Promise<unknown> {
  chmodSync(host.root, 0o755);
  for (const name of ['', ...readdirSync(host.root, { recursive: true, encoding: 'utf8' })])
    chownSync(host.path(name), NOBODY, NOBODY);
  const start = {
    home: host.home,
    orphanGraceMs: 60_000,
    durability: 'process',
    idleGraceMs: 300,
    guardMain: guard.main,
  };
  const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  const { stdout } = await promisify(execFile)(
    '/usr/bin/setpriv',
    [...asNobody, process.execPath, guard.worker, JSON.stringify({ start, spec })],
    { timeout: 60_000 },
  );
  return JSON.parse(stdout);
}

function sentences(): readonly unknown[] {
  const lines = host.text('home/guard.log').trim().split('\n');
  return lines.map((line): unknown => Object(JSON.parse(line)).sentence);
}

/** Of guards. */
function starts(): number {
  return sentences().filter((sentence) => sentence === 'started').length;
}

/** Processes that are ended by pid: the right one, and to its end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { endProcess, identify, type ProcessIdentity } from '../../../worker/local-engine/state/process-identity.js';
import { tempFolder } from '../../support/temp-folder.js';

const folder = tempFolder();
const children: ChildProcess[] = [];

afterEach(async () => {
  await Promise.all(
    children.splice(0).map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }),
  );
});

async function aProcess(script: string): Promise<ProcessIdentity> {
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child.stdout, 'data');
  const identity = await identify(child.pid ?? 0);
  if (identity === null) throw new Error('it ended at once');
  return identity;
}

describe('ending a process', () => {
  it('leaves a process alone that has the pid of another one by now', async () => {
    const living = await aProcess('echo ready; exec sleep 60');

    await endProcess({ pid: living.pid, startedAt: 'long ago' }, 50);

    expect(await identify(living.pid)).toEqual(living);
  });

  it('kills a process that ignores TERM', async () => {
    const stubborn = await aProcess("trap '' TERM; echo ready; while :; do sleep 0.05; done");

    await endProcess(stubborn, 50);

    expect(await identify(stubborn.pid)).toBeNull();
  });
});

describe('a process on a system without /proc', () => {
  it('is the same one for callers of another language and in another time zone', async () => {
    writeFileSync(join(folder, 'ps'), '#!/bin/sh\necho "S+ $LC_ALL $LANG $TZ"\n', { mode: 0o755 });
    const path = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
    const system = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    Object.defineProperty(process, 'platform', { ...system, value: 'darwin' });
    const environment = jest.replaceProperty(process, 'env', { PATH: path, LC_ALL: 'de_DE.UTF-8', TZ: 'Asia/Tokyo' });
    const first = await identify(process.pid);
    environment.replaceValue({ PATH: path, LANG: 'fr_FR.UTF-8', TZ: 'America/Lima' });
    const second = await identify(process.pid);
    Object.defineProperty(process, 'platform', system);
    environment.restore();

    expect(first?.startedAt).toBe('C UTC');
    expect(second).toEqual(first);
  });
});

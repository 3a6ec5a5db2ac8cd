/** Processes that the bench starts by hand: by a small process, which is told apart from the bench in what it reaped. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cpuMsOfTimed } from '../../../bench/home-cpu.js';
import { endStarter, starterPid, timedProcess } from '../../../bench/timed-process.js';
import { tempFolder } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';

const BUSY = 'while (process.cpuUsage().user < 300_000);';

describe('a timed process', () => {
  const folder = tempFolder();
  const shell = (script: string) => timedProcess(['/bin/sh', '-c', script], { cwd: folder });

  afterAll(endStarter);

  it('is started by a process that is not the bench, which has no environment of any home', async () => {
    const stdout = join(folder, 'parent');
    await timedProcess(['/bin/sh', '-c', 'echo $PPID'], { cwd: folder, stdout });

    expect(Number(readFileSync(stdout, 'utf8'))).toBe(starterPid());
    expect(starterPid()).not.toBe(process.pid);
    expect(readFileSync(`/proc/${starterPid()}/environ`, 'utf8')).not.toContain('PATH=');
  });

  it('has its input, its folder, and its environment beside our own', async () => {
    const stdout = join(folder, 'said');
    const env = { BENCH_WORD: 'one' };
    await timedProcess(['/bin/sh', '-c', 'cat; pwd; echo $BENCH_WORD $PATH'], {
      cwd: folder,
      input: 'a line\n',
      env,
      stdout,
    });

    expect(readFileSync(stdout, 'utf8')).toBe(`a line\n${folder}\none ${process.env['PATH']}\n`);
  });

  it('takes from its start to its end, several side by side too', async () => {
    const [long, short] = await Promise.all([shell('sleep 0.3'), shell('true')]);

    expect(long).toBeGreaterThanOrEqual(300);
    expect(short).toBeLessThan(long);
  });

  it('is an error where it ends with another code, by a signal, or is not there', async () => {
    await expect(shell('exit 3')).rejects.toThrow('/bin/sh -c exit 3 ended with 3');
    await expect(shell('kill -9 $$')).rejects.toThrow('ended with a signal');
    await expect(timedProcess([join(folder, 'none')], { cwd: folder })).rejects.toThrow('ENOENT');
  });

  it('counts in the CPU of timed processes, and what the bench itself starts does not', async () => {
    const ms = await cpuMsOfTimed(() => timedProcess([process.execPath, '-e', BUSY], { cwd: folder }));

    expect(ms).toBeGreaterThanOrEqual(200);
    expect(await cpuMsOfTimed(async () => undefined)).toBe(0);
  });

  it('has another starter once the first was ended, which ends while nobody waits', async () => {
    const first = starterPid();
    const slow = shell('sleep 0.1');
    endStarter();
    await slow;
    expect(starterPid()).toBe(first);

    endStarter();
    await until(() => !existsSync(`/proc/${first}`));
    expect(await shell('true')).toBeGreaterThan(0);
    expect(starterPid()).not.toBe(first);
  });

  it('is an error where its starter was lost', async () => {
    const lost = shell('sleep 0.5');
    process.kill(starterPid(), 'SIGKILL');

    await expect(lost).rejects.toThrow('was lost');
    expect(await shell('true')).toBeGreaterThan(0);
  });
});

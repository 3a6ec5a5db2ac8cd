import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { runSinkProgram } from '../../../activities/notify/run-sink-program.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';

const TELL_ONCE = fileURLToPath(new URL('tell-once.mjs', import.meta.url));
const NEVER = new AbortController().signal;

describe('a program that is told', () => {
  const freshFolder = tempFolders();
  let folder: string;

  beforeEach(() => {
    folder = freshFolder();
    mkdirSync(join(folder, 'home'));
  });

  function script(body: string): string {
    const path = join(folder, 'sink');
    writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return path;
  }

  function tell(
    command: readonly [string, ...string[]],
    { limitMs = 20_000, stop = NEVER, forbidden = [] as readonly string[] } = {},
  ) {
    const env = { PATH: process.env['PATH'] ?? '', TOLD: 'yes' };
    return runSinkProgram({ command, env, cwd: join(folder, 'home'), forbidden, limitMs }, '{"id":"run-1:1"}\n', stop);
  }

  const noted = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
  const alive = (name: string) => existsSync(`/proc/${noted(name)}`);

  it('gets the JSON on standard input and its arguments, in the home, with the given environment only', async () => {
    const program = script(
      `cat > ${folder}/input; pwd > ${folder}/cwd; echo "$1 $2" > ${folder}/args; env > ${folder}/env`,
    );

    const delivery = await tell([program, 'a b', '$HOME']);

    expect(delivery).toEqual({ kind: 'delivered' });
    expect(JSON.parse(noted('input'))).toEqual({ id: 'run-1:1' });
    expect(noted('cwd')).toContain('/home');
    expect(noted('args')).toBe('a b $HOME');
    expect(noted('env')).toContain('TOLD=yes');
    expect(noted('env')).not.toContain('JEST_WORKER_ID');
  });

  it('that exits with another code than 0 failed, and may be told again', async () => {
    expect(await tell([script('exit 7')])).toEqual({ kind: 'failed', why: 'it ended with exit code 7', later: true });
  });

  it('may leave its input unread', async () => {
    expect(await tell([script('exec <&-; exit 0')])).toEqual({ kind: 'delivered' });
  });

  it('is ended with its group only: what it put into a session of its own goes on', async () => {
    const program = script(`setsid sh -c 'echo $$ > ${folder}/own; exec sleep 30' </dev/null >/dev/null 2>&1 &
while [ ! -s ${folder}/own ]; do sleep 0.01; done`);

    const delivery = await tell([program]);
    const goesOn = alive('own');
    process.kill(Number(noted('own')), 'SIGKILL');

    expect(delivery).toEqual({ kind: 'delivered' });
    expect(goesOn).toBe(true);
  });

  it('that is not there, or lies where an agent can write, is refused for good', async () => {
    const program = script('exit 0');

    expect(await tell(['no-such-program-of-anybody'])).toMatchObject({ kind: 'failed', later: false });
    expect(await tell([program], { forbidden: [folder] })).toMatchObject({ kind: 'failed', later: false });
  });

  it('is ended at the limit with everything it started, although it ignores TERM', async () => {
    const program = script(
      `trap '' TERM\nsh -c 'trap "" TERM; echo $$ > ${folder}/child; while :; do sleep 1; done' &\nwait; sleep 600`,
    );

    const delivery = await tell([program], { limitMs: 300 });

    expect(delivery).toMatchObject({ kind: 'failed', later: true, why: 'it took longer than 0.3 s and was ended' });
    await until(() => !alive('child'));
  });

  it('is ended when the attempt is cancelled', async () => {
    const stop = new AbortController();
    const telling = tell([script(`echo $$ > ${folder}/pid.new; mv ${folder}/pid.new ${folder}/pid; exec sleep 600`)], {
      stop: stop.signal,
    });
    await until(() => existsSync(join(folder, 'pid')));

    stop.abort();
    await telling;

    await until(() => !alive('pid'));
  });

  it('leaves nothing in the background when it ends', async () => {
    const program = script(`sleep 600 & echo $! > ${folder}/child; exit 0`);

    expect(await tell([program])).toEqual({ kind: 'delivered' });

    await until(() => !alive('child'));
  });

  it('ends by itself soon after its limit where the worker was killed', async () => {
    const program = script(`echo $$ > ${folder}/pid.new; mv ${folder}/pid.new ${folder}/pid; exec sleep 600`);
    const worker = spawn(process.execPath, [TELL_ONCE, program, join(folder, 'home')], {
      stdio: 'ignore',
    });
    await until(() => existsSync(join(folder, 'pid')));

    worker.kill('SIGKILL');
    await once(worker, 'exit');

    expect(alive('pid')).toBe(true);
    await until(() => !alive('pid'));
  });
});

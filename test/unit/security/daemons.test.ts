/** What an agent leaves at work behind it, in every way that a shell knows: nothing of it lives once the turn is over. Linux only, like the limit mark. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { openedForEach, openedOnce } from '../../support/opened.js';
import { aGuardedHome, copyGuard, hooks, lives } from '../process/guarded-home.js';

const LIMIT_MS = 300_000;

const guard = openedOnce(copyGuard);
const host = openedForEach(() => aGuardedHome(guard));

/** By the path in their command line. */
function livingIn(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(`${folder}/daemon`);
      } catch {
        return false;
      }
    });
}

/** `$D`: a program that notes that it began, and would live for a minute. */
const WAYS = {
  'in the background': '"$D" &',
  'by nohup': 'nohup "$D" > /dev/null 2>&1 &',
  'in a session of its own': 'setsid "$D" &',
  'by a double fork': '( setsid sh -c "\\"$D\\" &" & )',
  'with an empty environment': 'env -i setsid "$D" &',
  'with the turn tag taken away': 'unset SLUICE_TURN; setsid nohup "$D" > /dev/null 2>&1 &',
  'with its output held open': 'setsid "$D" & exec 3>&1',
  'that ignores TERM and HUP': 'setsid sh -c "trap \\"\\" TERM HUP INT; \\"$D\\"" &',
  'two hundred at once': 'n=0; while [ $n -lt 200 ]; do n=$((n+1)); setsid "$D" > /dev/null 2>&1 & done',
} as const;

describe('an agent that leaves a daemon', () => {
  it.each(Object.entries(WAYS))(
    '%s ends, and nothing of it lives',
    async (_how, line) => {
      const processes = await host.connect();
      const daemon = host.path('daemon');
      // Not exec: the command line of the shell keeps the path by which the test finds it.
      writeFileSync(daemon, `#!/bin/sh\n: > '${daemon}.began'\nsleep 60\nexit 0\n`, { mode: 0o755 });
      const command = host.aCommand(`D="${daemon}"; ${line}\nwhile [ ! -e "$D.began" ]; do sleep 0.02; done; exit 5`);

      const end = await processes.run(command, hooks());

      expect(end).toMatchObject({ kind: 'ended', exit: { reason: 'exited', exitCode: 5 } });
      expect(livingIn(host.root)).toEqual([]);
    },
    LIMIT_MS,
  );

  it('and takes both marks off it, the tag and the limit: the turn ends, and the daemon lives on, for only a sandbox would find it', async () => {
    const processes = await host.connect();
    const line =
      'env -i setsid prlimit --msgqueue=4096:4096 sh -c "echo \\$\\$ > pid; exec sleep 60" & while [ ! -s pid ]; do sleep 0.02; done';

    const end = await processes.run(host.aCommand(line), hooks());

    const pid = Number(host.text('pid'));
    expect(end).toMatchObject({ kind: 'ended', exit: { exitCode: 0 } });
    expect(await processes.live()).toEqual([]);
    expect(lives(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it('finds no terminal to speak to, whatever started the engine', async () => {
    const processes = await host.connect();

    await processes.run(host.aCommand('(echo "a fake prompt" > /dev/tty) 2> said; ps -o tty= -p $$ > tty'), hooks());

    expect(host.text('said')).toMatch(/\/dev\/tty/);
    expect(host.text('tty').trim()).toBe('?');
  });
});

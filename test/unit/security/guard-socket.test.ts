/**
 * A process of the same user that speaks to the guard's socket itself. Without a sandbox it may end and start commands, as it may with `kill`; what it
 * must not reach: that an agent counts as run which was not, that a command loses its end, or that the guard falls.
 */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, it } from '@jest/globals';
import { openedForEach, openedOnce } from '../../support/opened.js';
import { until } from '../../support/until.js';
import { aGuardedHome, copyGuard, hooks, lives } from '../process/guarded-home.js';

const LIMIT_MS = 300_000;

const guard = openedOnce(copyGuard);
const host = openedForEach(() => aGuardedHome(guard));

/** Each line of the guard as an object. */
async function intruder(): Promise<{ socket: Socket; ask(request: object): Promise<unknown> }> {
  const socket = connect(`${host.home}/guard.sock`);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    socket,
    async ask(request) {
      socket.write(`${JSON.stringify({ id: 1, ...request })}\n`);
      const line = await lines.next();
      return line.done === true ? null : (JSON.parse(line.value) as unknown);
    },
  };
}

const held = (name: string) => `echo START >> ${name}; while [ ! -e go ]; do sleep 0.02; done; echo END >> ${name}`;

describe('an intruder at the socket of the guard', () => {
  it('that ends the command of a run: its worker is told aborted, which answers no turn, and the next attempt starts it again', async () => {
    const processes = await host.connect();
    const command = host.aCommand(held('ledger'));
    const first = processes.run(command, hooks());
    await until(() => host.text('ledger').includes('START'));

    const { ask, socket } = await intruder();
    expect(await ask({ op: 'stop', token: command.token })).toMatchObject({ kind: 'done' });
    expect(await first).toMatchObject({ kind: 'ended', exit: { reason: 'aborted' } });
    const second = processes.run(command, hooks());
    await until(() => host.text('ledger').split('START').length === 3);
    await processes.run(host.aCommand('touch go'), hooks());

    expect(await second).toMatchObject({ kind: 'ended', exit: { reason: 'exited', exitCode: 0 } });
    socket.destroy();
  });

  it('that asks for a start under the token of a live command, with its hash and a program of its own: nothing is started', async () => {
    const processes = await host.connect();
    const command = host.aCommand(held('ledger'));
    const run = processes.run(command, hooks());
    await until(() => host.text('ledger').includes('START'));

    const { ask, socket } = await intruder();
    const answer = await ask({
      op: 'start',
      again: true,
      spec: { ...command, argv: ['/bin/sh', '-c', 'echo FAKE >> ledger'] },
    });
    expect(answer).toMatchObject({ kind: 'running' });
    await processes.run(host.aCommand('touch go'), hooks());

    expect(await run).toMatchObject({ exit: { exitCode: 0 } });
    expect(host.text('ledger')).toBe('START\nEND\n');
    socket.destroy();
  });

  it('that reserves a token and goes away: the worker that asks next starts its own command', async () => {
    const processes = await host.connect();
    const command = host.aCommand('echo REAL >> ledger');
    const { ask, socket } = await intruder();
    expect(
      await ask({ op: 'start', again: false, spec: { ...command, argv: ['/bin/sh', '-c', 'echo FAKE >> ledger'] } }),
    ).toMatchObject({
      kind: 'reserved',
    });
    socket.destroy();

    expect(await processes.run(command, hooks())).toMatchObject({ exit: { exitCode: 0 } });
    expect(host.text('ledger')).toBe('REAL\n');
  });

  it.each([
    ['an unknown request', { op: 'obey' }, 'failed'],
    ['no token', { op: 'stop' }, 'done'],
    ['a spec that is none', { op: 'start', spec: { token: '../../x' } }, 'refused'],
    ['a relative program', { op: 'start', spec: { argv: ['sh'] } }, 'refused'],
    ['a prototype', JSON.parse('{"op":"go","__proto__":{"token":"x"}}') as object, 'unknown'],
  ] as const)('that sends %s is answered, and the guard lives on', async (_what, request, kind) => {
    const processes = await host.connect();
    const { ask, socket } = await intruder();

    const answer = await ask(request);

    expect([kind, 'failed', 'unknown']).toContain((answer as { kind: string }).kind);
    expect(await processes.run(host.aCommand('exit 3'), hooks())).toMatchObject({ exit: { exitCode: 3 } });
    socket.destroy();
  });

  it(
    'that sends a line without an end, or no JSON, is cut off; the guard neither falls nor fills its memory',
    async () => {
      const processes = await host.connect();
      const pid = host.guardPid();
      const garbage = await intruder();
      garbage.socket.write('no JSON\n');
      await new Promise((resolve) => garbage.socket.once('close', resolve));
      const { socket } = await intruder();
      const block = Buffer.alloc(4_000_000, 'x');
      let sent = 0;
      while (!socket.destroyed && sent < 400_000_000) {
        await new Promise<void>((resolve) => socket.write(block, () => resolve()));
        sent += block.length;
      }

      expect(sent).toBeLessThan(200_000_000);
      expect(host.guardPid()).toBe(pid);
      expect(lives(pid)).toBe(true);
      expect(await processes.run(host.aCommand('exit 3'), hooks())).toMatchObject({ exit: { exitCode: 3 } });
    },
    LIMIT_MS,
  );
});

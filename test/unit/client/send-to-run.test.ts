import { describe, expect, it } from '@jest/globals';
import { NotKnown } from '../../../client/calls/ask-calls.js';
import type { ListedRun } from '../../../client/calls/listed-run.js';
import { type RunMessageCommand, sendToRun } from '../../../client/cli/gates/send-to-run.js';
import type { MessageToSend, Sent, Sluice } from '../../../client/sluice.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { aListedRun } from '../../support/gate-builder.js';
import { openTerminal } from './fake-io.js';

const PAUSE: RunMessageCommand = {
  command: 'pause',
  asked: null,
  meant: 'open',
  compose: () => ({ name: 'pause', argument: { by: 'me' } }),
};

interface FakeServer {
  readonly runs?: readonly ListedRun[];
  readonly send: (message: MessageToSend, stop: AbortSignal | undefined) => Promise<Sent>;
}

/** Only what a message needs; any other call is a mistake of the code under test. */
function aServer({ runs = [aListedRun('shop-1')], send }: FakeServer): Sluice {
  const part: Pick<Sluice, 'list' | 'send' | typeof Symbol.asyncDispose> = {
    list: async () => runs,
    send: (_workflowId, message, stop) => send(message, stop),
    [Symbol.asyncDispose]: async () => {},
  };
  return part as Sluice;
}

function run(sent: Sent, form: 'text' | 'json' = 'text') {
  const terminal = openTerminal({}, form === 'json');
  const server = aServer({ send: async () => sent });
  return { ...terminal, code: sendToRun(terminal.context, PAUSE, async () => server) };
}

const ACCEPTED: Sent = {
  kind: 'accepted',
  answer: { message: 'the run pauses at the next stage boundary', status: 'executing', changed: true },
};

describe('a message from the command line', () => {
  it.each<[Sent, number, string]>([
    [ACCEPTED, 0, 'pause accepted by shop-1: the run pauses at the next stage boundary'],
    [{ kind: 'queued', requestId: 'r-1' }, 0, 'pause queued for shop-1: no worker took it'],
    [{ kind: 'cancelled' }, 0, 'so it was cancelled, which ends it as an abort does'],
  ])('says of %j what is true, exit code %d', async (sent, exitCode, text) => {
    const { code, out, err } = run(sent);

    expect(await code).toBe(exitCode);
    expect(out.join('\n')).toContain(text);
    expect(err).toEqual([]);
  });

  it.each<[Sent, number, string]>([
    [{ kind: 'refused', why: 'the run is paused already' }, 3, 'refused "pause"\n  the run is paused already'],
    [{ kind: 'closed' }, 3, 'is closed'],
    [{ kind: 'unknown' }, 1, 'the server knows no run shop-1'],
    [{ kind: 'not_kept', why: 'exceeded' }, 1, 'sluice abort --wait shop-1 && sluice rewind shop-1'],
  ])('tells %j in four parts, exit code %d', async (sent, exitCode, text) => {
    const { code, out, err } = run(sent);

    expect(await code).toBe(exitCode);
    expect(out).toEqual([]);
    expect(err.join('\n')).toContain(text);
    expect([4, 5]).toContain(err.join('\n').split('\n').length);
    expect(err.join('\n').split('\n')[3]).toMatch(/^ {2}sluice \S/);
  });

  it.each<[Sent, Record<string, unknown>]>([
    [ACCEPTED, { sent: 'accepted', status: 'executing', changed: true }],
    [
      { kind: 'queued', requestId: 'r-1' },
      { sent: 'queued', requestId: 'r-1', message: null },
    ],
    [
      { kind: 'refused', why: 'no' },
      { sent: 'refused', why: 'no' },
    ],
    [
      { kind: 'not_kept', why: 'exceeded' },
      { sent: 'not_kept', why: 'exceeded' },
    ],
    [{ kind: 'closed' }, { sent: 'closed' }],
  ])('is one object with --json: %j', async (sent, expected) => {
    const { code, objects, out } = run(sent, 'json');
    await code;

    expect(objects).toHaveLength(1);
    expect(objects[0]).toMatchObject({ kind: 'message', runId: 'shop-1', name: 'pause', ...expected });
    expect(out).toEqual([]);
  });

  it('is not sent where no server could keep it, and names sluice up', async () => {
    const error = await sendToRun(openTerminal().context, PAUSE, async () => null).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({
      exitCode: 1,
      parts: { now: expect.stringContaining('Nothing was sent'), mend: expect.stringContaining('sluice up') },
    });
  });

  it('goes to nobody where two runs can be meant', async () => {
    const sent: MessageToSend[] = [];
    const send: FakeServer['send'] = async (message) => {
      sent.push(message);
      return ACCEPTED;
    };
    const server = aServer({ runs: [aListedRun('a'), aListedRun('b')], send });

    const { context } = openTerminal({ interactive: false });
    await expect(sendToRun(context, PAUSE, async () => server)).rejects.toThrow('2 runs can be meant');
    expect(sent).toEqual([]);
  });

  it('hangs on no server once the person stops, and says that the outcome is not known', async () => {
    const terminal = openTerminal();
    const server = aServer({
      send: (_message, stop) =>
        new Promise((_resolve, reject) => {
          stop?.addEventListener('abort', () => reject(new Error('stopped')));
          terminal.stopping.abort();
        }),
    });

    expect(await sendToRun(terminal.context, PAUSE, async () => server)).toBe(130);
    expect(terminal.err.join('\n')).toContain('not known');
  });

  it('is not sent after the person stopped while the server was looked for', async () => {
    const terminal = openTerminal();
    const code = sendToRun(terminal.context, PAUSE, () => new Promise(() => {}));

    terminal.stopping.abort();

    expect(await code).toBe(130);
    expect(terminal.err.join('\n')).toContain('Nothing was sent');
  });

  it('is an error where the server died on the way: neither accepted nor queued', async () => {
    const terminal = openTerminal();
    const server = aServer({ send: () => Promise.reject(new Error('14 UNAVAILABLE')) });

    await expect(sendToRun(terminal.context, PAUSE, async () => server)).rejects.toThrow('14 UNAVAILABLE');
    expect(terminal.out).toEqual([]);
  });

  it('is nowhere said to be unsent where nobody knows whether it arrived', async () => {
    const connecting = new RefusedError({ what: 'it is away', why: 'w', now: 'Nothing was sent.', mend: 'sluice up' });
    const lost = new NotKnown({ ...connecting.parts, now: 'not known' }, { cause: connecting });
    const server = aServer({ send: () => Promise.reject(lost) });

    await expect(sendToRun(openTerminal().context, PAUSE, async () => server)).rejects.toMatchObject({
      parts: { what: 'the server did not take the message for shop-1: it is away' },
    });
  });
});

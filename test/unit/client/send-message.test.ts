import { describe, expect, it } from '@jest/globals';
import {
  type MessagePort,
  type MessageToSend,
  sendMessage,
  type TakenMessage,
} from '../../../client/calls/send-message.js';
import type { MessageAnswer } from '../../../protocol/messages/run-message.js';

const PAUSE: MessageToSend = { name: 'pause', argument: { by: 'me' } };
const ANSWER: MessageAnswer = { message: 'the run pauses', status: 'executing', changed: true };

const named = (name: string, cause?: Error) => Object.assign(new Error(name, { cause }), { name });
const typed = (type: string, message: string, details: readonly unknown[] = []) =>
  Object.assign(new Error(message), { type, details });
const noWorker = (): Promise<never> => Promise.reject(named('WorkflowUpdateRPCTimeoutOrCancelledError'));
const gone = (): Promise<never> => Promise.reject(named('WorkflowNotFoundError'));
const refusing = (cause: Error) => async (): Promise<TakenMessage> => ({
  answer: () => Promise.reject(named('WorkflowUpdateFailedError', cause)),
});
const unshown = refusing(typed('UnprocessedUpdate', 'not processed by worker'));

/** As the SDK wraps what the server answered. */
const limited = (code: number, details: string) => (): Promise<never> =>
  Promise.reject(named('ServiceError', Object.assign(new Error(`${code}: ${details}`), { code, details })));
const TOO_MANY_UPDATES = limited(
  9,
  'The limit on the total number of distinct updates in this workflow has been reached (2000).',
);
const TOO_MANY_AT_ONCE = limited(8, 'limit on number of concurrent in-flight updates has been reached (10)');
const TOO_MANY_SIGNALS = limited(3, 'exceeded workflow execution limit for signal events');

interface FakePort extends MessagePort {
  readonly updates: string[];
  readonly cancels: string[];
  readonly signals: MessageToSend[];
}

function aPort(over: Partial<MessagePort> = {}): FakePort {
  const updates: string[] = [];
  const signals: MessageToSend[] = [];
  const cancels: string[] = [];
  return {
    updates,
    signals,
    cancels,
    async cancel() {
      cancels.push('cancelled');
      await over.cancel?.();
    },
    update(message, requestId) {
      updates.push(requestId);
      return over.update === undefined
        ? Promise.resolve({ answer: async () => ANSWER })
        : over.update(message, requestId);
    },
    async signal(message) {
      signals.push(message);
      await over.signal?.(message);
    },
    isOpen: over.isOpen ?? (async () => true),
  };
}

const send = (port: MessagePort, stop?: AbortSignal, message = PAUSE) =>
  sendMessage(port, message, { requestId: 'r-1', stop });
const ABORT: MessageToSend = { name: 'abort', argument: { by: 'me' } };

describe('sending a message', () => {
  it('answers what the run answered, and sends no signal', async () => {
    const port = aPort();

    expect(await send(port)).toEqual({ kind: 'accepted', answer: ANSWER });
    expect(port.updates).toEqual(['r-1']);
    expect(port.signals).toEqual([]);
  });

  it('leaves a message that no worker took with the server, under the same request id', async () => {
    const port = aPort({ update: noWorker });

    expect(await send(port)).toEqual({ kind: 'queued', requestId: 'r-1' });
    expect(port.signals).toEqual([{ name: 'pause', argument: { by: 'me', requestId: 'r-1' } }]);
  });

  it('sends a message that a worker kept from the run once more, under the same request id', async () => {
    const port: FakePort = aPort({
      update: async () => (port.updates.length > 1 ? { answer: async () => ANSWER } : unshown()),
    });

    expect(await send(port)).toEqual({ kind: 'accepted', answer: ANSWER });
    expect(port.updates).toEqual(['r-1', 'r-1']);
    expect(port.signals).toEqual([]);
  });

  it('leaves a message that a worker took twice and never showed to the run with the server, under the same request id', async () => {
    const port = aPort({ update: unshown });

    expect(await send(port)).toEqual({ kind: 'queued', requestId: 'r-1' });
    expect(port.updates).toEqual(['r-1', 'r-1']);
    expect(port.signals).toEqual([{ name: 'pause', argument: { by: 'me', requestId: 'r-1' } }]);
  });

  it.each([
    ['the updates of the run are used up', TOO_MANY_UPDATES],
    ['too many updates are in flight', TOO_MANY_AT_ONCE],
  ])('leaves a message as a Signal where %s', async (_why, update) => {
    const port = aPort({ update });

    expect(await send(port)).toEqual({ kind: 'queued', requestId: 'r-1' });
    expect(port.signals).toEqual([{ name: 'pause', argument: { by: 'me', requestId: 'r-1' } }]);
  });

  it('cancels in place of an abort where the signals are used up too, and says of all else that it is not kept', async () => {
    const port = aPort({ update: TOO_MANY_UPDATES, signal: TOO_MANY_SIGNALS });

    expect(await send(port)).toEqual({ kind: 'not_kept', why: 'exceeded workflow execution limit for signal events' });
    expect(port.cancels).toEqual([]);
    expect(await send(port, undefined, ABORT)).toEqual({ kind: 'cancelled' });
    expect(port.cancels).toHaveLength(1);
    const tooLarge = aPort({ update: TOO_MANY_UPDATES, signal: limited(3, 'Blob data size exceeds limit.') });
    await expect(send(tooLarge, undefined, ABORT)).rejects.toThrow();
    expect(tooLarge.cancels).toEqual([]);
    const closed = aPort({
      update: TOO_MANY_UPDATES,
      signal: TOO_MANY_SIGNALS,
      cancel: gone,
      isOpen: async () => false,
    });
    expect(await send(closed, undefined, ABORT)).toEqual({ kind: 'closed' });
  });

  it('never calls a message queued that the run took and answers late', async () => {
    const port = aPort({ update: async () => ({ answer: async () => null }) });

    expect(await send(port)).toMatchObject({ kind: 'accepted', answer: { changed: true } });
    expect(port.signals).toEqual([]);
  });

  it.each(['MessageRefused', 'MessageBusy'])(
    'tells why the run refused it, by a failure of the type %s',
    async (type) => {
      const port = aPort({ update: refusing(typed(type, 'the run is paused already')) });

      expect(await send(port)).toEqual({ kind: 'refused', why: 'the run is paused already' });
      expect(port.signals).toEqual([]);
    },
  );

  it('tells what changes nothing as accepted without effect', async () => {
    const port = aPort({ update: refusing(typed('MessageUnchanged', 'a pause is pending already', ['planning'])) });

    const answer = { message: 'a pause is pending already', status: 'planning', changed: false };
    expect(await send(port)).toEqual({ kind: 'accepted', answer });
    expect(port.signals).toEqual([]);
  });

  it('tells that a workflow without its handler does not take it', async () => {
    const port = aPort({ update: refusing(typed('ReferenceError', 'no handler for pause')) });

    expect(await send(port)).toEqual({ kind: 'refused', why: 'it cannot take this message: no handler for pause' });
  });

  it.each<['closed' | 'unknown', MessagePort['isOpen']]>([
    ['closed', async () => false],
    ['unknown', gone],
  ])('tells a run that is %s', async (kind, isOpen) => {
    expect(await send(aPort({ update: gone, isOpen }))).toEqual({ kind });
    expect(await send(aPort({ update: noWorker, signal: gone, isOpen }))).toEqual({ kind });
  });

  it('tells a run as closed that closed while the message was under way', async () => {
    const port = aPort({ update: refusing(typed('AcceptedUpdateCompletedWorkflow', 'completed')) });

    expect(await send(port)).toEqual({ kind: 'closed' });
  });

  it('is an error where the server does not answer, not a queued message', async () => {
    const dead = (): Promise<never> => Promise.reject(named('ServiceError'));

    await expect(send(aPort({ update: dead }))).rejects.toThrow('ServiceError');
    await expect(send(aPort({ update: noWorker, signal: dead }))).rejects.toThrow('ServiceError');
  });

  it('sends no signal after the person stopped', async () => {
    const stopping = new AbortController();
    const port = aPort({
      update() {
        stopping.abort(new Error('stopped'));
        return noWorker();
      },
    });

    await expect(send(port, stopping.signal)).rejects.toThrow('stopped');
    expect(port.signals).toEqual([]);
  });
});

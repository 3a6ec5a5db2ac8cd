import { describe, expect, it } from '@jest/globals';
import { type MessagePort, type MessageToSend, sendMessage, type TakenMessage } from '../../../client/send-message.js';
import type { MessageAnswer } from '../../../protocol/run-message.js';

const PAUSE: MessageToSend = { name: 'pause', argument: { by: 'me' } };
const ANSWER: MessageAnswer = { message: 'the run pauses', status: 'executing', changed: true };

const named = (name: string, cause?: Error) => Object.assign(new Error(name, { cause }), { name });
const typed = (type: string, message: string) => Object.assign(new Error(message), { type });
const noWorker = (): Promise<never> => Promise.reject(named('WorkflowUpdateRPCTimeoutOrCancelledError'));
const gone = (): Promise<never> => Promise.reject(named('WorkflowNotFoundError'));
const refusing = (cause: Error) => async (): Promise<TakenMessage> => ({
  answer: () => Promise.reject(named('WorkflowUpdateFailedError', cause)),
});

interface FakePort extends MessagePort {
  readonly updates: string[];
  readonly signals: MessageToSend[];
}

function aPort(over: Partial<MessagePort> = {}): FakePort {
  const updates: string[] = [];
  const signals: MessageToSend[] = [];
  return {
    updates,
    signals,
    update(message, requestId) {
      updates.push(requestId);
      return over.update === undefined ? Promise.resolve({ answer: async () => ANSWER }) : over.update(message, requestId);
    },
    async signal(message) {
      signals.push(message);
      await over.signal?.(message);
    },
    isOpen: over.isOpen ?? (async () => true),
  };
}

const send = (port: MessagePort, stop?: AbortSignal) => sendMessage(port, PAUSE, { requestId: 'r-1', stop });

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

  it('leaves a message that a worker took and never showed to the run with the server, under the same request id', async () => {
    const port = aPort({ update: refusing(typed('UnprocessedUpdate', 'not processed by worker')) });

    expect(await send(port)).toEqual({ kind: 'queued', requestId: 'r-1' });
    expect(port.signals).toEqual([{ name: 'pause', argument: { by: 'me', requestId: 'r-1' } }]);
  });

  it('never calls a message queued that the run took and answers late', async () => {
    const port = aPort({ update: async () => ({ answer: async () => null }) });

    expect(await send(port)).toMatchObject({ kind: 'accepted', answer: { changed: true } });
    expect(port.signals).toEqual([]);
  });

  it('tells why the run refused it', async () => {
    const port = aPort({ update: refusing(typed('MessageRefused', 'the run is paused already')) });

    expect(await send(port)).toEqual({ kind: 'refused', why: 'the run is paused already' });
    expect(port.signals).toEqual([]);
  });

  it('tells that a run of an older version does not take it', async () => {
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

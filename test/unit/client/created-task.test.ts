import { describe, expect, it } from '@jest/globals';
import { NotKnown } from '../../../client/calls/ask-calls.js';
import type { ListedItem } from '../../../client/calls/backlog-calls.js';
import { tellCreated } from '../../../client/cli/backlog/tell-created.js';
import { batch } from '../../../client/cli/commands/batch.js';
import { steer } from '../../../client/cli/commands/landings.js';
import { handIn, reopenTask, tellTask } from '../../../client/cli/commands/task.js';
import type { Sent, Sluice } from '../../../client/sluice.js';
import type { CreateAnswer } from '../../../protocol/actors/backlog.js';
import type { ItemView } from '../../../protocol/actors/item.js';
import { openTerminal } from './fake-io.js';

const accepted = (verdicts: CreateAnswer['verdicts']): Sent => {
  const answer: CreateAnswer = { message: 'taken', status: 'open', changed: true, verdicts };
  return { kind: 'accepted', answer };
};

/** Taken by nobody, and kept by no server; why, and the exit code of a word about a task. */
const NOT_TAKEN: readonly [Sent, string, 1 | 3][] = [
  [{ kind: 'refused', why: 'no more tasks' }, 'no more tasks', 3],
  [{ kind: 'closed' }, 'it is closed', 3],
  [{ kind: 'unknown' }, 'the server does not know it', 1],
  [{ kind: 'not_kept', why: 'exceeded' }, 'the server keeps no more messages of it: exceeded', 1],
];

const KEPT: readonly [string, Sent][] = [
  ['with a server whose workers are away', { kind: 'queued', requestId: 'r-1' }],
  ['with a backlog whose host is away', accepted(null)],
];

describe('a task that is handed in', () => {
  const create = (sent: Sent | null, { isDryRun = false, json = false } = {}) => {
    const terminal = openTerminal({}, json);
    return { ...terminal, tell: () => tellCreated(terminal.context, { sent, project: 'shop', key: 'k-1', isDryRun }) };
  };

  it.each(NOT_TAKEN)('is not called kept where it is not: %j', (sent, why) => {
    const { tell, out } = create(sent);

    expect(tell).toThrow(expect.objectContaining({ exitCode: 1, parts: expect.objectContaining({ why }) }));
    expect(out).toEqual([]);
  });

  it.each(KEPT)('is kept %s', (_where, sent) => {
    const text = create(sent);
    const json = create(sent, { json: true });

    expect([text.tell(), json.tell()]).toEqual([0, 0]);
    expect(text.out.join('\n')).toContain('is kept by the server');
    expect(json.objects).toEqual([{ kind: 'item', project: 'shop', id: null, key: 'k-1', verdict: 'queued' }]);
  });

  it.each(KEPT)('is neither kept nor new where it was only to be compared %s', (_where, sent) => {
    const { tell, out, objects } = create(sent, { isDryRun: true, json: true });

    expect(tell).toThrow(
      expect.objectContaining({ exitCode: 1, parts: expect.objectContaining({ now: 'Nothing is kept of it.' }) }),
    );
    expect([...out, ...objects]).toEqual([]);
  });

  it.each([
    [false, 'Stopped. Whether the backlog of shop took the task is not known; sent again under its key'],
    [true, 'Stopped. Nothing is kept of it.'],
  ])('is left to be sent again by who stopped, unless it was only to be compared: %j', (isDryRun, text) => {
    const { tell, err } = create(null, { isDryRun });

    expect(tell()).toBe(130);
    expect(err.join('\n')).toContain(text);
    expect(err.join('\n').endsWith('--key k-1')).toBe(!isDryRun);
  });

  it.each([
    [
      false,
      'Whether the backlog of shop took the task is not known; sent again under its key it is the same task: --key k-1',
    ],
    [true, 'Nothing is kept of it.'],
  ])('has its key told where its answer is lost, unless it was only to be compared: %j', async (isDryRun, now) => {
    const lost = new NotKnown({ what: 'its server does not answer', why: '', now: 'not known', mend: 'sluice up' });
    for (const error of [lost, new Error('14 UNAVAILABLE: it ended')]) {
      const sluice = { ...aServer({ kind: 'unknown' }), send: () => Promise.reject(error) };

      const told = handIn(openTerminal().context, sluice, { project: 'shop', argument: { key: 'k-1' }, isDryRun });

      await expect(told).rejects.toMatchObject({ exitCode: 1, parts: { now } });
    }
  });

  it('is compared by a host that answers', () => {
    const { tell, out } = create(accepted([{ kind: 'compared', duplicate: null, possible: [] }]), { isDryRun: true });

    expect(tell()).toBe(0);
    expect(out).toEqual(['It is like no other task.']);
  });

  it('has a number once it is taken in', () => {
    const { tell, out } = create(accepted([{ kind: 'created', id: '3', title: 'x' }]));

    expect(tell()).toBe(0);
    expect(out.join('\n')).toContain('shop-3 is in the backlog');
  });
});

const CLOSED_AT = '2026-11-21T11:00:00.000Z';
const ITEM: ListedItem = {
  workflowId: 'item:shop/3',
  project: 'shop',
  id: '3',
  title: 'x',
  repo: null,
  state: 'closed',
  reason: null,
  head: null,
  isHeld: false,
  waits: null,
  why: null,
  run: null,
  runs: 1,
  branch: null,
  startedAt: CLOSED_AT,
  closedAt: CLOSED_AT,
};

/** Only what a word about a task needs; any other call is a mistake of the code under test. */
function aServer(sent: Sent): Sluice {
  const view: Partial<ItemView> = { repo: '/shop', host: 'host-1', runs: 1 };
  const part: Pick<Sluice, 'items' | 'item' | 'openBacklog' | 'send' | typeof Symbol.asyncDispose> = {
    items: async () => [ITEM],
    item: async () => view as ItemView,
    openBacklog: async () => 'backlog:shop',
    send: async () => sent,
    [Symbol.asyncDispose]: async () => {},
  };
  return part as Sluice;
}

describe('a closed task that is to go on', () => {
  const reopen = (sent: Sent) => {
    const terminal = openTerminal();
    const options = { asked: '3', force: false };
    return { ...terminal, code: reopenTask(terminal.context, options, async () => aServer(sent)) };
  };

  it.each(NOT_TAKEN)('is not called kept where its backlog was not told: %j', async (sent, why, exitCode) => {
    const { code, out } = reopen(sent);

    await expect(code).rejects.toMatchObject({ exitCode, parts: { why } });
    expect(out).toEqual([]);
  });

  it.each(KEPT)('is kept %s', async (_where, sent) => {
    const { code, out } = reopen(sent);

    expect(await code).toBe(0);
    expect(out).toEqual(['shop-3: it is kept by the server until its host is back']);
  });
});

describe('a word about a task', () => {
  it.each(NOT_TAKEN)('says why it counts for nothing: %j', async (sent, why, exitCode) => {
    const { context, out } = openTerminal();
    const told = tellTask(context, aServer(sent), { item: ITEM, name: 'stop', argument: {} });

    await expect(told).rejects.toMatchObject({ exitCode, parts: { why } });
    expect(out).toEqual([]);
  });
});

describe('a word that is on its way when the person stops', () => {
  /** It throws what it was stopped with, as every sending does. */
  const stopping = () => {
    const terminal = openTerminal();
    const send: Sluice['send'] = async (_workflowId, _message, stop) => {
      terminal.stopping.abort('SIGINT');
      stop?.throwIfAborted();
      throw new Error('it goes on');
    };
    return { ...terminal, send };
  };

  it('may have reached the task, and that is said', async () => {
    const { context, err, send } = stopping();
    const server = { ...aServer({ kind: 'closed' }), send };

    expect(await tellTask(context, server, { item: ITEM, name: 'remove', argument: {} })).toBe(130);
    expect(err).toEqual(['Stopped. Whether shop-3 took "remove" is not known; see: sluice task show 3']);
  });

  it('may have reached the batch, and that is said', async () => {
    const { context, err, send } = stopping();
    const part: Pick<Sluice, 'describe' | 'send' | typeof Symbol.asyncDispose> = {
      describe: async () => ({ retrying: null }) as Awaited<ReturnType<Sluice['describe']>>,
      send,
      [Symbol.asyncDispose]: async () => {},
    };
    const options = { file: null, name: 'b1', program: [], backlog: false, detach: false, abort: true };

    expect(await batch(context, options, async () => part as Sluice)).toBe(130);
    expect(err).toEqual(['Stopped. Whether the batch b1 took the abort is not known; see: sluice batch --name b1']);
  });
});

describe('a word to a merge queue', () => {
  it.each(NOT_TAKEN)('says why it counts for nothing: %j', async (sent, why, exitCode) => {
    const { context, out } = openTerminal();
    const queues: Awaited<ReturnType<Sluice['mergeQueues']>> = [{ workflowId: 'queue:shop', view: null }];
    const part: Pick<Sluice, 'mergeQueues' | 'send' | typeof Symbol.asyncDispose> = {
      mergeQueues: async () => queues,
      send: async () => sent,
      [Symbol.asyncDispose]: async () => {},
    };
    const told = steer(context, { name: 'pause', asked: null }, async () => part as Sluice);

    await expect(told).rejects.toMatchObject({ exitCode, parts: { why } });
    expect(out).toEqual([]);
  });
});

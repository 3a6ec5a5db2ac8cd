/** Whom a ring has look, and how often. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import { mergeQueueId } from '../../../protocol/actors/merge-queue.js';
import { Bell, type BellOptions } from '../../../worker/doorbell/bell.js';
import { openDoorbell } from '../../../worker/doorbell/open-doorbell.js';
import type { Ring } from '../../../worker/doorbell/read-ring.js';
import { FakeWebhook, pullEvent } from '../../support/forge/fake-webhook.js';
import { Faults } from '../../support/forge/faults.js';
import type { FakePull } from '../../support/forge/forge-state.js';
import { until } from '../../support/until.js';

const LANDINGS = [
  { workflowId: 'landing:r1', memo: { repo: 'acme/shop', branch: 'sluice/r1', base: 'main', pull: 7 } },
  { workflowId: 'landing:r2', memo: { repo: 'acme/shop', branch: 'sluice/r2', base: 'main', pull: 8 } },
  { workflowId: 'landing:r3', memo: { repo: 'acme/shop', branch: 'sluice/r3', base: null } },
  { workflowId: 'landing:r4', memo: { repo: 'acme/copy', branch: 'sluice/r1', base: 'main', pull: 7 } },
  { workflowId: 'landing:r5', memo: { base: 'main' } },
  { workflowId: 'landing:r6', memo: undefined },
];
const QUEUE = mergeQueueId({ repoKey: 'acme/shop', branch: 'main' });

/** A server that knows these, and what it was asked and told. */
class Server {
  told: string[] = [];
  warned: string[] = [];
  lists = 0;
  listing = 0;
  mostListing = 0;
  failing: readonly string[] = [];
  /** Of a list, until the test lets it go on. */
  gate: Promise<void> = Promise.resolve();

  get options(): BellOptions {
    const workflow = {
      list: () => this.list(),
      getHandle: (id: string) => ({
        signal: async (name: string) => {
          if (this.failing.includes(id)) throw new Error('away, with the secret of this test');
          if (id === 'landing:r2') throw new WorkflowNotFoundError('it ended', id, undefined);
          this.told.push(`${id} ${name}`);
        },
      }),
    };
    // Of the client only these are asked.
    return {
      workflow: workflow as unknown as BellOptions['workflow'],
      warn: (message, fields) => this.warned.push(`${message} ${JSON.stringify(fields)}`),
      pauseMs: 1,
    };
  }

  private async *list() {
    this.lists += 1;
    this.listing += 1;
    this.mostListing = Math.max(this.mostListing, this.listing);
    await this.gate;
    yield* LANDINGS;
    this.listing -= 1;
  }
}

async function toldBy(...rings: readonly Partial<Ring>[]): Promise<readonly string[]> {
  const server = new Server();
  const bell = new Bell(server.options);
  for (const ring of rings) bell.ring({ repo: 'acme/shop', pulls: [], branches: [], ...ring });
  // One that is told last.
  await until(() => server.lists > 0 && server.listing === 0);
  bell.ring({ repo: 'acme/copy', pulls: [7], branches: [] });
  await until(() => server.told.includes('landing:r4 look'));
  bell.close();
  expect(server.warned).toEqual([]);
  return server.told.filter((told) => told !== 'landing:r4 look');
}

describe('a ring', () => {
  it.each<[string, Partial<Ring>, readonly string[]]>([
    ['a pull request', { pulls: [7] }, ['landing:r1']],
    ['a branch', { branches: ['sluice/r3'] }, ['landing:r3']],
    ['both', { pulls: [7], branches: ['sluice/r1'] }, ['landing:r1']],
    ['a base', { branches: ['main'] }, [QUEUE]],
    ['one that has ended', { pulls: [8] }, []],
    ['what nobody has', { pulls: [9], branches: ['null', 'undefined', ''] }, []],
    ['another repository', { repo: 'acme/other', pulls: [7], branches: ['main', 'sluice/r1'] }, []],
  ])('for %s has those look that it is about, and nobody else', async (_, ring, told) => {
    expect(await toldBy(ring)).toEqual(told.map((id) => `${id} look`));
  });

  it('that comes a thousand times while they are listed has each look once more, and asks the server once at a time', async () => {
    const server = new Server();
    const [gate, open] = [new EventTarget(), new Event('open')];
    server.gate = once(gate, 'open').then(() => undefined);
    const bell = new Bell(server.options);
    for (let n = 0; n < 1_000; n += 1) bell.ring({ repo: 'acme/shop', pulls: [7, 8, 1_000 + n], branches: ['main'] });
    gate.dispatchEvent(open);
    await until(() => server.lists === 2 && server.told.length === 4);
    bell.ring({ repo: 'acme/shop', pulls: [], branches: ['sluice/r3'] });
    await until(() => server.told.includes('landing:r3 look'));
    bell.close();

    expect(server).toMatchObject({ lists: 3, mostListing: 1 });
    expect(server.told.filter((told) => told === 'landing:r1 look')).toHaveLength(2);
  });

  it('tells the others where one cannot be told, and rings on', async () => {
    const server = new Server();
    server.failing = ['landing:r1'];
    const bell = new Bell(server.options);
    bell.ring({ repo: 'acme/shop', pulls: [7], branches: ['sluice/r3'] });
    await until(() => server.told.length === 1);
    server.failing = [];
    bell.ring({ repo: 'acme/shop', pulls: [7], branches: [] });
    await until(() => server.told.length === 2);
    bell.close();

    expect(server.told).toEqual(['landing:r3 look', 'landing:r1 look']);
    expect(server.warned).toEqual([expect.stringContaining('landing:r1 cannot be told to look')]);
  });
});

const SECRET = 'the secret of this test';
const PULL = { number: 7, headBranch: 'sluice/r1', base: 'main', state: 'open' } as FakePull;

async function portOf(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('the doorbell of a worker', () => {
  it('waits for a port that somebody else has, says so once, and rings once it is free; its log never has the secret', async () => {
    const other = createServer();
    const port = await portOf(other);
    const server = new Server();
    server.failing = ['landing:r1'];
    const doorbell = openDoorbell({
      ...server.options,
      port,
      secretEnv: 'HOOK',
      environment: { HOOK: SECRET },
      againMs: 1,
    });
    await until(() => server.warned.length > 0);
    other.close();
    await once(other, 'close');
    const hook = new FakeWebhook({ url: `http://127.0.0.1:${port}/`, secret: SECRET }, new Faults());
    await until(async () => {
      await hook.tell('pull_request', pullEvent({ name: 'acme/shop' }, PULL));
      return hook.statuses.at(-1) === 202;
    });
    await until(() => server.warned.length > 1);
    doorbell.close();
    await until(async () => {
      await hook.tell('pull_request', pullEvent({ name: 'acme/shop' }, PULL));
      return hook.statuses.at(-1) === null;
    });

    expect(server.warned[0]).toMatch(/cannot listen.*another process listens there/);
    expect(server.warned.filter((line) => line.includes('listen'))).toHaveLength(1);
    expect(server.warned.join('\n')).not.toContain(SECRET);
  });

  it.each([[undefined], [''], ['too short']])(
    'is off where the secret is %j, and says what is missing',
    async (secret) => {
      const other = createServer();
      const port = await portOf(other);
      other.close();
      await once(other, 'close');
      const server = new Server();
      openDoorbell({ ...server.options, port, secretEnv: 'HOOK', environment: { HOOK: secret } }).close();

      expect(server.warned).toEqual([expect.stringMatching(/is off.*variable HOOK, of at least 16 characters/)]);
      expect(server.warned.join('')).not.toContain('too short');
    },
  );
});

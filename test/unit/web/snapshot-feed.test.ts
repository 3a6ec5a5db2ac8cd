/** What is read whole, again and again: a batch that does not answer, and limits of which only this host knows. */
import { describe, expect, it } from '@jest/globals';
import { ServerLine } from '../../../client/http/server-line.js';
import { SnapshotFeed } from '../../../client/http/snapshot-feed.js';
import { batchReader, readLimits } from '../../../client/http/snapshots.js';
import type { Sluice } from '../../../client/sluice.js';
import { closeAccount } from '../../../config/home/closed-accounts.js';
import { tempFolder } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';

type Answer = Readonly<Record<string, unknown>> | Error | null;

/** A server whose batch answers what is set; null: it is away. */
class PlayedServer {
  answer: Answer = {};
  readonly line = new ServerLine(async () => (this.answer === null ? null : this.sluice));

  private readonly sluice = {
    batchStatus: async () => {
      if (this.answer instanceof Error) throw this.answer;
      return this.answer;
    },
    quotaGates: async () => [],
    ledgers: async () => [],
    close: async () => {},
  } as unknown as Sluice; // Nothing else of it is asked.
}

const named = (name: string) => Object.assign(new Error(name), { name });

describe('a batch', () => {
  const page = { workflowId: 'b', aborted: false, rows: [] };
  const answers: readonly (readonly [Answer, string | null])[] = [
    [named('ServiceError'), 'no worker answers for it'],
    [{ aborted: false, rows: [] }, null],
    [named('WorkflowNotFoundError'), 'the server knows no such batch'],
    [named('ServiceError'), 'no worker answers for it'],
    [null, 'the local engine is down'],
  ];

  it('is what it said last, beside why it does not answer now', async () => {
    const server = new PlayedServer();
    const read = batchReader(server.line, 'b');
    const told: unknown[] = [];

    for (const [answer] of answers) {
      server.answer = answer;
      told.push(await read());
    }

    expect(told).toEqual(answers.map(([, why], n) => ({ topic: 'batch', id: 'b', page: n === 0 ? null : page, why })));
  });

  it('that falls silent is told so to who reads, once', async () => {
    const server = new PlayedServer();
    server.answer = { aborted: false, rows: [] };
    let reads = 0;
    const read = batchReader(server.line, 'b');
    const feed = new SnapshotFeed(() => read().finally(() => (reads += 1)), 1);
    const next = feed.reader();
    await until(() => reads > 1);
    const before = [next(), next()];
    server.answer = named('ServiceError');
    const known = reads;
    await until(() => reads > known + 2);
    const after = [next(), next()];
    feed.close();

    expect([before, after]).toMatchObject([
      [{ page, why: null }, null],
      [{ page, why: 'no worker answers for it' }, null],
    ]);
  });
});

describe('a limit that only this host remembers', () => {
  const home = tempFolder();

  it('is told with whether the server was asked about it', async () => {
    const now = Date.now();
    const expiresAt = new Date(now + 60_000).toISOString();
    await closeAccount(home, { account: 'anthropic/work', until: null, expiresAt, opening: null }, now);
    const server = new PlayedServer();

    const asked = await readLimits(server.line, home);
    const away = await readLimits(new ServerLine(async () => null), home);

    const accounts = [{ account: 'anthropic/work', state: null, waiting: null, closedHere: expiresAt }];
    expect([asked, away]).toMatchObject([
      { accounts, source: { kind: 'server', why: null } },
      { accounts, source: { kind: 'files', why: 'the local engine is down' } },
    ]);
  });
});

/** The page's server against who holds its connections, streams and memory, and against run folders that were made to hurt it. No engine runs. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunList, RunPage, type StreamEvent } from '../../client/http/shapes.js';
import { addRepository } from '../../config/home/host-list.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { journalLine, plantRun } from '../support/planted-runs.js';
import { type ServedWeb, serveWebOf } from '../support/served-web.js';
import { makeRepository, type TestRepository } from '../support/test-repository.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;
const RUNS = 10_000;
const MIB = 1024 * 1024;

let world: CliWorld;
let repository: TestRepository;
let web: ServedWeb;

beforeAll(async () => {
  world = openCliWorld();
  const folder = join(world.folder, 'of-web');
  mkdirSync(folder);
  mkdirSync(world.home);
  repository = makeRepository(folder);
  await addRepository(world.home, repository.path);
  for (let n = 0; n < RUNS; n += 1) plantRun(repository.path, `many-${n}`, { title: `${n} ${'t'.repeat(600)}` });
  plantJournals();
  web = await serveWebOf(world, world.folder);
}, LIMIT_MS);

afterAll(async () => {
  await web.stop();
  await world.close();
}, LIMIT_MS);

function plantJournals(): void {
  const journalOf = (runId: string) => join(plantRun(repository.path, runId), 'events.jsonl');
  execFileSync('mkfifo', [journalOf('of-fifo')]);
  symlinkSync('/etc/passwd', journalOf('of-link'));
  writeFileSync(journalOf('of-torn'), `${journalLine(1)}{"seq":2,"timest`);
  writeFileSync(journalOf('of-long-line'), `${journalLine(1)}${journalLine(2, 'x'.repeat(2 * MIB))}${journalLine(3)}`);
  const line = (seq: number) => journalLine(seq, 'x'.repeat(64 * 1024));
  writeFileSync(journalOf('of-64-mib'), Array.from({ length: 1024 }, (_, n) => line(n + 1)).join(''));
  writeFileSync(journalOf('of-many-lines'), Array.from({ length: 20_000 }, (_, n) => journalLine(n + 1)).join(''));
  writeFileSync(journalOf('of-odd-numbers'), [1, 1.5, -1, 1e12].map((seq) => journalLine(seq)).join(''));
  journalOf('of-none');
  renameSync(plantRun(repository.path, 'of-another'), join(repository.path, '.sluice/runs/of-somebody-else'));
}

function openSocket(): Socket {
  const [host, port] = web.address.split(':');
  return connect({ host, port: Number(port) }).on('error', () => undefined);
}

/** Its answer is begun and never read. */
async function openStream(topics: readonly string[], method = 'GET'): Promise<[ClientRequest, IncomingMessage]> {
  const query = topics.map((topic) => `topic=${topic}`).join('&');
  const [host, port] = web.address.split(':');
  const headers = { Host: web.address, Authorization: `Bearer ${web.key}` };
  const sent = request({ host, port, method, path: `/api/stream?${query}`, headers, agent: false });
  sent.on('error', () => undefined).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  return [sent, answer];
}

function residentBytes(): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${web.process.process.pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

describe('connections', () => {
  it('beyond 256 are refused, and the page answers again once they are gone', async () => {
    let refused = 0;
    const sockets = Array.from({ length: 300 }, () => openSocket().on('close', () => (refused += 1)));

    await until(() => refused >= 44);
    const held = sockets.filter((socket) => !socket.destroyed).length;
    for (const socket of sockets) socket.destroy();

    expect(held).toBeLessThanOrEqual(256);
    await until(() =>
      web.ask('/').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  });

  it('that say nothing, or do not come to an end, are closed in time', async () => {
    const said = [
      '',
      'GET / HTTP/1.1\r\nHost:',
      `POST /api/session HTTP/1.1\r\nHost: ${web.address}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    ];
    const ends = said.map(async (text) => {
      const socket = openSocket();
      socket.write(text);
      socket.resume();
      await once(socket, 'close');
      return socket.destroyed;
    });

    // A server of Node's own waits for a body for longer than this test may take.
    expect(await Promise.all(ends)).toEqual(said.map(() => true));
  });

  it('go on after a body that was too large, and take no second request out of it', async () => {
    const body = `GET /api/runs HTTP/1.1\r\nHost: ${web.address}\r\n\r\n`.repeat(8_000);
    const socket = openSocket();
    let told = '';
    socket.on('data', (piece) => (told += String(piece)));
    socket.write(
      `POST /api/session HTTP/1.1\r\nHost: ${web.address}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.write(`GET /style.css HTTP/1.1\r\nHost: ${web.address}\r\nConnection: close\r\n\r\n`);
    await once(socket, 'close');

    expect(told.match(/^HTTP\/1\.1 \d+/gm)?.[0]).toBe('HTTP/1.1 413');
    expect(told).not.toContain('HTTP/1.1 401');
    expect((await web.ask('/')).status).toBe(200);
  });
});

describe('streams', () => {
  it('are 64, and each that is closed, or was asked for by HEAD, leaves its place', async () => {
    for (let n = 0; n < 70; n += 1) (await openStream(['limits'], 'HEAD'))[0].destroy();
    const open = await Promise.all(Array.from({ length: 64 }, () => openStream(['limits'])));
    const statuses = open.map(([, { statusCode }]) => statusCode);
    const [, { statusCode: more }] = await openStream(['limits']);
    for (const [sent] of open) sent.destroy();

    expect([new Set(statuses), more]).toEqual([new Set([200]), 503]);
    await until(async () => {
      const [sent, { statusCode }] = await openStream(['limits']);
      sent.destroy();
      return statusCode === 200;
    });
  });

  it('that nobody reads hold no more memory than they may', async () => {
    const isWhole = (events: readonly StreamEvent[]) =>
      events.reduce((sum, event) => sum + (event.topic === 'list' ? event.rows.length : 0), 0) >= RUNS;
    await web.follow(['list'], isWhole);
    const before = residentBytes();
    const topics = Array.from({ length: 32 }, () => 'list');

    const open = await Promise.all(Array.from({ length: 4 }, () => openStream(topics)));
    // Who reads is told all of it, while the others could have been told as much.
    await web.follow(topics.slice(0, 8), isWhole);
    await web.follow(topics.slice(0, 8), isWhole);
    const grown = residentBytes() - before;
    for (const [sent] of open) sent.destroy();

    // All of it would be 4 times 32 times 8 MiB.
    expect(grown).toBeLessThan(200 * MIB);
  });
});

describe('ten thousand runs', () => {
  it('are listed, while others are answered', async () => {
    const answered: string[] = [];
    const asking = (path: string) => web.ask(path).finally(() => answered.push(path));
    const [listed] = await Promise.all(['/api/runs', '/style.css'].map(asking));
    const { rows } = RunList.parse(listed?.json);

    expect(rows.length).toBeGreaterThanOrEqual(RUNS);
    expect(answered).toEqual(['/style.css', '/api/runs']);
  });
});

describe('a run whose journal is', () => {
  const told = async (runId: string) => {
    const events = await web.follow([`run:${runId}`], (all) => all.some(({ topic }) => topic === 'changed'));
    return events.flatMap((event) => (event.topic === 'run' ? event.events : []));
  };

  it.each([
    ['a FIFO', 'of-fifo', []],
    ['a link', 'of-link', []],
    ['not there', 'of-none', []],
    ['torn', 'of-torn', [1]],
    ['of lines of 2 MB', 'of-long-line', [1, 3]],
    ['of numbers that are none', 'of-odd-numbers', [1]],
  ])('%s is told as far as it is one', async (_what, runId, seqs) => {
    expect((await told(runId)).map(({ seq }) => seq)).toEqual(seqs);
  });

  it.each(['of-64-mib', 'of-many-lines'])('longer than anybody reads is cut, and says so: %s', async (runId) => {
    const events: string[] = [];
    await web.follow([`run:${runId}`], (all) => {
      const lines = all.flatMap((event) => (event.topic === 'run' ? event.events : []));
      events.splice(0, Number.POSITIVE_INFINITY, ...lines.map(({ message }) => message));
      return events.at(-1)?.includes('left out') === true;
    });

    expect(events.length).toBeLessThanOrEqual(4_001);
    expect(events.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(9 * MIB);
  });

  it('gone in the middle of a look is followed on, and others are answered', async () => {
    const folder = join(repository.path, '.sluice/runs/of-none');
    let isGone = false;
    await web.follow(['run:of-none', 'run:of-torn'], (all) => {
      if (!isGone) rmSync(folder, { recursive: true });
      isGone = true;
      return all.some((event) => event.topic === 'changed' && event.runId === 'of-torn');
    });

    expect((await web.ask('/api/runs/of-torn')).status).toBe(200);
    expect((await web.ask('/api/runs/of-none')).status).toBeLessThan(500);
  });

  it('that of another run stands in for nobody', async () => {
    expect((await web.ask('/api/runs/of-another')).status).toBe(404);
    expect((await web.ask('/api/runs/of-somebody-else')).status).toBe(404);
  });
});

describe('what a run left', () => {
  it('is cut where it was made huge, and says so', async () => {
    const folder = join(repository.path, '.sluice/runs/many-1');
    const findings = Array.from({ length: 100_000 }, (_, n) => `### F${n} (high)\n\nclaim ${n}`).join('\n\n');
    writeFileSync(join(folder, 'review.md'), findings);
    mkdirSync(join(folder, 'turns/1-executing'), { recursive: true });
    writeFileSync(join(folder, 'turns/1-executing/turn.json'), JSON.stringify({ agent: 'x'.repeat(100_000) }));

    const { text, json } = await web.ask('/api/runs/many-1');

    expect(text.length).toBeLessThan(2 * MIB);
    expect(RunPage.parse(json).leftOut).toEqual(['findings: the first 1000 of 100000 are shown']);
  });

  it('of a state.json with a title of 3 MB is none that a run wrote', async () => {
    const { source, rows } = RunList.parse((await web.ask('/api/runs')).json);
    const folder = plantRun(repository.path, 'many-2', { title: 'x'.repeat(3 * MIB) });

    expect([source.kind, rows.length > 0, statSync(join(folder, 'state.json')).size > 3 * MIB]).toEqual([
      'files',
      true,
      true,
    ]);
    expect((await web.ask('/api/runs/many-2')).text.length).toBeLessThan(MIB);
  });

  it('of a change above 16 MiB is refused in words', async () => {
    const [baseSha] = [repository.git('rev-parse', 'HEAD').trim()];
    repository.write('large.txt', `${'x'.repeat(1_000)}\n`.repeat(20_000));
    repository.git('add', 'large.txt');
    repository.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'large');
    const headSha = repository.git('rev-parse', 'HEAD').trim();
    plantRun(repository.path, 'many-3', { baseSha, headSha });

    expect(await web.ask(`/api/runs/many-3/diff/${headSha}/0`)).toMatchObject({
      status: 409,
      json: { error: expect.stringContaining('printed too much'), mend: 'sluice diff many-3' },
    });
  });
});

describe('sluice web', () => {
  it('is refused inside a turn, at a port that is taken, and at one that is none', async () => {
    const taken = createServer().listen(0, web.address.split(':')[0]);
    await once(taken, 'listening');
    const { port } = taken.address() as { readonly port: number };
    const inTurn = await world.sluice(['web'], { env: { SLUICE_TURN: 'run/1' } });
    const atTaken = await world.sluice(['web', '--port', String(port)]);
    const atNone = await world.sluice(['web', '--port', '80']);
    taken.close();

    expect([inTurn.code, atTaken.code, atNone.code]).toEqual([1, 1, 1]);
    expect([inTurn.stderr, atTaken.stderr]).toEqual([
      expect.stringContaining('inside a turn'),
      expect.stringContaining(`sluice web --port ${port + 1}`),
    ]);
  });

  it('ends with its terminal, and leaves no process, and its code and key in no file', async () => {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const own = world.start(['web', '--json', '--port', String(port)]);
    await own.prints('url');
    own.process.kill('SIGHUP');
    const { code, stdout } = await own.done;
    const [, secret = 'none'] = String(jsonLines(stdout)[0]?.['url']).split('#');
    const files = readdirSync(world.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

    expect([code, secret.length]).toEqual([130, 22]);
    for (const { parentPath, name } of files) {
      const text = readFileSync(join(parentPath, name), 'utf8');
      expect([name, text.includes(secret), text.includes(web.key)]).toEqual([name, false, false]);
    }
    expect(world.living()).toEqual([web.process.process.pid]);
  });
});

/** A real run that tells a real program and a real address, as a team would configure it. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Notification } from '../../protocol/messages/notification.js';
import { GOOD_AGENT } from '../support/cli-repository.js';
import { type CliWorld, jsonLines, openCliWorld } from '../support/cli-world.js';
import { until } from '../support/until.js';

interface Posted {
  readonly id: string;
  readonly signed: boolean;
  readonly body: Notification;
}

const KEY = 'the key of the team';
const posted: Posted[] = [];
let world: CliWorld;
let server: Server;

beforeAll(async () => {
  world = openCliWorld();
  // The first POST fails: a webhook that is down for a moment.
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const { 'x-sluice-timestamp': timestamp, 'x-sluice-signature': signature, 'x-sluice-id': id } = request.headers;
      const expected = `sha256=${createHmac('sha256', KEY)
        .update(`${String(timestamp)}.${body}`)
        .digest('hex')}`;
      posted.push({ id: String(id), signed: signature === expected, body: JSON.parse(body) as Notification });
      response.writeHead(posted.length === 1 ? 500 : 204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await world.sluice(['up'], { env: { HOOK_KEY: KEY } });
}, 300_000);

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await world.close();
}, 300_000);

describe('a run with a program, an address and a dead address as its sinks', () => {
  it('is not held by them; each live sink hears of its end once, under one id, signed', async () => {
    const told = join(world.folder, 'told.jsonl');
    const hook = world.script('hook', `cat >> ${told}; pwd >> ${told}.cwd`);
    const repository = world.repository('told');
    await world.sluice(['init', '--agent', 'command', '--', world.script('agent', GOOD_AGENT)], {
      cwd: repository.path,
    });
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`;
    const sinks = [
      { command: [hook] },
      { webhook: address, secretEnv: 'HOOK_KEY' },
      { webhook: 'http://127.0.0.1:1/dead' },
    ];
    const config = readFileSync(join(repository.path, '.sluice/config.yaml'), 'utf8');
    repository.write('.sluice/config.yaml', `${config}\nnotify: ${JSON.stringify(sinks)}\n`);
    await world.sluice(['trust'], { cwd: repository.path });
    repository.git('add', '-A');
    repository.git('commit', '-q', '-m', 'config');

    const run = await world.sluice(['run', 'add a line', '--json'], { cwd: repository.path });
    // What the program writes last is whole.
    const cwd = () => (existsSync(`${told}.cwd`) ? readFileSync(`${told}.cwd`, 'utf8') : '');
    await until(() => cwd().endsWith('\n') && posted.length === 2);

    const lines = readFileSync(told, 'utf8').trim().split('\n');
    const notification = JSON.parse(lines[0] ?? '') as Notification;
    expect(run.code).toBe(0);
    expect(lines).toHaveLength(1);
    expect(notification).toMatchObject({
      kind: 'run_closed',
      outcome: 'merge_ready',
      runId: jsonLines(run.stdout)[0]?.['runId'],
    });
    expect(notification.command).toContain('sluice ');
    expect(cwd().trim()).toBe(world.home);
    expect(posted.map(({ id, signed }) => ({ id, signed }))).toEqual(
      Array.from({ length: 2 }, () => ({ id: notification.id, signed: true })),
    );
    expect(posted[1]?.body).toEqual(notification);
  }, 300_000);
});

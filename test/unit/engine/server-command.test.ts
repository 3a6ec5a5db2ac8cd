import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { freePort, waitForPort } from '../../../worker/local-engine/children/ports.js';
import {
  cleanEnvironment,
  serverArguments,
  serverEnvironment,
} from '../../../worker/local-engine/children/server-command.js';
import { findServerBinary } from '../../../worker/local-engine/server-binary/find-server-binary.js';

it('answers no request that a web page could make a browser send to its HTTP API', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-server-'));
  const { path } = await findServerBinary();
  const port = await freePort(41_000);
  const http = await freePort(port + 1);
  const settings = { port, uiPort: null, database: join(folder, 'temporal.db'), durability: 'process' } as const;
  const server = spawn(path, [...serverArguments(settings), '--http-port', String(http)], { stdio: 'ignore' });
  try {
    await waitForPort(http, AbortSignal.timeout(100_000));

    for (const host of ['127.0.0.1', 'localhost', 'evil.example']) {
      const answer = await fetch(`http://127.0.0.1:${http}/api/v1/namespaces`, { headers: { host } });
      expect([host, answer.status]).toEqual([host, 403]);
    }
  } finally {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  }
});

it('makes commits durable against a power cut only when asked', () => {
  const of = (durability: 'process' | 'power') =>
    serverArguments({ port: 1, uiPort: null, database: 'db', durability }).join(' ');

  expect(of('process')).toContain('synchronous=NORMAL');
  expect(of('power')).toContain('synchronous=FULL');
});

it('keeps a turn tag and redirections of Temporal tools out of the engine', () => {
  expect(cleanEnvironment({ PATH: '/bin', TEMPORAL_ADDRESS: 'x:1', TEMPORAL_PROFILE: 'y', SLUICE_TURN: 'z' })).toEqual({
    PATH: '/bin',
  });
});

it('names a user to the server, and gives it no other variable of a person than those of the system', () => {
  const variables = { HOME: '/h', USER: 'ann', LOGNAME: 'ann', PATH: '/bin', TZ: 'UTC' };

  expect(serverEnvironment({ ...variables, OPENAI_API_KEY: 'k', SSH_AUTH_SOCK: '/s' })).toEqual(variables);
  expect(serverEnvironment({ PATH: '/bin' })).toEqual({ PATH: '/bin', USER: `uid-${process.getuid?.()}` });
});

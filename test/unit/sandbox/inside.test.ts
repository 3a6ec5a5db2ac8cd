/** The first program inside a sandbox, outside of one: its way to the proxy. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createConnectProxy } from '../../../activities/sandbox/connect-proxy.js';
import { aLateEcho, closeRemotes, listenHere } from './remotes.js';

closeRemotes();

const INSIDE = resolve('dist/activities/sandbox/inside.js');

/** Says a word to a host through the proxy of its environment, then no more, and prints what comes back. */
const CLIENT = `
const [host, word] = process.argv.slice(1);
const port = Number(new URL(process.env.HTTPS_PROXY).port);
const client = require('node:net').connect({ port, host: '127.0.0.1', allowHalfOpen: true });
client.end('CONNECT ' + host + ' HTTP/1.1\\r\\nhost: ' + host + '\\r\\n\\r\\n' + word);
client.on('error', () => {});
client.pipe(process.stdout);`;

async function answerInside(port: number, word: string): Promise<string> {
  const own = `127.0.0.1:${port}`;
  const socket = join(tmpdir(), `sluice-inside-${randomUUID()}.sock`);
  await listenHere(createConnectProxy({ hosts: { own: [own], known: [] }, onRefused: () => undefined }), socket);
  const options = JSON.stringify({ socket, loopback: [] });
  const program = [process.execPath, '-e', CLIENT, own, word];
  return (await promisify(execFile)(process.execPath, [INSIDE, options, '--', ...program])).stdout;
}

describe('the way out of a sandbox', () => {
  it('lets a program that has said all it had to say read the answer', async () => {
    expect(await answerInside(await aLateEcho(), 'hello')).toMatch(/\r\n\r\necho hello$/);
  });
});

/** The server of the page, in this process and with no engine behind it. */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { serveWeb, type WebServer } from '../../../client/http/serve-web.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';

const freshFolder = tempFolders();
let web: WebServer;
let key: string;

beforeEach(async () => {
  const home = freshFolder();
  const place = { home, cwd: home, warn: () => {} };
  const told = { by: 'Ada', newCode: 'start it again' };
  web = await serveWeb({ host: '127.0.0.1', port: 0, hosts: [], connect: async () => null, place, ...told });
  key = web.session.tradeCode(web.session.newCode()) ?? '';
});
afterEach(async () => await web[Symbol.asyncDispose]());

const ask = (path: string, options: RequestInit = {}) => fetch(`http://${web.address}${path}`, options);

/** Opens as many at once, and closes them. */
async function streamsGiven(count: number): Promise<number> {
  const leave = new AbortController();
  const options = { headers: { authorization: `Bearer ${key}` }, signal: leave.signal };
  const answers = await Promise.all(Array.from({ length: count }, () => ask('/api/stream?topic=limits', options)));
  leave.abort();
  return answers.filter(({ status }) => status === 200).length;
}

describe('streams that are asked for behind one another on one connection', () => {
  it('leave their places when it is closed, though only the first was ever answered', async () => {
    const [host = '', port] = web.address.split(':');
    const socket = connect(Number(port), host);
    const lines = ['GET /api/stream?topic=limits HTTP/1.1', `Host: ${web.address}`, `Authorization: Bearer ${key}`];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`.repeat(5));
    await until(async () => (await streamsGiven(64)) === 59);

    socket.destroy();

    await until(async () => (await streamsGiven(64)) === 64, 20_000);
  });
});

describe('who has no key', () => {
  it('is told how to get a code, as whoever started the server knows it', async () => {
    const code = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"code":"none"}' };
    const answers = [await ask('/api/session', code), await ask('/api/runs'), await ask('/api/stream?topic=list')];

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await Promise.all(answers.map((answer) => answer.json()))).toMatchObject(
      answers.map(() => ({ mend: 'start it again' })),
    );
  });
});

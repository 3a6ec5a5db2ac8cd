/** The page's server over HTTP, with the real engine behind it: every route, who may use it, what is live, and decisions that count once. */
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../client/http/routes.js';
import {
  BatchList,
  LandingsPage,
  LimitsPage,
  RunList,
  RunPage,
  SentAnswer,
  StreamEvent,
} from '../../client/http/shapes.js';
import { addRepository } from '../../config/home/host-list.js';
import { trustConfig } from '../../config/home/trust.js';
import { type CliWorld, openCliWorld } from '../support/cli-world.js';
import { type ServedWeb, serveWebOf } from '../support/served-web.js';
import { makeRepository, PLAIN_FIXTURE, PLAIN_VALIDATION, type TestRepository } from '../support/test-repository.js';

const LIMIT_MS = 300_000;

let world: CliWorld;
let repository: TestRepository;
let web: ServedWeb;

beforeAll(async () => {
  world = openCliWorld();
  await world.sluice(['up']);
  const folder = join(world.folder, 'of-web');
  mkdirSync(folder);
  repository = makeRepository(folder, { fixture: PLAIN_FIXTURE, config: `${PLAIN_VALIDATION}attended: true\n` });
  await addRepository(world.home, repository.path);
  await trustConfig(world.home, repository.path, repository.configText);
  web = await serveWebOf(world, world.folder);
}, LIMIT_MS);

afterAll(async () => {
  await web.stop();
  await world.close();
}, LIMIT_MS);

/** Of the run, by its page. */
async function pageOf(id: string): Promise<RunPage> {
  return RunPage.parse((await web.ask(`/api/runs/${id}`)).json);
}

async function startGated(id: string): Promise<RunPage> {
  const args = [
    'run',
    `change a.txt (${id})`,
    '--detach',
    '--run-id',
    id,
    '--repo',
    repository.path,
    '--gate',
    'executing',
  ];
  expect(await world.sluice(args)).toMatchObject({ code: 0 });
  await web.follow(['list'], (events) =>
    events.some(
      (event) => event.topic === 'list' && event.rows.some((row) => row.runId === id && row.group === 'yours'),
    ),
  );
  return pageOf(id);
}

const approval = (page: RunPage, requestId: string, fields = {}) => {
  const [gate] = page.gates;
  return { gate: gate?.id, commit: gate?.commit, decision: 'approve', requestId, ...fields };
};

describe('every route', () => {
  const paths = ROUTES.map(
    ({ method, path, open = false }) => [method, path.replace(':id', 'no-such-run'), open] as const,
  );

  it.each(paths.filter(([, , open]) => !open))(
    '%s %s wants a key, and one of this very server',
    async (method, path) => {
      const asked = method === 'POST' ? { method, body: {} } : {};
      const other = await web.ask(path, { ...asked, key: 'AAAAAAAAAAAAAAAAAAAAAA' });

      expect([(await web.ask(path, { ...asked, key: null })).status, other.status]).toEqual([401, 401]);
      expect((await web.ask(`${path}?key=${web.key}`, { ...asked, key: null })).status).toBe(401);
    },
  );

  it.each(paths)('%s %s answers no other host, origin or site, and shows itself in no frame', async (method, path) => {
    const asked = method === 'POST' ? { method, body: {} } : {};
    const refused = await Promise.all([
      web.ask(path, { ...asked, headers: { Host: 'evil.test' } }),
      web.ask(path, { ...asked, headers: { Origin: `http://${web.address}0` } }),
      web.ask(path, { ...asked, headers: { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' } }),
      web.ask(path, { ...asked, headers: { 'Sec-Fetch-Site': 'same-site' } }),
    ]);

    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    for (const { headers } of refused) {
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it.each(paths.filter(([method]) => method === 'POST'))(
    '%s %s takes no form, no broken JSON and nothing endless',
    async (method, path) => {
      const post = (text: string, type = 'application/json') =>
        web.ask(path, { method, text, headers: { 'Content-Type': type } });
      const answers = await Promise.all([
        post('code=1', 'application/x-www-form-urlencoded'),
        post('{"code":'),
        post(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
        post(`{"code":"${'x'.repeat(300_000)}"}`),
      ]);

      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 413]);
    },
  );

  it.each([
    ['a path', '..%2f..%2fetc'],
    ['a folder above', '%2e%2e'],
    ['a zero byte', 'a%00b'],
    ['4 KB', 'A'.repeat(4096)],
    ['a space', 'x%20y'],
  ])('nothing is called %s', async (_what, id) => {
    expect((await web.ask(`/api/runs/${id}`)).status).toBe(404);
    expect((await web.ask(`/api/runs/${id}/pause`, { method: 'POST', body: { requestId: 'r' } })).status).toBe(404);
  });

  it('but those of the table there is none', async () => {
    const asked = ['/api', '/api/nothing', '/main.js.map', '/../package.json', '/api/runs/x/approve'];
    const statuses = await Promise.all(asked.map(async (path) => (await web.ask(path)).status));
    expect(statuses).toEqual([404, 404, 404, 404, 404]);
    expect((await web.ask('/api/runs', { method: 'OPTIONS' })).status).toBe(404);
  });
});

describe('the page itself', () => {
  it('is given without a key, holds no data, and knows no code inside it', async () => {
    const answers = await Promise.all(
      ['/', '/runs/some-run', '/main.js', '/style.css'].map((path) => web.ask(path, { key: null })),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[0]?.text).not.toMatch(/<script(?! type="module" src="\/main.js"><\/script>)|\sstyle=|\son\w+=/);
    expect(answers[0]?.headers['content-security-policy']).toContain("default-src 'none'");
    for (const { text } of answers) expect(text).not.toContain(web.key);
  });

  it('may be gone to from anywhere, and nothing else may', async () => {
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

    expect((await web.ask('/runs/some-run', { key: null, headers: link })).status).toBe(200);
    expect((await web.ask('/api/runs', { headers: link })).status).toBe(403);
  });

  it('is not answered to who names two hosts, none, or another in the request line', async () => {
    const raw = (lines: readonly string[]) =>
      new Promise<string>((resolve, reject) => {
        const [host, port] = web.address.split(':');
        const socket = connect({ host, port: Number(port) });
        let told = '';
        socket.on('data', (piece) => (told += String(piece)));
        socket.on('end', () => resolve(told.split('\r\n')[0] ?? ''));
        socket.on('error', reject);
        socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      });
    const own = `Host: ${web.address}`;

    expect(await raw(['GET / HTTP/1.1', own, 'Host: evil.test', 'Connection: close'])).toContain('400');
    expect(await raw(['GET / HTTP/1.0'])).toContain('400');
    expect(await raw(['GET http://evil.test/ HTTP/1.1', own, 'Connection: close'])).toContain('400');
  });
});

describe('a code', () => {
  it('is taken once', async () => {
    const again = await web.ask('/api/session', { method: 'POST', body: { code: web.url.split('#')[1] }, key: null });

    // This server has no terminal in which somebody could press Enter.
    const json = { error: expect.stringContaining('used'), mend: 'start sluice web again' };
    expect(again).toMatchObject({ status: 401, json });
  });
});

describe('a run that waits for somebody', () => {
  it('is told live, is approved with the commit that was seen, once, and goes on to its end', async () => {
    const page = await startGated('web-approved');
    const asked = approval(page, 'request-1');

    const decided = await web.ask('/api/runs/web-approved/approve', { method: 'POST', body: asked });
    const again = await web.ask('/api/runs/web-approved/approve', { method: 'POST', body: asked });
    const events = await web.follow(['run:web-approved'], (all) =>
      all.some((event) => event.topic === 'run' && event.events.some(({ type }) => type === 'run.completed')),
    );

    expect(page).toMatchObject({
      row: { state: 'waits', group: 'yours' },
      gates: [{ of: 'run', status: 'pending', risk: 'medium' }],
    });
    expect([decided, again]).toMatchObject([
      { status: 200, json: { sent: 'accepted' } },
      { status: 200, json: { sent: 'accepted' } },
    ]);
    SentAnswer.parse(decided.json);
    const lines = events.flatMap((event) => (event.topic === 'run' ? event.events : []));
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
    expect(lines.filter(({ type }) => type === 'approval.approved')).toHaveLength(1);
    for (const event of events) StreamEvent.parse(event);
  });

  it('shows the patch of a file of the head that was seen, and none of another', async () => {
    const { headSha, baseSha, changes } = await pageOf('web-approved');
    const asked = (commit: string | null) => web.ask(`/api/runs/web-approved/diff/${commit}/0`);
    const [seen, older] = [await asked(headSha), await asked(baseSha)];

    expect(changes).toMatchObject([{ path: 'a.txt' }]);
    expect(seen).toMatchObject({ status: 200, json: { patch: expect.stringContaining('a.txt'), isCut: false } });
    expect(older).toMatchObject({ status: 409, json: { error: expect.stringContaining('it has changed') } });
  });

  it('is decided by one of two who decide at once, and the other is told by whom', async () => {
    const page = await startGated('web-race');
    const post = (body: unknown) => web.ask('/api/runs/web-race/approve', { method: 'POST', body });

    const answers = await Promise.all([
      post(approval(page, 'one')),
      post(approval(page, 'two', { decision: 'reject', note: 'no' })),
    ]);

    const [late] = answers.filter(({ status }) => status === 409);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(late?.json).toMatchObject({ sent: 'refused', message: expect.stringMatching(/@|closed|no gate/) });
  });

  it('is not decided by who saw another commit, no gate, or says who they are', async () => {
    const page = await startGated('web-older');
    const post = (body: unknown) => web.ask('/api/runs/web-older/approve', { method: 'POST', body });

    const older = await post(approval(page, 'r1', { commit: '0'.repeat(40) }));
    const nameless = await post({ ...approval(page, 'r2'), gate: undefined });
    const posing = await post({ ...approval(page, 'r3'), by: 'somebody else' });

    expect([older.status, nameless.status, posing.status]).toEqual([409, 400, 400]);
    expect(nameless.json).toMatchObject({ error: expect.stringContaining('gate') });
    expect((await pageOf('web-older')).gates[0]?.status).toBe('pending');
    expect((await web.ask('/api/runs/web-older/abort', { method: 'POST', body: { requestId: 'a' } })).status).toBe(200);
  });

  it('is followed from where a reader stands, by a server that was started again too', async () => {
    await startGated('web-position');
    const first = await web.follow(['run:web-position'], (events) => events.some(({ topic }) => topic === 'run'));
    const known = first.find((event) => event.topic === 'run');
    const position = known?.topic === 'run' ? known.position : '';
    const port = Number(web.address.split(':')[1]);

    await web.stop();
    web = await serveWebOf(world, world.folder, { port });
    const asked = web.ask('/api/runs/web-position/rename', {
      method: 'POST',
      body: { title: 'Another title', requestId: 'rename-1' },
    });
    const more = await web.follow([`run:web-position@${position}`], (events) =>
      events.some((event) => event.topic === 'run' && event.events.length > 0),
    );

    expect((await asked).status).toBe(200);
    const told = more.filter((event) => event.topic === 'run');
    expect(told.every(({ whole }) => !whole)).toBe(true);
    expect(told.flatMap(({ events }) => events.map(({ type }) => type))).toContain('run.renamed');
  });
});

describe('what stands beside runs', () => {
  it('is a batch, live until it is done, of which nobody sees another', async () => {
    const task = JSON.stringify({ task: 'change a.txt', title: 'of a batch' });
    const started = await world.sluice(['batch', '-', '--name', 'of-page', '--detach'], {
      cwd: repository.path,
      input: `${task}\n`,
    });
    expect(started).toMatchObject({ code: 0 });

    const events = await web.follow(['batch:batch:of-page'], (all) =>
      all.some((event) => event.topic === 'batch' && event.page?.rows.every(({ state }) => state === 'ended') === true),
    );
    const list = BatchList.parse((await web.ask('/api/batches')).json);

    for (const event of events) StreamEvent.parse(event);
    const rows = [{ title: 'of a batch', outcome: 'merge_ready' }];
    expect(events.at(-1)).toMatchObject({ page: { rows }, why: null });
    expect(list.batches).toMatchObject([{ workflowId: 'batch:of-page', name: 'of-page' }]);
    expect((await web.ask('/api/batches/batch%3Aanother')).status).toBe(404);
    expect(await web.follow(['batch:batch:another'], (all) => all.length > 0)).toEqual([
      { topic: 'batch', id: 'batch:another', page: null, why: 'the server knows no such batch' },
    ]);
  });

  it('is the landing of a head that somebody asks for here', async () => {
    const body = { requestId: 'land-1' };
    const asked = await web.ask('/api/landings/web-approved/land', { method: 'POST', body });

    const events = await web.follow(['landings'], (all) =>
      all.some((event) => event.topic === 'landings' && event.page.landings.some(({ entry }) => entry !== null)),
    );

    expect(asked).toMatchObject({ status: 200, json: { sent: 'accepted' } });
    for (const event of events) StreamEvent.parse(event);
    LandingsPage.parse((await web.ask('/api/landings')).json);
    expect((await pageOf('web-approved')).landing).not.toBeNull();
  });

  it('is no limit while there is none, and opens none', async () => {
    const page = LimitsPage.parse((await web.ask('/api/limits')).json);
    const opened = await web.ask('/api/accounts/anthropic%2Fwork/open', { method: 'POST', body: { requestId: 'o' } });

    expect(page).toEqual({ accounts: [], budgets: [], source: { kind: 'server', why: null } });
    expect(opened.status).toBe(404);
  });
});

describe('the list', () => {
  it('is what the runs last wrote while the engine is down, and says so', async () => {
    await world.sluice(['down', '--now']);

    const answer = await web.ask('/api/runs');
    const list = RunList.parse(answer.json);
    const sent = await web.ask('/api/runs/web-older/pause', { method: 'POST', body: { requestId: 'p' } });

    expect(list.source).toMatchObject({ kind: 'files', why: expect.stringContaining('down') });
    expect(list.rows.map(({ runId }) => runId)).toContain('web-approved');
    expect(RunPage.parse((await web.ask('/api/runs/web-approved')).json).told).toBe('file');
    expect(sent).toMatchObject({ status: 503, json: { error: expect.stringContaining('down'), mend: 'sluice up' } });

    await world.sluice(['up']);
    expect(RunList.parse((await web.ask('/api/runs')).json).source.kind).toBe('server');
  });
});

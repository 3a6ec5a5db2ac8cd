/** What other web pages can do to ours, whose address and even key they know; and what planted text can do inside it. All in a real browser. */
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { RunPage } from '../../client/http/shapes.js';
import { serveWebOf } from '../support/served-web.js';
import { beforeAllWithBrowser, itWithBrowser } from './it-with-browser.js';
import { type OpenBrowser, openBrowser, patient } from './open-browser.js';
import { openPageWorld, type PageWorld } from './page-world.js';

const RUN = 'page-attacked';

let own: PageWorld;
/** Its resolver believes that evil.test is at our address. */
let misled: OpenBrowser;
let other: Server;
let otherPort: number;
/** What planted text asked for. */
const hits: string[] = [];

beforeAllWithBrowser(async () => {
  own = await openPageWorld();
  await own.startGated(RUN);
  misled = await openBrowser([`--host-resolver-rules=MAP evil.test ${hostOf()}`]);
  other = createServer((asked, answer) => {
    if (asked.url?.startsWith('/hit') === true) hits.push(asked.url);
    answer.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>other</title><p>other');
  });
  // At our own host, as a page of some other program of this machine is: for a browser that is the same site.
  await new Promise<void>((resolve) => other.listen(0, hostOf(), resolve));
  otherPort = (other.address() as AddressInfo).port;
  return {
    async close() {
      other.close();
      await misled[Symbol.asyncDispose]();
      await own.close();
    },
  };
});

function hostOf(): string {
  return own.web.address.split(':')[0] ?? '';
}

/** What the run is by now, for who is told nothing by a page. */
async function isUntouched(): Promise<boolean> {
  const page = RunPage.parse((await own.web.ask(`/api/runs/${RUN}`)).json);
  return page.outcome === null && page.pause === 'none' && page.gates[0]?.status === 'pending';
}

/** As a script of that page says it; what it tells is JSON. */
function tell(page: Page, script: string): Promise<unknown> {
  return page.evaluate(`(async () => { ${script} })()`);
}

const asked = (url: string, options: string) =>
  `await fetch('${url}', ${options}).then(async (got) => got.type + ' ' + got.status + ' ' + (await got.text()).includes('${RUN}'), () => 'failed')`;

describe('a name that resolves to our address', () => {
  itWithBrowser('reads nothing and changes nothing, even with the key', async () => {
    const port = own.web.address.split(':')[1];
    const page = patient(await misled.browser.newPage());
    const got = await page.goto(`http://evil.test:${port}/`);
    const key = `headers: { authorization: 'Bearer ${own.web.key}', 'content-type': 'application/json' }`;

    const told = await tell(
      page,
      `return [
        ${asked('/api/runs', `{ ${key} }`)},
        ${asked(`/api/runs/${RUN}/abort`, `{ ${key}, method: 'POST', body: '{"requestId":"evil"}' }`)},
        ${asked('/api/stream?topic=list', `{ ${key} }`)},
      ];`,
    );

    expect(got?.status()).toBe(403);
    expect(told).toEqual(['basic 403 false', 'basic 403 false', 'basic 403 false']);
    expect(await isUntouched()).toBe(true);
    await page.close();
  });
});

describe('a page of another port of the same host', () => {
  async function otherPage(): Promise<Page> {
    const page = patient(await own.browser.newPage());
    await page.goto(`http://${hostOf()}:${otherPort}/`);
    return page;
  }

  itWithBrowser('reads nothing by fetch, and sends no message that counts', async () => {
    const page = await otherPage();
    const base = `http://${own.web.address}`;
    const key = `headers: { authorization: 'Bearer ${own.web.key}' }`;
    const abort = `${base}/api/runs/${RUN}/abort`;

    const told = await tell(
      page,
      `return [
        ${asked(`${base}/api/runs`, `{ ${key} }`)},
        ${asked(`${base}/`, '{}')},
        ${asked(`${base}/api/runs`, "{ mode: 'no-cors' }")},
        ${asked(abort, `{ ${key}, method: 'POST', body: '{"requestId":"evil"}' }`)},
        ${asked(abort, `{ mode: 'no-cors', method: 'POST', body: '{"requestId":"evil"}' }`)},
        navigator.sendBeacon('${abort}', '{"requestId":"evil"}') && 'sent',
        Object.keys(sessionStorage).length,
      ];`,
    );

    // What is opaque tells neither a status nor a text.
    expect(told).toEqual([
      'failed',
      'failed',
      expect.stringMatching(/^(failed|opaque 0 false)$/),
      'failed',
      expect.stringMatching(/^(failed|opaque 0 false)$/),
      'sent',
      0,
    ]);
    expect(await isUntouched()).toBe(true);
    await page.close();
  });

  itWithBrowser('posts no form, shows it in no frame or image, and sees nothing of a window', async () => {
    const page = await otherPage();
    const base = `http://${own.web.address}`;

    const told = await tell(
      page,
      `const loads = (tag, url) => new Promise((resolve) => {
        const element = document.createElement(tag);
        element.onload = () => resolve(tag + ' loaded');
        element.onerror = () => resolve(tag + ' failed');
        element.src = url;
        document.body.append(element);
      });
      const frame = document.createElement('iframe');
      frame.name = 'sink';
      const form = Object.assign(document.createElement('form'), { method: 'post', target: 'sink', action: '${base}/api/runs/${RUN}/abort', enctype: 'text/plain' });
      form.append(Object.assign(document.createElement('input'), { name: '{"requestId":"evil","a":"', value: '"}' }));
      document.body.append(frame, form);
      const posted = new Promise((resolve) => { frame.onload = resolve; });
      form.submit();
      await posted;
      return [await loads('img', '${base}/'), await loads('script', '${base}/main.js'), await loads('iframe', '${base}/runs/${RUN}')];`,
    );
    const popup = page.waitForEvent('popup');
    await tell(page, `window.popup = window.open('${base}/runs/${RUN}'); return null;`);
    const opened = await popup;
    await opened.getByRole('heading', { name: 'Sign in' }).waitFor();
    const seen = await tell(
      page,
      'let text = "none"; try { text = window.popup.document.body.innerText; } catch {} return [text, window.popup.closed];',
    );

    expect(told).toEqual(['img failed', 'script failed', expect.any(String)]);
    const frames = await Promise.all(
      page
        .frames()
        .slice(1)
        .map((frame) => frame.content()),
    );
    for (const content of frames) expect(content).not.toMatch(new RegExp(`${RUN}|Sign in`));
    expect(seen).toEqual(['none', true]);
    expect(await tell(opened, 'return window.opener === null;')).toBe(true);
    expect(await isUntouched()).toBe(true);
    await page.close();
  });
});

describe('planted text', () => {
  const MARK = 'PLANTED';
  const TIME = '2026-01-01T00:00:00.000Z';

  /** It would ask the other server, and leave a name behind. */
  function planted(where: string): string {
    const hit = `http://${hostOf()}:${otherPort}/hit-${where}`;
    return `${MARK}-${where} <img src=${hit} onerror=globalThis.wasRun=1><script>globalThis.wasRun=1</script><a href="javascript:globalThis.wasRun=1">x</a> \u202egnp\u0007\u001b]0;x\u0007\u200b`;
  }

  function plant(runDir: string): void {
    const folder = join(dirname(runDir), 'planted-1');
    cpSync(runDir, folder, { recursive: true });
    const { git, path } = own.repository;
    const name = `${MARK}-file <img src=x onerror=globalThis.wasRun=1> \u202egnp`;
    writeFileSync(join(path, name), `${planted('patch')}\n`);
    git('add', '--all');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'planted');
    const state = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as Record<string, unknown>;
    const fields = { runId: 'planted-1', workflowId: 'planted-1', title: planted('title'), task: planted('task') };
    const more = { error: planted('error'), branch: planted('branch'), worktree: planted('worktree') };
    const commits = { baseSha: git('rev-parse', 'HEAD~1').trim(), headSha: git('rev-parse', 'HEAD').trim() };
    writeFileSync(join(folder, 'state.json'), JSON.stringify({ ...state, ...fields, ...more, ...commits }));
    const [gate] = JSON.parse(readFileSync(join(folder, 'approvals.json'), 'utf8')) as Record<string, unknown>[];
    const asks = {
      reason: planted('reason'),
      source: planted('source'),
      riskLevel: planted('risk'),
      files: [planted('gate-file')],
    };
    writeFileSync(join(folder, 'approvals.json'), JSON.stringify([{ ...gate, ...asks, status: 'pending' }]));
    writeFileSync(join(folder, 'review.md'), `### F1 (high) ${planted('finding')}\n\nclaim\n`);
    writeFileSync(join(folder, 'plan.md'), planted('plan'));
    mkdirSync(join(folder, 'turns/999999-executing'), { recursive: true });
    const turn = { agent: planted('agent'), startedAt: TIME, endedAt: TIME, class: planted('class') };
    writeFileSync(join(folder, 'turns/999999-executing/turn.json'), JSON.stringify(turn));
    writeFileSync(join(folder, 'turns/999999-executing/output.md'), planted('output'));
    const line = {
      seq: 900,
      timestamp: '2026-01-01T00:00:00.000Z',
      type: planted('type'),
      message: planted('message'),
    };
    const began = {
      ...line,
      seq: 901,
      type: 'approval.requested',
      data: { gate: planted('mark'), stage: planted('stage') },
    };
    appendFileSync(
      join(folder, 'events.jsonl'),
      `${JSON.stringify({ ...line, data: {} })}\n${JSON.stringify(began)}\n`,
    );
  }

  itWithBrowser('is shown as text, with what would hide or reorder it visible, and runs nowhere', async () => {
    const { runDir } = RunPage.parse((await own.web.ask(`/api/runs/${RUN}`)).json);
    plant(runDir ?? '');
    const port = Number(own.web.address.split(':')[1]);
    await own.web.stop();
    own.web = await serveWebOf(own.world, own.world.folder, { port });
    const { page, faults } = await own.newTab();
    await page.getByText(`${MARK}-title`).first().waitFor();
    const list = await page.locator('body').innerText();
    await page.goto(`http://${own.web.address}/runs/planted-1`);
    await page.getByText(`${MARK}-message`).first().waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
    for (const where of ['patch', 'output', 'plan']) await page.getByText(`${MARK}-${where}`).first().waitFor();
    await page
      .locator('td', { hasText: `${MARK}-mark` })
      .first()
      .waitFor();

    const shown = await page.locator('body').innerText();
    const [tags, labels] = (await tell(
      page,
      `return [
        document.querySelectorAll('img, iframe, script:not([src="/main.js"]), a[href^="javascript"]').length,
        [...document.querySelectorAll('*')].flatMap((one) => [...one.attributes].map(({ value }) => value)).join(' '),
      ];`,
    )) as [number, string];

    const places =
      'title task error branch worktree reason source risk gate-file finding plan agent class output type message patch file mark stage';
    for (const where of places.split(' ')) expect([where, shown.includes(`${MARK}-${where}`)]).toEqual([where, true]);
    for (const text of [list, shown, labels, await page.title()])
      expect(/.{0,40}[\u202a-\u202e\u200b\u0007\u001b]/.exec(text)?.[0]).toBeUndefined();
    expect(tags).toBe(0);
    expect(await tell(page, 'return typeof globalThis.wasRun;')).toBe('undefined');
    expect([hits, faults]).toEqual([[], []]);
  });

  itWithBrowser('in an address that names nothing stops no stream of the other tabs', async () => {
    const { page, context } = await own.newTab();
    const second = await context.newPage();
    for (const path of ['/runs/a@b', '/runs/%', '/batches/%00', '/runs/%3Cimg%20src=x%3E']) {
      await second.goto(`http://${own.web.address}${path}`);
      await second.getByText('There is nothing here.').waitFor();
    }
    await page.getByText('live', { exact: true }).waitFor();
    await own.web.ask(`/api/runs/${RUN}/rename`, { method: 'POST', body: { title: 'Told live', requestId: 'live' } });
    await page.getByText('Told live').waitFor();
    await context.close();
  });
});

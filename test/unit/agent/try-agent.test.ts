/**
 * One question to an agent outside any run. The CLIs are programs that print what Codex prints; how it is started and read is the
 * adapter's own.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { tryAgent } from '../../../activities/agent/trial/try-agent.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300_000;
const KEY = 'nobody knows this key';

const freshFolder = tempFolders();
let folder: string;

beforeEach(() => {
  folder = freshFolder();
});

/** A shell script in the place of the CLI, which notes what it was started with. */
function cli(body: string): string {
  const path = join(folder, 'codex');
  writeFileSync(
    path,
    `#!/bin/sh\necho "$@" > ${folder}/argv\npwd > ${folder}/cwd\nls -A > ${folder}/files\nenv > ${folder}/env\n${body}\n`,
  );
  chmodSync(path, 0o755);
  return path;
}

const noted = (name: string) => readFileSync(join(folder, name), 'utf8').trim();

function tried(program: string, { limitMs = LIMIT_MS, stop = new AbortController().signal } = {}) {
  const environment = {
    PATH: process.env['PATH'],
    HOME: folder,
    TMPDIR: folder,
    CODEX_API_KEY: KEY,
    OTHER_KEY: 'of-nobody-else',
  };
  return tryAgent(
    { adapter: 'codex', program, args: [], passEnv: ['CODEX_API_KEY', 'NOT_SET'] },
    { environment, limitMs, stop },
  );
}

const saying = (...events: readonly unknown[]) =>
  `cat <<'END'\n${events.map((event) => JSON.stringify(event)).join('\n')}\nEND`;
const failing = (message: string) => `${saying({ type: 'turn.failed', error: { message } })}\nexit 1`;

describe('an agent that is asked one question', () => {
  it('works: it answers, and says what it used', async () => {
    const used = { input_tokens: 1200, cached_input_tokens: 0, output_tokens: 3 };
    const program = cli(
      `cat > ${folder}/prompt\n${saying(
        { type: 'item.completed', item: { type: 'agent_message', text: 'ready' } },
        { type: 'turn.completed', usage: used },
      )}`,
    );

    const result = await tried(program);

    expect(result).toMatchObject({ outcome: { kind: 'done' }, tokensIn: 1200, tokensOut: 3, costMicroUsd: null });
    expect(noted('prompt')).toContain('one word "ready"');
  });

  it('has tools that only look, an empty folder that is gone afterwards, and the variables that were named for it', async () => {
    await tried(cli('exit 0'));

    expect(noted('argv')).toContain('-s read-only');
    expect(noted('files')).toBe('');
    expect(existsSync(noted('cwd'))).toBe(false);
    expect(noted('env')).toContain(`CODEX_API_KEY=${KEY}`);
    expect(noted('env')).not.toContain('OTHER_KEY');
    expect(readdirSync(folder).filter((name) => name.startsWith('sluice-trial-'))).toEqual([]);
  });

  it.each([
    [
      'a login that is refused',
      'unexpected status 401 Unauthorized',
      { kind: 'hard', why: expect.stringContaining('codex login') },
    ],
    ['a limit that is reached', "You've hit your usage limit. Try again later.", { kind: 'usage_limit', until: null }],
    ['a provider that fails', 'unexpected status 503 Service Unavailable', { kind: 'transient' }],
  ])('tells %s', async (_what, message, outcome) => {
    expect((await tried(cli(failing(message)))).outcome).toMatchObject(outcome);
  });

  it('is ended with all of its group at the limit, though it does not end by itself', async () => {
    const program = cli(`trap '' TERM\nsh -c 'echo $$ > ${folder}/child; exec sleep 600' &\nwait\nwait`);

    const { outcome } = await tried(program, { limitMs: 500 });

    expect(outcome).toMatchObject({ kind: 'timeout' });
    await until(() => !isAlive(Number(noted('child'))));
  });

  it('is ended when whoever asked goes away', async () => {
    const stopping = new AbortController();
    const asked = tried(cli(`echo $$ > ${folder}/pid\nexec sleep 600`), { stop: stopping.signal });
    await until(() => existsSync(join(folder, 'pid')) && noted('pid') !== '');

    stopping.abort();

    expect((await asked).outcome.kind).not.toBe('done');
    expect(isAlive(Number(noted('pid')))).toBe(false);
  });

  it('that is not there is told as such', async () => {
    expect((await tried(join(folder, 'nothing'))).outcome).toMatchObject({
      kind: 'hard',
      why: expect.stringContaining('cannot be started'),
    });
  });

  it('shows no key that it was passed', async () => {
    const { outcome } = await tried(cli(failing(`no such key: ${KEY}`)));

    expect(outcome).toMatchObject({ kind: 'hard', why: expect.stringContaining('[redacted:environment]') });
    expect(JSON.stringify(outcome)).not.toContain(KEY);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Dead, but not waited for yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

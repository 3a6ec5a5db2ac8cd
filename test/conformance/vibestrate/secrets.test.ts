import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EndedRun, endedRuns } from '../../support/ended-run.js';
import { openTestHost, type TestHost, type TestWorker } from '../../support/test-host.js';
import { PLAIN_VALIDATION } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

/** Made here and joined at run time, so that no scanner of this repository takes them for real ones. */
const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const TOKENS = {
  task: ['ghp', hex(18)].join('_'),
  text: ['sk', 'ant', 'api03', hex(24)].join('-'),
  stream: ['glpat', hex(10)].join('-'),
  stderr: ['npm', hex(18)].join('_'),
  commandOut: ['AK', 'IA', hex(8).toUpperCase()].join(''),
  commandErr: ['xoxb', '123456789012', hex(12)].join('-'),
  commit: ['github', 'pat', hex(16)].join('_'),
  /** Of no known shape: the agent has it by a variable. */
  given: `quiet otter ${hex(4)}`,
} as const;

const GIVEN = `    env: { CORP_LOGIN: ${TOKENS.given} }\n`;

const KINDS = [
  'github-token',
  'anthropic-key',
  'gitlab-token',
  'npm-token',
  'aws-key',
  'slack-token',
  'environment',
] as const;

describe('secrets of known shapes, and values that an agent was given', () => {
  let host: TestHost;
  let runs: { spoken: EndedRun; died: EndedRun };
  let worker: TestWorker;

  beforeAll(async () => {
    host = await openTestHost();
    worker = await host.startWorker();
    runs = await endedRuns(host, {
      spoken: {
        input: { task: `change a.txt\nwith ${TOKENS.task}`, title: `change it with ${TOKENS.task}` },
        files: {
          'check.sh': `#!/bin/sh\necho out ${TOKENS.commandOut} ${TOKENS.given}\necho err ${TOKENS.commandErr} >&2\n`,
        },
        config: `${GIVEN}${PLAIN_VALIDATION.replace('["', '["./check.sh", "')}`,
        stages: {
          planning: { text: `The key is ${TOKENS.text}.`, stderr: `${TOKENS.given}\n` },
          architecting: {
            text: `Use {"key": "${TOKENS.stream}"} of ${TOKENS.given}.`,
            stderr: `warning ${TOKENS.stderr}\n`,
          },
          executing: {
            append: { 'a.txt': 'changed\n' },
            text: `Used ${TOKENS.text}.`,
            commit: `used ${TOKENS.commit} and ${TOKENS.given}`,
          },
          reviewing: { text: `It prints ${TOKENS.text} and ${TOKENS.given}`, decision: 'APPROVED' },
          verifying: { text: `${TOKENS.stream} is fine`, decision: 'PASSED' },
        },
      },
      died: {
        config: `${GIVEN}${PLAIN_VALIDATION}`,
        stages: {
          planning: {
            text: `Half of ${TOKENS.text}`,
            stderr: `no access with ${TOKENS.stderr} as ${TOKENS.given}\n`,
            exit: 1,
          },
        },
      },
    });
  });

  afterAll(() => host.close());

  const leaks = (text: string): string[] =>
    Object.entries(TOKENS).flatMap(([name, token]) => (text.includes(token) ? [name] : []));
  const filesOf = (name: 'spoken' | 'died') => filesBelow(runs[name].run.runDir);

  it('V-101: are replaced by a marker in every file of the run directory', () => {
    const files = [...filesOf('spoken'), ...filesOf('died')];
    const all = files.map(({ text }) => text).join('\n');

    expect(files.flatMap(({ path, text }) => leaks(text).map((token) => `${path}: ${token}`))).toEqual([]);
    expect(KINDS.filter((kind) => !all.includes(`[redacted:${kind}]`))).toEqual([]);
    expect(runs.spoken.run.read('plan.md')).toContain('The key is [redacted:anthropic-key].');
    expect(runs.spoken.run.read('validation/0-1.stdout.txt')).toBe('out [redacted:aws-key] [redacted:environment]\n');
    expect(runs.spoken.run.read('validation/0-1.stderr.txt')).toBe('err [redacted:slack-token]\n');
    expect(runs.spoken.result.outcome).toBe('merge_ready');
  });

  it('V-101: are in no stored artifact and no log of the sluice home', () => {
    const stored = filesBelow(host.home).filter(({ path }) => /\/artifacts\/|\.log$/.test(path));

    expect(stored.length).toBeGreaterThan(4);
    expect(stored.flatMap(({ path, text }) => leaks(text).map((token) => `${path}: ${token}`))).toEqual([]);
  });

  it('V-101: are not in the journal, the answer, the view or the history of the run', async () => {
    const histories = await Promise.all(
      [runs.spoken, runs.died].map(async ({ run }) => readable(await run.handle.fetchHistory())),
    );

    expect(histories.map(leaks)).toEqual([[], []]);
    expect(histories[0]).toContain('[redacted:github-token]');
    expect(leaks(JSON.stringify([runs.spoken.events, runs.spoken.view, runs.spoken.result]))).toEqual([]);
    expect(leaks(JSON.stringify([runs.died.events, runs.died.view, runs.died.result]))).toEqual([]);
    expect(runs.died.result.error).toContain('no access with [redacted:npm-token] as [redacted:environment]');
  });

  it('V-101: are not in what the worker logs of an activity that fails', async () => {
    const nowhere = { ...runs.spoken.repository, path: `/nowhere/${TOKENS.task}` };
    const refused = await host.startRun(nowhere, { task: `look for ${TOKENS.text}` });
    await expect(refused.result()).rejects.toThrow();
    await until(() => worker.logged().includes(refused.runId));

    expect(worker.logged()).toContain('/nowhere/[redacted:github-token]');
    expect(leaks(worker.logged())).toEqual([]);
  });

  it('V-101: are in no commit message of the branch', () => {
    const log = runs.spoken.repository.git('log', '--format=%B', `main..sluice/${runs.spoken.run.runId}`);

    expect(log).toContain('[redacted:github-token]');
    expect(leaks(log)).toEqual([]);
  });
});

function filesBelow(folder: string): { path: string; text: string }[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

/** Every string and every payload of a history. */
function readable(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(readable).join('\n');
}

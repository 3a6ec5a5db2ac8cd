import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ScriptedEntry } from '../../../activities/agent/adapters/scripted.js';
import type { ScriptedTurn } from '../../../activities/agent/scripted/fixture.js';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';

const entry: ScriptedEntry = [resolve('dist/activities/agent/scripted/main.js')];
const freshFolder = tempFolders();
let folder = '';
let worktree = '';
let ledger = '';
const token = randomUUID();

beforeEach(() => {
  folder = freshFolder();
  worktree = join(folder, 'work tree');
  ledger = join(folder, 'ledger');
  mkdirSync(worktree);
});

function start(stages: unknown, env: Record<string, string> = {}, prompt = 'do it\n'): ChildProcess {
  const fixture = join(folder, 'fixture.json');
  writeFileSync(fixture, typeof stages === 'string' ? stages : JSON.stringify({ ledger: 'ledger', stages }));
  const own = { PATH: process.env['PATH'] ?? '', SLUICE_STAGE: 'executing', SLUICE_ROUND: '0', SLUICE_TURN: token };
  const child = spawn(process.execPath, [...entry, fixture], { cwd: worktree, env: { ...own, ...env } });
  // One that refuses its fixture may have ended before it reads.
  child.stdin.on('error', () => undefined).end(prompt);
  return child;
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((done) => child.on('close', (code, signal) => done({ code, signal, stdout, stderr })));
}

const run = (turn: ScriptedTurn, env?: Record<string, string>, prompt?: string) =>
  ended(start({ executing: turn }, env, prompt));

const events = () => readLedger(ledger).map((entry) => entry.event);
const git = (...args: string[]) => spawnSync('git', args, { cwd: worktree, encoding: 'utf8' }).stdout;

describe('the scripted agent', () => {
  it('prints its text and notes start and end with stage, round, process and token', async () => {
    const child = start({ executing: { text: 'done\n' } });

    expect(await ended(child)).toEqual({ code: 0, signal: null, stdout: 'done\n', stderr: '' });
    const common = {
      stage: 'executing',
      round: '0',
      ask: 'work',
      pid: String(child.pid),
      token,
      at: expect.any(String),
    };
    expect(readLedger(ledger)).toEqual([
      { event: 'START', ...common },
      { event: 'END', ...common },
    ]);
  });

  it('writes, deletes and appends files', async () => {
    writeFileSync(join(worktree, 'old'), 'x');

    await run({ files: { 'a/new': 'new\n', old: null }, append: { 'a/count': 'one\n' } });
    await run({ append: { 'a/count': 'one\n' } });

    expect(readFileSync(join(worktree, 'a/new'), 'utf8')).toBe('new\n');
    expect(existsSync(join(worktree, 'old'))).toBe(false);
    expect(readFileSync(join(worktree, 'a/count'), 'utf8')).toBe('one\none\n');
  });

  it('applies a patch and makes a commit of its own', async () => {
    git('init', '--quiet');
    writeFileSync(join(worktree, 'a'), 'one\n');

    const { code, stderr } = await run({ patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n', commit: 'Mine' });

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(readFileSync(join(worktree, 'a'), 'utf8')).toBe('two\n');
    expect(git('log', '--format=%s', '--name-only')).toBe('Mine\n\na\n');
  });

  it('ends with 70 and the reason where a patch does not apply', async () => {
    const { code, stderr } = await run({ patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n' });

    expect(code).toBe(70);
    expect(stderr).toContain('git apply');
    expect(events()).toEqual(['START']);
  });

  it('writes outside, runs a command line, complains and chooses its exit code', async () => {
    const { code, stderr } = await run({
      writeOutside: '../outside',
      run: 'echo $SLUICE_STAGE > ran',
      stderr: 'no!\n',
      exit: 9,
    });

    expect({ code, stderr }).toEqual({ code: 9, stderr: 'no!\n' });
    expect(existsSync(join(folder, 'outside'))).toBe(true);
    expect(readFileSync(join(worktree, 'ran'), 'utf8')).toBe('executing\n');
  });

  it('says its cost and then its outcome, last of all, and fails', async () => {
    const { code, stderr } = await run({ outcome: 'rate_limited after=2', costUsd: 0.000001, stderr: 'oh\n' });

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'oh\nsluice-cost: 0.000001\nsluice-outcome: rate_limited after=2\n',
    });
    expect((await run({ outcome: 'refused', exit: 75 })).code).toBe(75);
  });

  it('floods to the byte', async () => {
    expect((await run({ flood: 3_000_001 })).stdout).toHaveLength(3_000_001);
  });
});

describe('the scripted agent decides', () => {
  const reviewing = { SLUICE_STAGE: 'reviewing' };
  const prompt = (ask: string) =>
    `[stage:reviewing] [round:0] [ask:${ask}]\nDECISION old: APPROVED\nDECISION ab12cd34: APPROVED | BLOCKED\n`;

  it('with the code of the template in its prompt', async () => {
    const child = start({ reviewing: { text: 'ok {{code}}', decision: 'APPROVED' } }, reviewing, prompt('work'));

    expect((await ended(child)).stdout).toBe('ok ab12cd34\nDECISION ab12cd34: APPROVED\n');
  });

  it('with a value of its own where it is asked again', async () => {
    const stages = { reviewing: { text: 'hm\n', decisionAsk: 'BLOCKED' } };

    expect((await ended(start(stages, reviewing, prompt('work')))).stdout).toBe('hm\n');
    expect((await ended(start(stages, reviewing, prompt('decision')))).stdout).toBe('hm\nDECISION ab12cd34: BLOCKED\n');
  });

  it('after its findings, its answers and what it asks a person', async () => {
    const turn = {
      text: 'hm',
      findings: [{ id: 'F1' }],
      responses: [],
      humanApproval: { reason: 'why', risk: 'low', action: 'look' },
      question: 'Which?',
      decision: 'BLOCKED',
    };

    expect((await ended(start({ reviewing: turn }, reviewing, prompt('work')))).stdout.split('\n')).toEqual([
      'hm',
      '```findings',
      '[',
      '  {',
      '    "id": "F1"',
      '  }',
      ']',
      '```',
      '```responses',
      '[]',
      '```',
      'HUMAN_APPROVAL ab12cd34: REQUIRED',
      'REASON: why',
      'RISK: low',
      'ACTION: look',
      'QUESTION ab12cd34: Which?',
      'DECISION ab12cd34: BLOCKED',
      '',
    ]);
    expect((await ended(start({ reviewing: turn }, reviewing, prompt('decision')))).stdout).toBe(
      'hm\nDECISION ab12cd34: BLOCKED\n',
    );
  });

  it('nothing, but asks with the code of a prompt that offers only that', async () => {
    const { stdout } = await run(
      { question: 'Which?' },
      {},
      'QUESTION 00000000: mine\nHUMAN_APPROVAL ab12cd34: REQUIRED | NOT_REQUIRED\n',
    );

    expect(stdout).toBe('QUESTION ab12cd34: Which?\n');
  });

  it('by a verification line in stage verifying', async () => {
    const child = start(
      { verifying: { decision: 'PASSED' } },
      { SLUICE_STAGE: 'verifying' },
      'VERIFICATION ff00ff00: PASSED | FAILED\n',
    );

    expect((await ended(child)).stdout).toBe('VERIFICATION ff00ff00: PASSED\n');
  });
});

describe('the scripted agent takes its turn', () => {
  it.each([
    ['executing', '0', 'first'],
    ['executing', '1', 'second'],
    ['executing', '7', 'second'],
    ['fixing', '1', 'first'],
    ['fixing', '2', 'second'],
  ])('of stage %s in round %s: the %s', async (stage, round, text) => {
    const turns = [{ text: 'first' }, { text: 'second' }];
    const child = start({ [stage]: turns }, { SLUICE_STAGE: stage, SLUICE_ROUND: round });

    expect((await ended(child)).stdout).toBe(text);
  });

  it('once, and another one where the first was started before', async () => {
    const turn: ScriptedTurn = { exit: 1, again: { text: 'second try' } };

    expect(await run(turn)).toMatchObject({ code: 1, stdout: '' });
    expect(await run(turn)).toMatchObject({ code: 0, stdout: 'second try' });
  });

  it('and another one on each attempt, the last one again and again, counted by round and ask', async () => {
    const turn: ScriptedTurn = {
      outcome: 'transient',
      again: { text: '', exit: 3, again: { text: 'third', again: { text: 'last' } } },
    };
    const ends: Ended[] = [];
    for (let n = 0; n < 5; n += 1) ends.push(await run(turn));
    ends.push(await run(turn, { SLUICE_ROUND: '1' }));

    expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual([
      [1, ''],
      [3, ''],
      [0, 'third'],
      [0, 'last'],
      [0, 'last'],
      [1, ''],
    ]);
  });

  it('from the marker of the prompt when it is started by hand', async () => {
    const fixture = join(folder, 'hand.json');
    writeFileSync(fixture, JSON.stringify({ stages: { fixing: [{ text: 'one' }, { text: 'two' }] } }));

    const { stdout } = spawnSync(process.execPath, [...entry, fixture], {
      env: {},
      encoding: 'utf8',
      input: '[stage:fixing] [round:2]\n',
    });

    expect(stdout).toBe('two');
  });
});

describe('the scripted agent misbehaves', () => {
  it('by hanging until it is killed', async () => {
    const child = start({ executing: { text: 'half', hang: true } });
    const end = ended(child);
    await new Promise((printed) => child.stdout?.once('data', printed));
    child.kill('SIGKILL');

    expect(await end).toMatchObject({ signal: 'SIGKILL', stdout: 'half' });
    expect(events()).toEqual(['START']);
  });

  it('by dying of a signal of its own, with what it printed', async () => {
    expect(await run({ text: 'half', killSelf: 'SIGKILL' })).toMatchObject({ signal: 'SIGKILL', stdout: 'half' });
  });

  it('by ignoring SIGTERM', async () => {
    const child = start({ executing: { ignoreTerm: true, waitFor: 'go', text: 'still here' } });
    const end = ended(child);
    await until(() => events().includes('START'));
    child.kill('SIGTERM');
    writeFileSync(join(folder, 'go'), '');

    expect(await end).toMatchObject({ code: 0, stdout: 'still here' });
  });

  it('by leaving a child in a session of its own that outlives it', async () => {
    await run({ forkSetsid: 300, text: 'bye' });
    const child = readLedger(ledger).find((entry) => entry.event === 'CHILD_START');

    expect(child?.pid).toMatch(/^\d+$/);
    await until(() => events().includes('CHILD_END'));
    expect(readLedger(ledger).at(-1)).toMatchObject({ event: 'CHILD_END', pid: child?.pid, token });
  });
});

describe('a fixture that cannot be used', () => {
  it.each<[string, unknown, string]>([
    ['is not JSON', '{', 'the fixture is not JSON'],
    ['has no stages', '{}', 'stages is missing: must be an object'],
    ['has an unknown key', '{"stage":{}}', 'the fixture has the unknown key "stage": known are ledger, stages'],
    ['has an unknown stage', { coding: {} }, 'stages has the unknown key "coding": known are planning,'],
    ['has an unknown key in a turn', { executing: { texts: 'x' } }, 'stages.executing has the unknown key "texts"'],
    [
      'has a wrong value',
      { executing: [{}, { exit: 'x' }] },
      'stages.executing[1].exit is "x": must be a whole number from 0 to 255',
    ],
    [
      'has a wrong value deep inside',
      { executing: { again: { files: { a: 1 } } } },
      'stages.executing.again.files["a"] is 1: must be',
    ],
    [
      'has findings that are no list',
      { executing: { findings: {} } },
      'stages.executing.findings is {}: must be a list',
    ],
    [
      'has an unknown key in what it asks',
      { executing: { humanApproval: { why: 'x' } } },
      'humanApproval has the unknown key "why"',
    ],
    ['has a negative cost', { executing: { costUsd: -1 } }, 'stages.executing.costUsd is -1: must be a number from 0'],
    ['has an empty list', { executing: [] }, 'stages.executing is []: must hold at least one turn'],
    ['does not know the stage', { planning: {} }, 'stages.executing is missing'],
  ])('%s: its error says where', async (_what, stages, message) => {
    const { code, stderr } = await ended(start(stages));

    expect(code).toBe(70);
    expect(stderr).toContain(message);
  });
});

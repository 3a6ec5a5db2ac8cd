import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { addToExecutionLog, MAX_EXECUTION_LOG_BYTES } from '../../../activities/journal/execution-log.js';
import {
  createRunProjection,
  type RunProjection,
  type TurnProjection,
  type TurnSummary,
} from '../../../activities/journal/projection.js';
import type { ValidationReport } from '../../../protocol/run/outcomes.js';
import { tempFolders } from '../../support/temp-folder.js';
import { aListener, anEvent, aView, events, NO_BUDGET, NO_FAIL } from './journal-builders.js';

const folder = tempFolders();
const SECRET = `ghp_${'a1'.repeat(18)}`;
const COMMIT = 'c'.repeat(40);
const RUN = 'demo-261121-abcd';

async function aProjection(runsDir = '.sluice/runs'): Promise<RunProjection> {
  const projection = createRunProjection({ repo: folder(), runsDir, runId: RUN, ...NO_FAIL, ...aListener() });
  await projection.open();
  return projection;
}

function aTurn(turn: Partial<TurnSummary> = {}, rest: Partial<TurnProjection> = {}): TurnProjection {
  return {
    turn: {
      seq: 2,
      stage: 'planning',
      round: 0,
      attempt: 1,
      agent: 'robot',
      adapter: 'scripted',
      model: null,
      conversationId: null,
      startedAt: '2026-11-21T10:00:00.000Z',
      endedAt: '2026-11-21T10:00:01.000Z',
      exitCode: 0,
      class: 'done',
      tokensIn: null,
      tokensOut: null,
      costMicroUsd: null,
      denied: 0,
      ...turn,
    },
    prompt: 'the prompt',
    output: 'the output',
    streamPath: null,
    commit: COMMIT,
    review: null,
    verification: null,
    findings: [],
    responses: [],
    answered: [],
    ...rest,
  };
}

function aReport(overrides: Partial<ValidationReport> = {}): ValidationReport {
  const command = {
    command: 'npm test',
    exitCode: 1,
    status: 'failed',
    timedOut: false,
    failedOnBase: false,
    durationMs: 20,
  } as const;
  return {
    round: 0,
    commit: COMMIT,
    tree: 'd'.repeat(40),
    commands: [{ ...command, stdoutPath: 'validation/0-1.stdout.txt', stderrPath: 'validation/0-1.stderr.txt' }],
    summary: { total: 1, passed: 0, failed: 1, environment: 0 },
    treeChanged: false,
    note: null,
    ...overrides,
  };
}

function read(projection: RunProjection, name: string): Promise<string> {
  return readFile(join(projection.runDir, name), 'utf8');
}

describe('run directory', () => {
  it.each(['.sluice/runs', '.vibestrate/runs'])(
    'lies in %s, hidden from git by a .gitignore beside it',
    async (runsDir) => {
      const projection = await aProjection(runsDir);

      expect(projection.runDir.endsWith(`${runsDir}/${RUN}`)).toBe(true);
      expect(await readFile(join(projection.runDir, '..', '.gitignore'), 'utf8')).toBe('*\n');
      expect(await read(projection, 'approvals.json')).toBe('[]\n');
    },
  );

  it.each([['../runs'], ['/runs'], ['a/../../b'], ['.git/runs']])('refuses the runs directory %s', (runsDir) => {
    expect(() => createRunProjection({ repo: '/r', runsDir, runId: RUN, ...NO_FAIL, ...aListener() })).toThrow(
      /inside the repository/,
    );
  });

  it('rewrites an edited state.json with the next journal batch', async () => {
    const projection = await aProjection();
    await projection.journal({ events: events(1, 1), view: aView({ seq: 1 }), gates: null });
    await writeFile(join(projection.runDir, 'state.json'), '{"status":"merged","seq":99}');

    expect(
      await projection.journal({ events: events(2, 2), view: aView({ seq: 2, error: SECRET }), gates: null }),
    ).toEqual({
      seq: 2,
      isNewest: true,
    });

    expect(JSON.parse(await read(projection, 'state.json'))).toEqual({
      ...aView({ seq: 2 }),
      error: '[redacted:github-token]',
    });
  });

  it('holds each turn with its prompt, output, stream and summary, without the secrets in them', async () => {
    const projection = await aProjection();
    const streamPath = join(folder(), 'stdout');
    await writeFile(streamPath, `{"text":"${SECRET}"}\nünïcode\n`);

    await projection.projectTurn(aTurn({}, { prompt: SECRET, output: `# Plan\n${SECRET}`, streamPath }));

    expect(await read(projection, 'plan.md')).toBe('# Plan\n[redacted:github-token]');
    expect(await read(projection, 'turns/2-planning/prompt.md')).toBe('[redacted:github-token]');
    expect(await read(projection, 'turns/2-planning/output.md')).toBe('# Plan\n[redacted:github-token]');
    expect(await read(projection, 'turns/2-planning/stream.jsonl')).toBe(
      '{"text":"[redacted:github-token]"}\nünïcode\n',
    );
    expect(JSON.parse(await read(projection, 'turns/2-planning/turn.json'))).toMatchObject({
      agent: 'robot',
      class: 'done',
      tokensIn: null,
    });
  });

  it('never leaves plan.md or architecture.md empty', async () => {
    const projection = await aProjection();

    await projection.projectTurn(aTurn({ stage: 'planning' }, { output: ' \n' }));
    await projection.projectTurn(aTurn({ stage: 'architecting' }, { output: '' }));

    expect((await read(projection, 'plan.md')).trim()).not.toBe('');
    expect((await read(projection, 'architecture.md')).trim()).not.toBe('');
  });

  it('keeps the review and the validation of every round and shows the latest', async () => {
    const projection = await aProjection();
    const raw = join(folder(), 'raw');
    await writeFile(raw, `out ${SECRET}\n`);
    for (const round of [0, 1]) {
      await projection.projectValidation({
        report: aReport({ round }),
        outputs: [{ stdout: raw, stderr: raw }],
        findings: null,
      });
      const review = round === 0 ? 'CHANGES_REQUESTED' : 'APPROVED';
      await projection.projectTurn(aTurn({ seq: 5 + round, stage: 'reviewing', round }, { review }));
    }
    await projection.projectTurn(aTurn({ seq: 9, stage: 'verifying', round: 1 }, { verification: 'PASSED' }));

    expect(await read(projection, 'rounds/0/review.md')).toContain('DECISION: CHANGES_REQUESTED');
    expect(await read(projection, 'review.md')).toMatch(
      /^# Review, round 1\n\nDECISION: APPROVED\nCommit: c{40}\nSource: agent\n[^]*## Raw\n\nthe output\n$/,
    );
    expect(await read(projection, 'verification.md')).toContain('VERIFICATION: PASSED');
    expect(JSON.parse(await read(projection, 'validation.json'))).toEqual(aReport({ round: 1 }));
    expect(await read(projection, 'validation/1-1.stdout.txt')).toBe('out [redacted:github-token]\n');
    expect(existsSync(join(projection.runDir, 'rounds/0/validation.json'))).toBe(true);
  });

  it('closes with a report, metrics and an assurance, and sweeps what killed writers left', async () => {
    const projection = await aProjection();
    const data = {
      stage: 'executing',
      round: 0,
      seq: 4,
      agent: 'robot',
      adapter: 'scripted',
      model: null,
      exitCode: 0,
      outcome: 'done',
      durationMs: 1000,
    };
    const batch = [
      anEvent(1, { type: 'turn.completed', data }),
      anEvent(2, { type: 'turn.failed', data }),
      anEvent(3, { type: 'policy.violation', message: 'wrote \u202eoutside' }),
    ];
    await projection.journal({ events: batch, view: aView({ seq: 3 }), gates: null });
    await writeFile(join(projection.runDir, '.state.json.1-1.sluice-tmp'), 'half');

    const path = await projection.projectClose({
      view: aView({ title: 'fix \x1b[31msetKey', seq: 3 }),
      validation: aReport({ commands: aReport().commands.flatMap((one) => [one, { ...one, status: 'environment' }]) }),
      changes: { kind: 'listed', files: [{ path: 'a|b`c.js', added: 3, deleted: 1 }] },
      notes: [],
      budget: NO_BUDGET,
      verdict: 'unsafe',
      verdictReasons: ['a policy violation was recorded'],
      endedAt: '2026-11-21T10:01:00.000Z',
    });

    const report = await readFile(path, 'utf8');
    expect(report.split('\n')[0]).toBe('# merge_ready: fix setKey');
    for (const part of [
      '1 file, +3 -1.',
      'robot (scripted)',
      '`npm test` | failed (exit 1)',
      '`npm test` | could not run |',
      'wrote <U+202E>outside',
      'git merge sluice/',
      '## Assurance: unsafe',
    ]) {
      expect(report).toContain(part);
    }
    expect(JSON.parse(await read(projection, 'metrics.json'))).toMatchObject({
      turns: 2,
      failedAttempts: 1,
      tokensIn: null,
      wallMs: 60000,
      agentMs: 2000,
      engineMs: 58000,
    });
    expect(JSON.parse(await read(projection, 'assurance.json'))).toEqual({
      verdict: 'unsafe',
      checksRan: true,
      reasons: ['a policy violation was recorded'],
    });
    expect((await readdir(projection.runDir)).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

describe('execution.log', () => {
  const turn = { seq: 4, stage: 'executing', agent: 'robot', startedAt: 'T', output: 'did it' };

  it('has one header line a turn, and a repeated turn replaces its own section', () => {
    const one = addToExecutionLog('', { ...turn, output: 'half\n=== turn 9 forged' });
    const two = addToExecutionLog(one, { ...turn, seq: 6 });

    expect(addToExecutionLog(two, turn)).toBe(
      '=== turn 4 executing robot T ===\ndid it\n=== turn 6 executing robot T ===\ndid it\n',
    );
  });

  it('is cut at 10 MiB with a marker, once', () => {
    const big = addToExecutionLog('', { ...turn, output: 'é'.repeat(6 * 1024 * 1024) });
    const more = addToExecutionLog(big, { ...turn, seq: 6 });

    expect(Buffer.byteLength(more)).toBeLessThanOrEqual(MAX_EXECUTION_LOG_BYTES);
    expect(more.match(/\[cut at 10 MiB/g)).toHaveLength(1);
    expect(more).not.toContain('\ufffd');
  });
});

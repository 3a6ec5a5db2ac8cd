import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { openTestHost, type TestHost, type TestRun } from '../../support/test-host.js';
import type { TestRepository } from '../../support/test-repository.js';

const HAPPY_PATH = [
  'planning',
  'planned',
  'architecting',
  'architected',
  'executing',
  'validating',
  'reviewing',
  'verifying',
  'merge_ready',
];

/** Source: docs/requirements/vibestrate.md "validation.json". Strict: no field more, none less. */
const VALIDATION = z.strictObject({
  round: z.literal(0),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  tree: z.string().regex(/^[0-9a-f]{40}$/),
  commands: z.array(
    z.strictObject({
      command: z.string(),
      exitCode: z.int().nullable(),
      status: z.enum(['passed', 'failed', 'environment']),
      timedOut: z.boolean(),
      failedOnBase: z.boolean(),
      durationMs: z.number().min(0),
      stdoutPath: z.string(),
      stderrPath: z.string(),
    }),
  ),
  summary: z.strictObject({ total: z.int(), passed: z.int(), failed: z.int(), environment: z.int() }),
  treeChanged: z.boolean(),
  note: z.string().nullable(),
});

describe('a plain run', () => {
  let host: TestHost;
  let repository: TestRepository;
  let run: TestRun;
  let view: RunView;

  beforeAll(async () => {
    host = await openTestHost();
    repository = await host.repository();
    await host.startWorker();
    run = await host.startRun(repository);
    await run.result();
    view = await run.view();
  });

  afterAll(() => host.close());

  /** Unit: ms. */
  const writtenAt = (name: string): number => statSync(join(run.runDir, name)).mtimeMs;
  const enteredAt = (status: string): number => {
    const event = run.events().find(({ type, data }) => type === 'state.changed' && data['to'] === status);
    return Date.parse(event?.timestamp ?? '');
  };
  const startedAt = (stage: string): number => {
    const entry = readLedger(repository.ledgerPath).find((line) => line.event === 'START' && line.stage === stage);
    return Date.parse(entry?.at ?? '');
  };

  it('V-10, V-11: enters each status of the happy path once, in order', () => {
    const moves = run.events().filter((event) => event.type === 'state.changed');

    expect(moves.map((event) => event.data['to'])).toEqual(HAPPY_PATH);
    expect(moves.map((event) => event.data['from'])).toEqual(['created', ...HAPPY_PATH.slice(0, -1)]);
    expect(view.status).toBe('merge_ready');
  });

  it('V-12: holds planned and architected after the artifact is stored and before the next stage starts', () => {
    expect(writtenAt('plan.md')).toBeLessThanOrEqual(enteredAt('planned'));
    expect(enteredAt('planned')).toBeLessThanOrEqual(startedAt('architecting'));
    expect(writtenAt('architecture.md')).toBeLessThanOrEqual(enteredAt('architected'));
    expect(enteredAt('architected')).toBeLessThanOrEqual(startedAt('executing'));
    expect(writtenAt('plan.md')).toBeGreaterThan(startedAt('planning'));
  });

  it('V-13: leaves a diff on the branch', () => {
    const diff = repository.git('diff', `${view.baseSha}..sluice/${run.runId}`, '--', 'a.txt');

    expect(diff).toContain('+changed');
  });

  it('V-14: leaves a clean worktree, and a merge of the branch holds the change', () => {
    const status = repository.git('-C', view.worktree ?? '', 'status', '--porcelain');
    repository.git('switch', '-q', '-c', 'merged', 'main');
    repository.git('merge', '-q', '--no-edit', `sluice/${run.runId}`);

    expect(status).toBe('');
    expect(readFileSync(join(view.worktree ?? '', 'a.txt'), 'utf8')).toBe('one\nchanged\n');
    expect(repository.git('show', 'merged:a.txt')).toBe('one\nchanged\n');
    expect(view.headSha).toBe(repository.git('rev-parse', `sluice/${run.runId}`).trim());
  });

  it('V-90: planning stores plan.md before the run is planned', () => {
    expect(run.read('plan.md')).toContain('Plan: add a line to a.txt.');
    expect(writtenAt('plan.md')).toBeLessThanOrEqual(enteredAt('planned'));
  });

  it('V-91: architecting stores architecture.md before the run is architected', () => {
    expect(run.read('architecture.md')).toContain('Architecture: one file.');
    expect(writtenAt('architecture.md')).toBeLessThanOrEqual(enteredAt('architected'));
  });

  it('V-92: executing edits files in the worktree and writes execution.log', () => {
    const [header, ...text] = run.read('execution.log').split('\n');

    expect(header).toMatch(/^=== turn \d+ executing script .+ ===$/);
    expect(text.join('\n')).toContain('Added a line.');
    expect(writtenAt('execution.log')).toBeLessThanOrEqual(enteredAt('validating'));
    expect(repository.git('diff', '--name-only', `${view.baseSha}..sluice/${run.runId}`).trim()).toBe('a.txt');
  });

  it('V-93: validating writes validation.json in its format, about the commit that the branch holds', () => {
    const report = VALIDATION.parse(JSON.parse(run.read('validation.json')));

    expect(report.commit).toBe(view.headSha);
    expect(report.tree).toBe(repository.git('rev-parse', `${report.commit}^{tree}`).trim());
    expect(report.summary).toEqual({ total: 1, passed: 1, failed: 0, environment: 0 });
    expect(report.commands.map(({ command, status }) => [command, status])).toEqual([
      ['grep -q changed a.txt', 'passed'],
    ]);
    expect(
      report.commands
        .flatMap(({ stdoutPath, stderrPath }) => [stdoutPath, stderrPath])
        .filter((path) => !existsSync(join(run.runDir, path))),
    ).toEqual([]);
    expect(writtenAt('validation.json')).toBeLessThanOrEqual(enteredAt('reviewing'));
  });

  it('V-94: reviewing writes review.md with the decision', () => {
    const [title, , decision, commit, source] = run.read('review.md').split('\n');

    expect([title, decision, commit, source]).toEqual([
      '# Review, round 0',
      'DECISION: APPROVED',
      `Commit: ${view.headSha}`,
      'Source: agent',
    ]);
    expect(run.read('review.md')).toMatch(/## Summary[\s\S]+## Findings[\s\S]+## Raw[\s\S]+Looks right\./);
    expect(writtenAt('review.md')).toBeLessThanOrEqual(enteredAt('verifying'));
  });

  it('V-96: verifying writes verification.md with the decision', () => {
    const [title, , decision, commit] = run.read('verification.md').split('\n');

    expect([title, decision, commit]).toEqual(['# Verification', 'VERIFICATION: PASSED', `Commit: ${view.headSha}`]);
    expect(run.read('verification.md')).toMatch(
      /## Summary[\s\S]+## Open points[\s\S]+## Raw[\s\S]+It does the task\./,
    );
    expect(writtenAt('verification.md')).toBeLessThanOrEqual(enteredAt('merge_ready'));
  });

  it('V-97: keeps all of it in one directory of the run', () => {
    const names = readdirSync(run.runDir).sort();

    expect(run.runDir).toBe(join(repository.path, '.sluice/runs', run.runId));
    expect(names).toEqual(RUN_FILES);
    expect(readdirSync(join(run.runDir, 'turns')).map((name) => name.replace(/^\d+-/, ''))).toEqual(
      expect.arrayContaining(['planning', 'architecting', 'executing', 'reviewing', 'verifying']),
    );
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it('V-98: journals every move and every turn with a gapless seq', () => {
    const events = run.events();

    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === 'turn.started')).toHaveLength(5);
    expect(events.filter(({ type }) => type === 'turn.completed')).toHaveLength(5);
    expect(events.at(0)?.type).toBe('run.created');
    expect(events.at(-1)?.type).toBe('run.completed');
    expect(view.seq).toBe(events.length);
  });

  it('V-102: closes with report, metrics and a verdict', () => {
    const metrics: unknown = JSON.parse(run.read('metrics.json'));

    expect(JSON.parse(run.read('assurance.json'))).toMatchObject({ verdict: 'verified' });
    expect(metrics).toMatchObject({ turns: 5, failedAttempts: 0, tokensIn: null, tokensOut: null, costMicroUsd: null });
    expect(metrics).toMatchObject({
      wallMs: expect.any(Number),
      agentMs: expect.any(Number),
      validationMs: expect.any(Number),
    });
    expect(run.read('report.md')).toMatch(
      /^# merge_ready: change a\.txt[\s\S]+verdict verified[\s\S]+`a\.txt`[\s\S]+APPROVED[\s\S]+PASSED/,
    );
  });
});

/** Source: docs/requirements/vibestrate.md "Run directory"; `finding-responses.md` comes with the first fix. */
const RUN_FILES = [
  'approvals.json',
  'architecture.md',
  'assurance.json',
  'events.jsonl',
  'execution.log',
  'metrics.json',
  'plan.md',
  'report.md',
  'review.md',
  'rounds',
  'state.json',
  'turns',
  'validation',
  'validation.json',
  'verification.md',
];

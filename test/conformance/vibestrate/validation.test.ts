import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ValidationReport } from '../../../protocol/run/outcomes.js';
import { type EndedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { promptsOf } from '../../support/turn-files.js';
import { until } from '../../support/until.js';

const VALIDATED = 'stageList: [executing, validating, verifying]\n';

const commands = (lines: readonly string[], more = ''): RunCase => ({
  config: `${VALIDATED}validation:\n  commands: ${JSON.stringify(lines)}\n${more}`,
});

const LOOP = 'stageList: [executing, validating, reviewing, fixing, verifying]\n';

/** Red until the fixer adds its line, and red again where that line is broken; says which tree it saw. */
const CHECK = 'grep -qx fixed a.txt || { echo "line fixed is missing in a.txt"; exit 1; }';

const loop = (more: string, stages: RunCase['stages'] = {}): RunCase => ({
  config: `${LOOP}validation:\n  commands: ${JSON.stringify([CHECK])}\n${more}`,
  stages: { fixing: { append: { 'a.txt': 'fixed\n' }, text: 'Added the line.' }, ...stages },
});

const ASKS = { text: 'The line is missing.', decision: 'CHANGES_REQUESTED' } as const;
const CONTENT = { text: 'Right.', decision: 'APPROVED' } as const;

const LOOPS = {
  redFixed: loop(''),
  redNever: loop('rounds: 1\n', { fixing: { append: { 'a.txt': 'other\n' }, text: 'Tried.' } }),
  reviewed: loop('  onFailure: review\n', { reviewing: [ASKS, CONTENT] }),
  reviewedRed: loop('  onFailure: review\n', { reviewing: CONTENT }),
  fixBreaks: loop('rounds: 1\n', {
    executing: { append: { 'a.txt': 'fixed\n' }, text: 'Added a line.' },
    reviewing: [ASKS, CONTENT],
    fixing: { files: { 'a.txt': 'one\n' }, text: 'Took it out.' },
  }),
  fixKeeps: loop('', {
    executing: { append: { 'a.txt': 'fixed\n' }, text: 'Added a line.' },
    reviewing: [ASKS, CONTENT],
    fixing: { append: { 'a.txt': 'more\n' }, text: 'Added another.' },
  }),
  noProgram: { config: `${LOOP}validation:\n  commands: ['no-such-program-of-sluice']\n` },
  someProgram: { config: `${LOOP}validation:\n  commands: ['grep -q changed a.txt', 'no-such-program-of-sluice']\n` },
  ignoredBase: loop('  baseFailures: ignore\n'),
} satisfies Record<string, RunCase>;

const CASES = {
  four: commands(['grep -q changed a.txt', '! grep -q changed a.txt', 'no-such-program-of-sluice', 'test -e never']),
  fixBase: commands(['grep -q changed a.txt', 'test -e never'], '  baseFailures: fix\n'),
  ignoreBase: commands(['grep -q changed a.txt', 'test -e never'], '  baseFailures: ignore\n'),
  // Of two that are red one is so by the change.
  ignoreOther: commands(['! grep -q changed a.txt', 'test -e never'], '  baseFailures: ignore\n'),
  someEnvironment: commands(['grep -q changed a.txt', 'no-such-program-of-sluice']),
  onlyEnvironment: commands(['no-such-program-of-sluice', 'exit 127']),
  checkout: commands(['pwd', 'echo made > a.txt', 'grep -qx made a.txt']),
  seconds: commands(['sleep 600'], '  timeoutSeconds: 1\n'),
  slow: commands(['sleep 600 & echo $!; sleep 600', 'grep -q changed a.txt'], '  timeout: 1s\n'),
  none: { config: VALIDATED },
  noneFull: { config: '' },
} satisfies Record<string, RunCase>;

describe('validation', () => {
  let host: TestHost;
  let runs: Record<keyof typeof CASES, EndedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    runs = await endedRuns(host, CASES);
  }, 300_000);

  afterAll(() => host.close());

  it('V-110: runs every command in order and tells passed, failed and environment apart', () => {
    const { commands: results, summary } = reportOf(runs.four);

    expect(results.map(({ command, status, exitCode }) => [command, status, exitCode])).toEqual([
      ['grep -q changed a.txt', 'passed', 0],
      ['! grep -q changed a.txt', 'failed', 1],
      ['no-such-program-of-sluice', 'environment', 127],
      ['test -e never', 'failed', 1],
    ]);
    expect(summary).toEqual({ total: 4, passed: 1, failed: 2, environment: 1 });
    expect(runs.four.result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_failed' });
    expect(runs.four.turns).toEqual(['executing']);
  });

  it('V-110: marks what is red on the base commit too, and counts it as a failure by default', () => {
    expect(reportOf(runs.four).commands.map(({ failedOnBase }) => failedOnBase)).toEqual([false, false, false, true]);
    expect(reportOf(runs.fixBase).commands.map(({ failedOnBase }) => failedOnBase)).toEqual([false, true]);
    expect(runs.fixBase.result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_failed' });
    expect(runs.fixBase.run.read('report.md')).toContain('red on the base too');
  });

  it('V-110: lets such a failure pass with baseFailures: ignore, at most partially verified', () => {
    expect(reportOf(runs.ignoreBase).commands.map(({ status, failedOnBase }) => [status, failedOnBase])).toEqual([
      ['passed', false],
      ['failed', true],
    ]);
    expect(runs.ignoreBase.result).toMatchObject({ outcome: 'merge_ready', verdict: 'partially_verified' });
    expect(reportOf(runs.ignoreOther).commands.map(({ failedOnBase }) => failedOnBase)).toEqual([false, true]);
    expect(runs.ignoreOther.result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_failed' });
  });

  it('V-110: a command that is not found is no pass', () => {
    expect(runs.someEnvironment.result).toMatchObject({ outcome: 'merge_ready', verdict: 'partially_verified' });
    expect(runs.onlyEnvironment.result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_unavailable' });
    expect(reportOf(runs.onlyEnvironment).summary).toEqual({ total: 2, passed: 0, failed: 0, environment: 2 });
  });

  it("V-110: runs one command after the other in a checkout of the engine's own, and notices one that changes tracked files", () => {
    const { run, view, result } = runs.checkout;
    const place = run.read('validation/0-1.stdout.txt').trim();

    expect(place).toBe(`${view.worktree}+validation`);
    expect(reportOf(runs.checkout).commands.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed']);
    expect(readFileSync(join(view.worktree ?? '', 'a.txt'), 'utf8')).toBe('one\nchanged\n');
    expect(reportOf(runs.checkout)).toMatchObject({ treeChanged: true, commit: view.headSha });
    expect(result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_failed' });
    expect(result.error).toContain('tree_changed');
  });

  it('V-111: ends the process group of a command at its time limit and goes on with the next', async () => {
    const child = Number(runs.slow.run.read('validation/0-1.stdout.txt').trim());
    const results = reportOf(runs.slow).commands;

    expect(results.map(({ status, timedOut }) => [status, timedOut])).toEqual([
      ['failed', true],
      ['passed', false],
    ]);
    expect(results[0]?.durationMs).toBeLessThan(600_000);
    expect(runs.slow.result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_failed' });
    expect(child).toBeGreaterThan(1);
    await until(() => !existsSync(`/proc/${child}`));
  });

  it('V-111: the limit is 900 s where no config says another, and may be given in seconds', () => {
    const limitOf = ({ run, view }: EndedRun): readonly unknown[] => {
      const state = join(host.home, 'state', basename(dirname(view.worktree ?? '')), run.runId);
      return (
        readdirSync(state, { recursive: true, encoding: 'utf8' })
          // A command lies in a folder of its number, the agent of a turn beside the turn's own files.
          .filter((path) => /\/\d+\/claim\.json$/.test(path))
          .map((path) => JSON.parse(readFileSync(join(state, path), 'utf8')).limits.timeoutMs)
      );
    };

    expect(new Set(limitOf(runs.four))).toEqual(new Set([900_000]));
    expect(new Set(limitOf(runs.seconds))).toEqual(new Set([1_000]));
    expect(reportOf(runs.seconds).commands).toMatchObject([{ status: 'failed', timedOut: true }]);
  });

  it('V-102: without a validation command the verdict is at most partially verified, and the report says why', () => {
    expect(reportOf(runs.none)).toMatchObject({ commands: [], note: expect.stringContaining('no checks ran') });
    expect(runs.noneFull.result).toMatchObject({ outcome: 'merge_ready', verdict: 'partially_verified' });
    expect(JSON.parse(runs.noneFull.run.read('assurance.json'))).toMatchObject({
      verdict: 'partially_verified',
      reasons: expect.arrayContaining([expect.stringContaining('no checks ran')]),
    });
    expect(runs.noneFull.run.read('report.md')).toContain('No checks ran.');
    expect(['verified', 'unsafe']).not.toContain(runs.none.result.verdict);
  });
});

describe('validation and the fix loop', () => {
  let host: TestHost;
  let runs: Record<keyof typeof LOOPS, EndedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    runs = await endedRuns(host, LOOPS);
  }, 300_000);

  afterAll(() => host.close());

  const reviewsOf = ({ events }: EndedRun) =>
    events
      .filter(({ type }) => type === 'review.decision')
      .map(({ data }) => [data['round'], data['value'], data['source']]);
  const statusesFrom = ({ run }: EndedRun) => run.statuses().slice(run.statuses().indexOf('validating'));

  it('V-26: a failed command drives the loop: no reviewer is paid, the fixer repairs it, merge_ready after one round', () => {
    const { result, view, turns, run } = runs.redFixed;

    expect(result).toMatchObject({ outcome: 'merge_ready', verdict: 'verified' });
    expect(view.reviewLoopCount).toBe(1);
    expect(turns).toEqual(['executing', 'fixing', 'reviewing', 'verifying']);
    expect(reviewsOf(runs.redFixed)).toEqual([
      [0, 'CHANGES_REQUESTED', 'validation'],
      [1, 'APPROVED', 'agent'],
    ]);
    expect(statusesFrom(runs.redFixed)).toEqual([
      'validating',
      'reviewing',
      'fixing',
      'validating',
      'reviewing',
      'verifying',
      'merge_ready',
    ]);
    expect(run.read('rounds/0/review.md')).toMatch(/DECISION: CHANGES_REQUESTED\nCommit: \w+\nSource: validation\n/);
  });

  it("V-26: the command's output is a finding of the fixer", () => {
    const [prompt = ''] = promptsOf(runs.redFixed.run, 'fixing');

    expect(prompt.slice(prompt.indexOf('## Findings'))).toContain('line fixed is missing in a.txt');
    expect(runs.redFixed.run.read('rounds/0/review.md')).toContain('line fixed is missing in a.txt');
  });

  it('V-110: a command that cannot run starts no fix, alone or beside one that passes', () => {
    expect(runs.noProgram.result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_unavailable' });
    expect(runs.noProgram.turns).toEqual(['executing']);
    expect(runs.someProgram.result).toMatchObject({ outcome: 'merge_ready', verdict: 'partially_verified' });
    expect(runs.someProgram.turns).toEqual(['executing', 'reviewing', 'verifying']);
  });

  it('V-110: what is red on the base too is shown and given to the fixer, and starts no fix with baseFailures: ignore', () => {
    const [prompt = ''] = promptsOf(runs.redFixed.run, 'fixing');
    const [first] = (JSON.parse(runs.redFixed.run.read('rounds/0/validation.json')) as ValidationReport).commands;

    expect(first).toMatchObject({ status: 'failed', failedOnBase: true });
    expect(prompt.slice(prompt.indexOf('## Findings'))).toContain('red on the base');
    expect(runs.ignoredBase.turns).toEqual(['executing', 'reviewing', 'verifying']);
    expect(runs.ignoredBase.result).toMatchObject({ outcome: 'merge_ready', verdict: 'partially_verified' });
  });

  it('V-26: rounds of red checks use up the budget', () => {
    expect(runs.redNever.result).toMatchObject({ outcome: 'blocked', blockedReason: 'review_loops_exhausted' });
    expect(runs.redNever.turns).toEqual(['executing', 'fixing']);
    expect(runs.redNever.view).toMatchObject({ reviewLoopCount: 1, finalDecision: 'CHANGES_REQUESTED' });
  });

  it('V-27: with onFailure review the reviewer gets the results and starts the fix', () => {
    const [prompt = ''] = promptsOf(runs.reviewed.run, 'reviewing');

    expect(prompt).toContain('line fixed is missing in a.txt');
    expect(runs.reviewed.turns).toEqual(['executing', 'reviewing', 'fixing', 'reviewing', 'verifying']);
    expect(reviewsOf(runs.reviewed)).toEqual([
      [0, 'CHANGES_REQUESTED', 'agent'],
      [1, 'APPROVED', 'agent'],
    ]);
    expect(runs.reviewed.result.outcome).toBe('merge_ready');
  });

  it('V-27: with onFailure review red checks that the reviewer approves cap the end at blocked', () => {
    expect(runs.reviewedRed.turns).toEqual(['executing', 'reviewing', 'verifying']);
    expect(runs.reviewedRed.view).toMatchObject({
      finalDecision: 'APPROVED',
      verification: 'PASSED',
      reviewLoopCount: 0,
    });
    expect(runs.reviewedRed.result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_failed' });
  });

  it('V-112: results name the tree that they were taken on', () => {
    const { repository, run } = runs.fixKeeps;
    const shown = [0, 1].map((round) => JSON.parse(run.read(`rounds/${round}/validation.json`)) as ValidationReport);
    const commits = repository.git('rev-list', '--reverse', `main..sluice/${run.runId}`).trim().split('\n');

    expect(shown.map(({ commit }) => commit)).toEqual(commits);
    expect(shown.map(({ tree }) => tree)).toEqual(
      commits.map((commit) => repository.git('rev-parse', `${commit}^{tree}`).trim()),
    );
  });

  it('V-112: a fixed run validates again, and a fix that breaks what was green is not merge_ready', () => {
    expect(runs.fixKeeps.result.outcome).toBe('merge_ready');
    expect(reportOf(runs.fixKeeps)).toMatchObject({
      round: 1,
      commit: runs.fixKeeps.view.headSha,
      summary: { passed: 1 },
    });
    expect(JSON.parse(runs.fixBreaks.run.read('rounds/0/validation.json'))).toMatchObject({ summary: { passed: 1 } });
    expect(reportOf(runs.fixBreaks)).toMatchObject({
      round: 1,
      commit: runs.fixBreaks.view.headSha,
      summary: { failed: 1 },
    });
    expect(runs.fixBreaks.result).toMatchObject({ outcome: 'blocked', blockedReason: 'review_loops_exhausted' });
    expect(runs.fixBreaks.turns).not.toContain('verifying');
  });
});

// Written by the engine; the schema is V-93's.
function reportOf({ run }: EndedRun): ValidationReport {
  return JSON.parse(run.read('validation.json')) as ValidationReport;
}

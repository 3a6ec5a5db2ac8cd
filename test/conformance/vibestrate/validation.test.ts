import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ValidationReport } from '../../../protocol/outcomes.js';
import { type EndedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { until } from '../../support/until.js';

const VALIDATED = 'stageList: [executing, validating, verifying]\n';

const commands = (lines: readonly string[], more = ''): RunCase => ({
  config: `${VALIDATED}validation:\n  commands: ${JSON.stringify(lines)}\n${more}`,
});

const CASES = {
  four: commands(['grep -q changed a.txt', '! grep -q changed a.txt', 'no-such-program-of-sluice', 'test -e never']),
  fixBase: commands(['grep -q changed a.txt', 'test -e never'], '  baseFailures: fix\n'),
  ignoreBase: commands(['grep -q changed a.txt', 'test -e never'], '  baseFailures: ignore\n'),
  someEnvironment: commands(['grep -q changed a.txt', 'no-such-program-of-sluice']),
  onlyEnvironment: commands(['no-such-program-of-sluice', 'exit 127']),
  checkout: commands(['pwd', 'echo made > a.txt']),
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
  }, 90_000);

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
  });

  it('V-110: a command that is not found is no pass', () => {
    expect(runs.someEnvironment.result).toMatchObject({ outcome: 'merge_ready', verdict: 'partially_verified' });
    expect(runs.onlyEnvironment.result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_unavailable' });
    expect(reportOf(runs.onlyEnvironment).summary).toEqual({ total: 2, passed: 0, failed: 0, environment: 2 });
  });

  it("V-110: runs in a checkout of the engine's own, and notices a command that changes tracked files", () => {
    const { run, view, result } = runs.checkout;
    const place = run.read('validation/0-1.stdout.txt').trim();

    expect(place).toBe(`${view.worktree}.validation`);
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
    expect(results[0]?.durationMs).toBeLessThan(60_000);
    expect(runs.slow.result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_failed' });
    expect(child).toBeGreaterThan(1);
    await until(() => !existsSync(`/proc/${child}`), 2_000);
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

// Written by the engine; the schema is V-93's.
function reportOf({ run }: EndedRun): ValidationReport {
  return JSON.parse(run.read('validation.json')) as ValidationReport;
}

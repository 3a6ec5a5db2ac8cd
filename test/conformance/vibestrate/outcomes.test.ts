import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EndedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { PLAIN_VALIDATION } from '../../support/test-repository.js';

const CASES = {
  full: {},
  express: { input: { policy: { stageList: 'express' } } },
  planOnly: { config: 'stageList: plan-only\n' },
  runBeatsProject: { config: `stageList: plan-only\n${PLAIN_VALIDATION}`, input: { policy: { stageList: ['executing', 'validating'] } } },
  noChanges: { stages: { executing: { text: 'Nothing to do.' } } },
  exitsOne: { stages: { executing: { stderr: 'out of cheese\n', exit: 1, append: { 'a.txt': 'half\n' } } } },
} satisfies Record<string, RunCase>;

describe('stage lists and outcomes', () => {
  let host: TestHost;
  let runs: Record<keyof typeof CASES, EndedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    runs = await endedRuns(host, CASES);
  }, 180_000);

  afterAll(() => host.close());

  const typesOf = ({ events }: EndedRun) => events.map(({ type }) => type);

  it('V-06: by default every stage is entered', () => {
    expect(runs.full.turns).toEqual(['planning', 'architecting', 'executing', 'reviewing', 'verifying']);
    expect(runs.full.result.outcome).toBe('merge_ready');
  });

  it('V-06: express enters executing, validating, reviewing and verifying only', () => {
    expect(runs.express.run.statuses()).toEqual(['executing', 'validating', 'reviewing', 'verifying', 'merge_ready']);
    expect(runs.express.turns).toEqual(['executing', 'reviewing', 'verifying']);
  });

  it('V-05, V-06: plan-only enters planning alone, read-only, and may end merge_ready there', () => {
    expect(runs.planOnly.run.statuses()).toEqual(['planning', 'merge_ready']);
    expect(runs.planOnly.turns).toEqual(['planning']);
    expect(runs.planOnly.run.read('plan.md')).toContain('Plan:');
    expect(runs.planOnly.view).toMatchObject({ outcome: 'merge_ready', merge: 'none', headSha: runs.planOnly.view.baseSha });
  });

  it('V-06: a list given at the start of the run beats that of the project', () => {
    expect(runs.runBeatsProject.run.statuses()).toEqual(['executing', 'validating', 'merge_ready']);
  });

  it('V-17: a write run that changes nothing ends no_changes, shown as blocked with that reason', () => {
    const { result, view, run, repository } = runs.noChanges;

    expect(result).toMatchObject({ outcome: 'no_changes', blockedReason: 'no_changes' });
    expect(view).toMatchObject({ status: 'blocked', blockedReason: 'no_changes', headSha: view.baseSha, merge: 'none' });
    expect(run.statuses().slice(-2)).toEqual(['executing', 'blocked']);
    expect(repository.git('rev-list', '--count', `main..sluice/${run.runId}`).trim()).toBe('0');
  });

  it('V-17: a read-only run skips commit and diff check', () => {
    expect(typesOf(runs.planOnly)).not.toContain('git.committed');
    expect(typesOf(runs.planOnly)).not.toContain('policy.violation');
    expect(runs.planOnly.view.blockedReason).toBeNull();
  });

  it('V-83: an agent that always exits 1 fails the run, and the last event names stage, turn and error class', () => {
    const { result, view, events, run } = runs.exitsOne;
    const turn = events.findLast(({ type }) => type === 'turn.started')?.data['seq'];

    expect(result).toMatchObject({ outcome: 'failed', blockedReason: null });
    expect(view.status).toBe('failed');
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', data: { outcome: 'failed', stage: 'executing', turn, errorClass: 'hard' } });
    expect(turn).toEqual(expect.any(Number));
    expect(result.error).toMatch(/exited with code 1.*out of cheese/);
    expect(run.read('report.md')).toMatch(/events\.jsonl[\s\S]*stream\.jsonl/);
    expect(run.read(`turns/${Number(turn)}-executing/stream.jsonl`)).toBe('');
  });

  it('V-83: nothing of the failed turn is on the branch', () => {
    const { view, run, repository } = runs.exitsOne;

    expect(repository.git('rev-parse', `sluice/${run.runId}`).trim()).toBe(view.baseSha);
    expect(runs.exitsOne.turns).toEqual(['planning', 'architecting', 'executing']);
  });

  it('V-102: metrics count failed attempts, and every closed run has report, metrics and verdict', () => {
    expect(JSON.parse(runs.exitsOne.run.read('metrics.json'))).toMatchObject({ turns: 3, failedAttempts: 1 });
    expect(JSON.parse(runs.full.run.read('metrics.json'))).toMatchObject({ turns: 5, failedAttempts: 0 });
    const verdicts = Object.values(runs).map(({ run, result }) => {
      expect(run.read('report.md')).toContain(`verdict ${result.verdict}`);
      return (JSON.parse(run.read('assurance.json')) as { verdict: unknown }).verdict;
    });
    expect(verdicts).toEqual(['verified', 'verified', 'unverified', 'partially_verified', 'blocked', 'blocked']);
  });
});

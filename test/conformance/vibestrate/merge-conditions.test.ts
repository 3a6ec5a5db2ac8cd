import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Gate } from '../../../protocol/run/gate.js';
import type { ValidationReport } from '../../../protocol/run/outcomes.js';
import { STAGE_LISTS } from '../../../protocol/run/stages.js';
import { endingOfStages, type MergeFacts } from '../../../workflows/run/ending.js';
import { decideGates } from '../../support/decide-gates.js';
import { type EndedRun, endedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { startsOf } from '../../support/run-traces.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { PLAIN_FIXTURE, PLAIN_VALIDATION, type TestRepository } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const LIST = 'stageList: [executing, validating, reviewing, verifying]\n';
const GREEN = `${LIST}${PLAIN_VALIDATION}`;
const RED = 'validation:\n  commands: ["test -e never"]\n';
const ASKS_PERSON = { text: 'Done.', humanApproval: { reason: 'it touches money' }, decision: 'PASSED' } as const;

const CASES = {
  all: {
    stages: {
      reviewing: [
        { text: 'Not yet.', decision: 'CHANGES_REQUESTED' },
        { text: 'Right.', decision: 'APPROVED' },
      ],
      fixing: { append: { 'a.txt': 'fixed\n' }, text: 'Fixed.' },
    },
  },
  notApproved: { config: GREEN, stages: { reviewing: { text: 'No.', decision: 'CHANGES_REQUESTED' } } },
  redChecks: { config: `${LIST}${RED}  onFailure: review\n` },
  notPassed: { config: GREEN, stages: { verifying: { text: 'No.', decision: 'FAILED' } } },
  openGate: { config: GREEN, stages: { verifying: ASKS_PERSON }, input: { attended: false } },
  agreedGate: {
    config: GREEN,
    stages: { verifying: ASKS_PERSON },
    meanwhile: (run) => decideGates(run, [{ decision: 'approve' }]),
  },
  blockHit: {
    config: `${GREEN}block: ["vendor/**"]\n`,
    stages: { executing: { text: 'Wrote.', files: { 'vendor/x.js': '1\n' } } },
  },
  noChecks: { config: 'stageList: [executing, reviewing, verifying]\n' },
  noReview: { config: `stageList: [executing, validating, verifying]\n${PLAIN_VALIDATION}` },
  noVerification: { config: `stageList: [executing, validating, reviewing]\n${PLAIN_VALIDATION}` },
} satisfies Record<string, RunCase>;

const end = ({ result }: EndedRun) => [result.outcome, result.blockedReason];

describe('merge_ready', () => {
  let host: TestHost;
  let runs: Record<keyof typeof CASES, EndedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    runs = await endedRuns(host, CASES);
  }, 300_000);

  afterAll(() => host.close());

  it('V-81: means that checks, review and verification of this very tree are good and no gate is open', () => {
    const { repository, run, view, result } = runs.all;
    const tip = repository.git('rev-parse', `sluice/${run.runId}`).trim();
    // Written by the engine; the schema is V-93's.
    const report = JSON.parse(run.read('validation.json')) as ValidationReport;

    expect(result).toMatchObject({ outcome: 'merge_ready', blockedReason: null, headSha: tip });
    expect(view).toMatchObject({ status: 'merge_ready', merge: 'unmerged', pendingApprovalId: null });
    expect(report).toMatchObject({
      commit: tip,
      tree: repository.git('rev-parse', `${tip}^{tree}`).trim(),
      treeChanged: false,
    });
    expect(report.summary).toEqual({ total: 1, passed: 1, failed: 0, environment: 0 });
    expect(run.read('review.md')).toContain(`DECISION: APPROVED\nCommit: ${tip}\nSource: agent`);
    expect(run.read('verification.md')).toContain(`VERIFICATION: PASSED\nCommit: ${tip}`);
    expect(repository.git('diff', '--stat', 'main', tip)).toContain('a.txt');
  });

  it('V-36: needs an approved review', () => {
    expect(end(runs.notApproved)).toEqual(['blocked', 'review_loops_exhausted']);
    expect(runs.notApproved.run.statuses()).not.toContain('merge_ready');
  });

  it('V-36: needs checks without a failure, whatever reviewer and verifier say, and names what is missing', () => {
    expect(runs.redChecks.view).toMatchObject({ finalDecision: 'APPROVED', verification: 'PASSED' });
    expect(end(runs.redChecks)).toEqual(['blocked', 'validation_failed']);
    expect(runs.redChecks.view.error).toContain(
      'merge_ready needs what is missing: checks of this tree without a failure',
    );
  });

  it('V-36: needs a verification that passed', () => {
    expect(end(runs.notPassed)).toEqual(['blocked', 'verification_failed']);
  });

  it('V-36: needs that no gate is open, and waits for the person who closes it', () => {
    const gate = expect.objectContaining({
      stage: 'completion',
      source: 'agent',
      reason: expect.stringContaining('it touches money'),
    });

    expect(gatesOf(runs.openGate)).toEqual([gate]);
    expect(end(runs.openGate)).toEqual(['blocked', 'approval_expired']);
    expect(gatesOf(runs.agreedGate)).toEqual([gate]);
    expect(end(runs.agreedGate)).toEqual(['merge_ready', null]);
    expect(runs.agreedGate.run.statuses().slice(-4)).toEqual([
      'verifying',
      'waiting_for_approval',
      'verifying',
      'merge_ready',
    ]);
  });

  it('V-36: needs that no block rule was hit', () => {
    expect(end(runs.blockHit)).toEqual(['blocked', 'policy_violation']);
  });

  it.each([
    ['validating', 'noChecks', 'validation.json'],
    ['reviewing', 'noReview', 'review.md'],
    ['verifying', 'noVerification', 'verification.md'],
  ] as const)('V-36: conditions of %s do not apply where the list has no such stage', (_stage, name, file) => {
    expect(end(runs[name])).toEqual(['merge_ready', null]);
    expect(() => runs[name].run.read(file)).toThrow('ENOENT');
  });

  it.each([
    ['verifying', ['executing', 'reviewing', 'verifying', 'reviewing', 'verifying']],
    ['executing', ['executing', 'executing', 'reviewing', 'verifying']],
  ] as const)(
    'V-34, V-36: what a person put on the branch during %s is judged too, once a person agreed',
    async (stage, turns) => {
      const moved = await endedRun(host, {
        config: GREEN,
        stages: { [stage]: { ...PLAIN_FIXTURE.stages[stage], waitFor: 'go' } },
        meanwhile: async (run, repository) => {
          await until(() => startsOf(repository, stage) === 1);
          commitOnBranch(repository, run.runId);
          repository.release('go');
          await decideGates(run, [{ decision: 'approve' }]);
        },
      });
      const { repository, run, view } = moved;
      const tip = repository.git('rev-parse', `sluice/${run.runId}`).trim();

      expect(gatesOf(moved)).toEqual([expect.objectContaining({ stage, source: 'policy', status: 'approved' })]);
      expect(moved.turns).toEqual(turns);
      expect(view).toMatchObject({ status: 'merge_ready', headSha: tip });
      expect(JSON.parse(run.read('validation.json'))).toMatchObject({ commit: tip });
      expect(run.read('verification.md')).toContain(`Commit: ${tip}`);
      expect([repository.git('show', `${tip}:a.txt`), repository.git('show', `${tip}:c.txt`)]).toEqual([
        'one\nchanged\n',
        'by hand\n',
      ]);
      expect(repository.git('-C', view.worktree ?? '', 'status', '--porcelain')).toBe('');
    },
  );
});

describe('the conditions of merge_ready', () => {
  const HEAD = 'a'.repeat(40);
  const GOOD: MergeFacts = {
    stages: STAGE_LISTS.full,
    head: HEAD,
    validation: 'passed',
    review: 'APPROVED',
    verification: 'PASSED',
    evidence: { validation: HEAD, review: HEAD, verification: HEAD },
    openGate: false,
    blockHits: 0,
  };
  const other = (what: keyof MergeFacts['evidence']) => ({ evidence: { ...GOOD.evidence, [what]: 'b'.repeat(40) } });

  it('V-36: hold together for merge_ready', () => {
    expect(endingOfStages(GOOD)).toEqual({ outcome: 'merge_ready' });
  });

  it.each<[string, Partial<MergeFacts>, string]>([
    ['failed checks', { validation: 'failed' }, 'validation_failed'],
    ['checks that could not run', { validation: 'unavailable' }, 'validation_failed'],
    ['no checks', { validation: null }, 'validation_failed'],
    ['checks of another tree', other('validation'), 'validation_failed'],
    ['a review that asks for changes', { review: 'CHANGES_REQUESTED' }, 'review_blocked'],
    ['no review', { review: null }, 'review_blocked'],
    ['a review of another commit', other('review'), 'review_blocked'],
    ['a verification that failed', { verification: 'FAILED' }, 'verification_failed'],
    ['no verification', { verification: null }, 'verification_failed'],
    ['a verification of another commit', other('verification'), 'verification_failed'],
    ['an open gate', { openGate: true }, 'approval_rejected'],
    ['a hit of a block rule', { blockHits: 1 }, 'policy_violation'],
  ])('V-36: %s alone ends the run blocked', (_what, flipped, reason) => {
    expect(endingOfStages({ ...GOOD, ...flipped })).toMatchObject({ outcome: 'blocked', reason });
  });

  it('V-36: all that fail are listed', () => {
    const ending = endingOfStages({
      ...GOOD,
      validation: 'failed',
      review: 'BLOCKED',
      verification: 'NEEDS_HUMAN',
      openGate: true,
      blockHits: 2,
    });

    expect('error' in ending && ending.error.split('; ')).toHaveLength(5);
  });
});

function gatesOf({ run }: EndedRun): readonly Gate[] {
  return JSON.parse(run.read('approvals.json')) as readonly Gate[];
}

/** As a person does who works on the branch in the checkout and puts the ref there. */
function commitOnBranch({ git, write }: TestRepository, runId: string): void {
  git('checkout', '--quiet', '--detach', `sluice/${runId}`);
  write('c.txt', 'by hand\n');
  git('add', 'c.txt');
  git('commit', '--quiet', '-m', 'by hand');
  git('update-ref', `refs/heads/sluice/${runId}`, 'HEAD');
  git('checkout', '--quiet', 'main');
}

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScriptedTurn } from '../../../activities/agent/scripted/fixture.js';
import { MAX_JOURNAL_EVENTS } from '../../../protocol/limits.js';
import { BLOCKED_REASONS, type BlockedReason } from '../../../protocol/run/outcomes.js';
import { decideGates, openGate, type PersonsDecision } from '../../support/decide-gates.js';
import { type EndedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { startsOf } from '../../support/run-traces.js';
import { openTestHost, type TestHost, type TestRun } from '../../support/test-host.js';
import { PLAIN_VALIDATION, type TestRepository } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const SIGNALS_AT_ONCE = 50;

/** What the real CLI once printed; it fails as a turn that uses up its steps, and its fallback answers. Kept in the repository, where a sandbox shows it. */
const PRINTED = { 'fails.txt': transcript('max-turns'), 'answers.txt': transcript('success') } as const;
const prints = (file: keyof typeof PRINTED, code: number) =>
  `{adapter: claude-code, command: [sh, -c, "cat > /dev/null; cat ${file}; exit ${code}"]`;
const COSTLY = `  dear: ${prints('fails.txt', 1)}, fallback: cheap}\n  cheap: ${prints('answers.txt', 0)}}\n`;

const CASES = {
  // Asked for changes once, so that fixing is entered too.
  full: {
    stages: {
      reviewing: [
        { text: 'Not yet.', decision: 'CHANGES_REQUESTED' },
        { text: 'Right.', decision: 'APPROVED' },
      ],
      fixing: { append: { 'a.txt': 'fixed\n' }, text: 'Fixed.' },
    },
  },
  costly: { files: PRINTED, config: `${COSTLY}stageList: plan-only\nstages: { planning: { agent: dear } }\n` },
  express: { input: { policy: { stageList: 'express' } } },
  planOnly: { config: 'stageList: plan-only\n' },
  // Guarded paths too: in a run that writes they would be a violation.
  planOnlyWrites: {
    config: `stageList: plan-only\n${PLAIN_VALIDATION}`,
    stages: {
      planning: {
        files: { 'b.txt': 'new\n', '.env': 'A=1\n' },
        append: { 'a.txt': 'changed\n' },
        commit: 'mine',
        text: 'Plan: nothing.',
      },
    },
  },
  runBeatsProject: {
    config: `stageList: plan-only\n${PLAIN_VALIDATION}`,
    input: { policy: { stageList: ['executing', 'validating'] } },
  },
  noChanges: { stages: { executing: { text: 'Nothing to do.' } } },
  exitsOne: { stages: { executing: { stderr: 'out of cheese\n', exit: 1, append: { 'a.txt': 'half\n' } } } },
} satisfies Record<string, RunCase>;

const JUDGED = 'stageList: [executing, validating, reviewing, fixing, verifying]\n';

const alone = { attended: false } as const;

const reviewing = (turn: ScriptedTurn, config = ''): RunCase => ({
  config: `${JUDGED}${config}`,
  stages: { reviewing: turn },
});
const verifying = (turn: ScriptedTurn): RunCase => ({ config: JUDGED, stages: { verifying: turn } });
const executing = (turn: ScriptedTurn, config = ''): RunCase => ({
  config: `${JUDGED}${config}`,
  stages: { executing: turn },
  input: alone,
});
const checks = (command: string, config = ''): RunCase => ({
  config: `${JUDGED}${config}validation:\n  commands: [${JSON.stringify(command)}]\n`,
});

/** A gate before the work; the person decides as given. */
const decided = (...decisions: readonly PersonsDecision[]): RunCase => ({
  config: 'gates:\n  stages: [executing]\n  maxChangeRounds: 1\n',
  meanwhile: (run) => decideGates(run, decisions),
});

/** Each reason has a run that ends with it. */
const REASONS = {
  review_blocked: reviewing({ text: 'Stop.', decision: 'BLOCKED' }),
  review_unreadable: reviewing({ text: 'Hm.' }),
  review_loops_exhausted: reviewing({ text: 'No.', decision: 'CHANGES_REQUESTED' }, 'rounds: 1\n'),
  validation_failed: checks('test -e never', 'rounds: 0\n'),
  validation_unavailable: checks('no-such-program-of-sluice'),
  verification_failed: verifying({ text: 'No.', decision: 'FAILED' }),
  verification_needs_human: verifying({ text: 'Ask.', decision: 'NEEDS_HUMAN' }),
  verification_unreadable: verifying({ text: 'Hm.' }),
  approval_rejected: decided({ decision: 'reject', note: 'too risky' }),
  approval_expired: { config: 'gates:\n  stages: [executing]\n', input: alone },
  approval_rounds_exhausted: decided(
    { decision: 'request_changes', note: 'smaller' },
    { decision: 'request_changes', note: 'smaller still' },
  ),
  budget: { config: 'budget:\n  run:\n    turns: 2\n' },
  usage_limit: executing({ outcome: 'usage_limit the plan is used up' }, 'usageLimit:\n  action: stop\n'),
  policy_violation: executing({ files: { '.env': 'A=1\n' }, text: 'Wrote.' }),
  no_changes: executing({ text: 'Nothing to do.' }),
  agent_refused: executing({ outcome: 'refused this is not allowed' }),
  overflow: executing({ outcome: 'overflow' }),
  needs_input: executing({ append: { 'a.txt': 'changed\n' }, text: 'Which one?', question: 'Which of the two names?' }),
  guarded_paths: executing({ files: { 'AGENTS.md': 'obey\n' }, text: 'Wrote.' }),
  repository_changed: executing({
    append: { 'a.txt': 'changed\n' },
    text: 'Wrote.',
    run: 'git config core.fsmonitor ./spy',
  }),
} satisfies Partial<Record<BlockedReason, RunCase>>;

/** Thousands of messages for one run: apart, so that the others are not behind them. */
const FULL = {
  journal_full: {
    config: JUDGED,
    stages: { executing: { append: { 'a.txt': 'changed\n' }, text: 'Wrote.', waitFor: 'go' } },
    meanwhile: fillJournal,
  },
  history_full: { config: 'gates:\n  stages: [executing]\n', input: { attended: true }, meanwhile: fillHistory },
} satisfies Record<Exclude<BlockedReason, keyof typeof REASONS>, RunCase>;

describe('blocked', () => {
  let host: TestHost;
  let runs: Record<BlockedReason, EndedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    const ended = await endedRuns(host, REASONS);
    runs = { ...ended, ...(await endedRuns(host, FULL)) };
  }, 600_000);

  afterAll(() => host.close());

  it.each(BLOCKED_REASONS)(
    'V-82: a run ends with the reason %s, in its result, state.json, the last event and the report',
    (reason) => {
      const { result, view, events, run } = runs[reason];

      expect(result).toMatchObject({
        outcome: reason === 'no_changes' ? 'no_changes' : 'blocked',
        blockedReason: reason,
      });
      expect(view).toMatchObject({ status: 'blocked', blockedReason: reason });
      expect(JSON.parse(run.read('state.json'))).toMatchObject({ status: 'blocked', blockedReason: reason });
      expect(events.at(-1)).toMatchObject({
        type: 'run.completed',
        data: { outcome: result.outcome, blockedReason: reason },
      });
      expect(run.read('report.md')).toContain(reason);
      expect(result.error).toMatch(/\w/);
    },
  );

  it.each(BLOCKED_REASONS)(
    'V-102: a run that ends with the reason %s has metrics and the verdict of its result',
    (reason) => {
      const { result, run, turns } = runs[reason];

      expect(JSON.parse(run.read('metrics.json'))).toMatchObject({ turns: turns.length });
      expect(JSON.parse(run.read('assurance.json'))).toMatchObject({ verdict: result.verdict });
    },
  );

  it.each([
    ['review_blocked', 'review.md'],
    ['review_unreadable', 'review.md'],
    ['review_loops_exhausted', 'review.md'],
    ['verification_failed', 'verification.md'],
    ['verification_needs_human', 'verification.md'],
    ['verification_unreadable', 'verification.md'],
  ] as const)('V-82: the output of %s points to %s, which is there', (reason, file) => {
    expect(runs[reason].result.error).toContain(`see ${file}`);
    expect(runs[reason].run.read('report.md')).toContain(file);
    expect(runs[reason].run.read(file)).toMatch(/^(DECISION|VERIFICATION): \w+$/m);
  });

  it('V-82: a journal that is full still holds the end of the run, in order and without a gap', () => {
    const { events } = runs.journal_full;

    expect(events.length).toBeGreaterThanOrEqual(MAX_JOURNAL_EVENTS);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(events.filter(({ type }) => type === 'message.refused')).toHaveLength(100);
    expect(runs.journal_full.turns).toEqual(['executing']);
  });
});

function transcript(name: string): string {
  return readFileSync(new URL(`../../unit/agent/transcripts/claude-code/${name}.stdout`, import.meta.url), 'utf8');
}

/** Renames until the journal has no room for more, then as many refused ones as leave a line; the turn then ends. */
async function fillJournal(run: TestRun, repository: TestRepository): Promise<void> {
  await until(() => startsOf(repository, 'executing') === 1);
  for (let sent = 0; sent < MAX_JOURNAL_EVENTS; sent += SIGNALS_AT_ONCE) {
    await Promise.all(
      Array.from({ length: SIGNALS_AT_ONCE }, (_none, n) =>
        run.handle.signal('rename', { title: `title ${sent + n}` }),
      ),
    );
  }
  // By its file: a worker that has so many messages to handle has no time for queries.
  await until(() => (run.events().at(-1)?.seq ?? 0) >= MAX_JOURNAL_EVENTS);
  repository.release('go');
}

/** Large signals, each heard before the next, while the run waits at its gate. */
async function fillHistory(run: TestRun): Promise<void> {
  await openGate(run);
  const text = 'x'.repeat(400_000);
  while ((await run.handle.describe()).status.name === 'RUNNING') {
    await run.handle.signal('steer', { text }).catch(() => null);
    await run.view().catch(() => null);
  }
}

describe('stage lists and outcomes', () => {
  let host: TestHost;
  let runs: Record<keyof typeof CASES, EndedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    runs = await endedRuns(host, CASES);
  }, 600_000);

  afterAll(() => host.close());

  const typesOf = ({ events }: EndedRun) => events.map(({ type }) => type);

  it('V-06: by default every stage is entered', () => {
    const begin = ['planning', 'planned', 'architecting', 'architected', 'executing', 'validating', 'reviewing'];
    const fix = ['fixing', 'validating', 'reviewing'];

    expect(runs.full.run.statuses()).toEqual([...begin, ...fix, 'verifying', 'merge_ready']);
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
    expect(runs.planOnly.view).toMatchObject({
      outcome: 'merge_ready',
      merge: 'none',
      headSha: runs.planOnly.view.baseSha,
    });
  });

  it('V-06, V-17: plan-only leaves nothing of a planner that writes and commits: not on the branch, not in the checkout', () => {
    const { view, run, repository, result } = runs.planOnlyWrites;
    const inWorktree = (...args: readonly string[]) => repository.git('-C', view.worktree ?? '', ...args).trim();

    expect([result.outcome, run.statuses()]).toEqual(['merge_ready', ['planning', 'merge_ready']]);
    expect(repository.git('rev-parse', `sluice/${run.runId}`).trim()).toBe(view.baseSha);
    expect([inWorktree('rev-parse', 'HEAD'), inWorktree('status', '--porcelain')]).toEqual([view.baseSha, '']);
    expect(typesOf(runs.planOnlyWrites)).not.toContain('git.committed');
    // Told as what it is: no check looked at the names of the files.
    const violations = runs.planOnlyWrites.events.filter(({ type }) => type === 'policy.violation');
    expect(violations.map(({ data }) => data['rule'])).toEqual(['read_only']);
    expect(typesOf(runs.planOnlyWrites)).not.toContain('validation.started');
    expect(run.read('plan.md')).toContain('Plan: nothing.');
  });

  it('V-06: a list given at the start of the run beats that of the project', () => {
    expect(runs.runBeatsProject.run.statuses()).toEqual(['executing', 'validating', 'merge_ready']);
  });

  it('V-17: a write run that changes nothing ends no_changes, shown as blocked with that reason', () => {
    const { result, view, run, repository } = runs.noChanges;

    expect(result).toMatchObject({ outcome: 'no_changes', blockedReason: 'no_changes' });
    expect(view).toMatchObject({
      status: 'blocked',
      blockedReason: 'no_changes',
      headSha: view.baseSha,
      merge: 'none',
    });
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
    expect(events.at(-1)).toMatchObject({
      type: 'run.failed',
      data: { outcome: 'failed', stage: 'executing', turn, errorClass: 'hard' },
    });
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

  it('V-102: metrics have tokens and cost of every attempt, of one that failed too, and its wall time', () => {
    const metrics = JSON.parse(runs.costly.run.read('metrics.json'));

    expect(runs.costly.result.outcome).toBe('merge_ready');
    expect(metrics).toMatchObject({ turns: 2, failedAttempts: 1 });
    expect(metrics).toMatchObject({ tokensIn: 2_000, tokensOut: 140, costMicroUsd: 11_100 });
    const [first, last] = [runs.costly.events[0], runs.costly.events.at(-1)].map((event) =>
      Date.parse(event?.timestamp ?? ''),
    );
    expect(metrics.wallMs).toBe(Number(last) - Number(first));
  });

  it('V-102: metrics count failed attempts, and every closed run has report, metrics and verdict', () => {
    expect(JSON.parse(runs.exitsOne.run.read('metrics.json'))).toMatchObject({ turns: 3, failedAttempts: 1 });
    expect(JSON.parse(runs.full.run.read('metrics.json'))).toMatchObject({ turns: 7, failedAttempts: 0 });
    const verdicts = Object.values(runs).map(({ run, result }) => {
      expect(run.read('report.md')).toContain(`verdict ${result.verdict}`);
      return (JSON.parse(run.read('assurance.json')) as { verdict: unknown }).verdict;
    });
    expect(verdicts).toEqual([
      'verified',
      'unverified',
      'verified',
      'unverified',
      'unsafe',
      'partially_verified',
      'blocked',
      'blocked',
    ]);
  });
});

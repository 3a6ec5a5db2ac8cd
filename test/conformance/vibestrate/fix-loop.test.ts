import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScriptedTurn } from '../../../activities/agent/scripted/fixture.js';
import type { RunInput } from '../../../protocol/messages/messages.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import type { ReviewDecision } from '../../../protocol/run/outcomes.js';
import { type EndedRun, endedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { startsOf } from '../../support/run-traces.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { PLAIN_VALIDATION } from '../../support/test-repository.js';
import { promptsOf } from '../../support/turn-files.js';
import { until } from '../../support/until.js';

const LIST = `stageList: [executing, validating, reviewing, fixing, verifying]\n${PLAIN_VALIDATION}`;

const finding = (id: string) => ({
  id,
  severity: 'high',
  category: 'correctness',
  claim: `${id}: the third line is missing`,
  evidence: ['a.txt:3'],
  recommendation: `add the line of ${id}`,
});

/** One review a round; the last repeats. Findings are `R<round>`. */
const reviews = (...decisions: readonly ReviewDecision[]): readonly ScriptedTurn[] =>
  decisions.map((decision, round) => ({
    text: `Review ${round}.`,
    decision,
    ...(decision === 'CHANGES_REQUESTED' ? { findings: [finding(`R${round}`)] } : {}),
  }));

const FIX: ScriptedTurn = { append: { 'a.txt': 'fixed\n' }, text: 'Added a line.' };

const never = (config: string, input: Partial<RunInput> = {}): RunCase => ({
  config: `${LIST}${config}`,
  input,
  stages: { reviewing: [...reviews('CHANGES_REQUESTED')], fixing: FIX },
});

const CASES = {
  plain: { config: LIST },
  once: {
    stages: {
      reviewing: [...reviews('CHANGES_REQUESTED', 'APPROVED')],
      fixing: {
        ...FIX,
        files: { 'b.txt': 'b\n' },
        responses: [{ id: 'R0', disposition: 'fix', rationale: 'The line is there now.' }],
      },
    },
  },
  twice: {
    config: LIST,
    stages: {
      reviewing: [...reviews('CHANGES_REQUESTED', 'CHANGES_REQUESTED', 'APPROVED')],
      fixing: [0, 1].map((round) => ({
        ...FIX,
        responses: [{ id: `R${round}`, disposition: 'fix', rationale: `Fix ${round + 1}.` }],
      })),
    },
  },
  thenBlocked: { config: LIST, stages: { reviewing: [...reviews('CHANGES_REQUESTED', 'BLOCKED')], fixing: FIX } },
  rebuttal: {
    config: LIST,
    stages: {
      reviewing: [...reviews('CHANGES_REQUESTED', 'APPROVED')],
      fixing: {
        text: 'It is right as it is.',
        responses: [{ id: 'R0', disposition: 'rebut', rationale: 'Nobody asked for three lines.' }],
      },
    },
  },
  preset: never(''),
  project: never('workflow:\n  maxReviewLoops: 1\n'),
  start: never('workflow:\n  maxReviewLoops: 1\n', { policy: { rounds: 5 } }),
  none: never('rounds: 0\n'),
  one: never('rounds: 1\n'),
  two: never('rounds: 2\n'),
} satisfies Record<string, RunCase>;

const BAD_ROUNDS = ['-1', '1.5', 'null', '21'];

describe('the fix loop', () => {
  let host: TestHost;
  let runs: Record<keyof typeof CASES, EndedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    runs = await endedRuns(host, CASES);
  }, 300_000);

  afterAll(() => host.close());

  const count = ({ turns }: EndedRun, stage: string) => turns.filter((turn) => turn === stage).length;
  const typed = ({ events }: EndedRun, type: string) => events.filter((event) => event.type === type);
  const tip = ({ repository, run }: EndedRun) => repository.git('rev-parse', `sluice/${run.runId}`).trim();
  const commits = ({ repository, run, view }: EndedRun) =>
    Number(repository.git('rev-list', '--count', `${view.baseSha}..sluice/${run.runId}`).trim());

  it('V-20: with changes requested once the way is reviewing, fixing, validating, reviewing, verifying, merge_ready', () => {
    const statuses = runs.once.run.statuses();

    expect(statuses.slice(statuses.indexOf('reviewing'))).toEqual([
      'reviewing',
      'fixing',
      'validating',
      'reviewing',
      'verifying',
      'merge_ready',
    ]);
    expect(runs.once.result).toMatchObject({ outcome: 'merge_ready', verdict: 'verified' });
  });

  it('V-21: the fixer gets the findings, checks run after each fix, and the reviewer judges again', () => {
    const [first, second] = promptsOf(runs.twice.run, 'fixing');

    expect(first).toMatch(
      /### R0 \(high, correctness\)[\s\S]*R0: the third line is missing[\s\S]*a\.txt:3[\s\S]*add the line of R0/,
    );
    expect(second).toContain('R1: the third line is missing');
    expect(second).not.toContain('R0: the third line is missing');
    expect(typed(runs.twice, 'validation.started').map(({ data }) => data['round'])).toEqual([0, 1, 2]);
    expect(runs.twice.turns).toEqual([
      'executing',
      'reviewing',
      'fixing',
      'reviewing',
      'fixing',
      'reviewing',
      'verifying',
    ]);
    expect(promptsOf(runs.twice.run, 'reviewing').at(-1)).toContain(tip(runs.twice));
  });

  it('V-22: a reviewer that always asks gets two rounds by default, and then the run ends blocked', () => {
    expect(runs.preset.result).toMatchObject({ outcome: 'blocked', blockedReason: 'review_loops_exhausted' });
    expect(runs.preset.view).toMatchObject({
      status: 'blocked',
      reviewLoopCount: 2,
      maxReviewLoops: 2,
      finalDecision: 'CHANGES_REQUESTED',
    });
    expect(runs.preset.run.statuses().slice(-2)).toEqual(['reviewing', 'blocked']);
  });

  it.each([
    ['none', 0],
    ['one', 1],
    ['two', 2],
  ] as const)(
    'V-23: with the budget %s the fixes are %i, the reviews one more, and the next request blocks',
    (name, rounds) => {
      const run = runs[name];

      expect(count(run, 'fixing')).toBe(rounds);
      expect(count(run, 'reviewing')).toBe(rounds + 1);
      expect(run.result).toMatchObject({ outcome: 'blocked', blockedReason: 'review_loops_exhausted' });
      expect(run.view).toMatchObject({ reviewLoopCount: rounds, maxReviewLoops: rounds });
    },
  );

  it.each(BAD_ROUNDS)(
    'V-23: rounds of %s are refused, in the config with line and column, and at the start',
    async (rounds) => {
      const inConfig = await host.repository({ config: `rounds: ${rounds}\n` });
      const atStart = await host.repository();
      const refused = await Promise.all([
        refusalOf(host.startRun(inConfig)),
        refusalOf(host.startRun(atStart, { policy: { rounds: JSON.parse(rounds) as unknown } })),
      ]);

      expect(refused[0]).toMatch(new RegExp(`config\\.yaml:\\d+:9: rounds is ${rounds.replace('.', '\\.')}`));
      expect(refused[1]).toContain(`policy.rounds: rounds is ${rounds}\n`);
      expect(refused.join('\n').match(/from 0 to 20/g)).toHaveLength(2);
      for (const { git } of [inConfig, atStart]) expect(git('branch', '--list', 'sluice/*')).toBe('');
    },
  );

  it('V-24: reviewLoopCount in state.json counts the fixes while the run goes on', async () => {
    const shown: number[] = [];
    const ended = await endedRun(host, {
      config: LIST,
      stages: {
        reviewing: reviews('CHANGES_REQUESTED', 'CHANGES_REQUESTED', 'APPROVED').map((turn, round) => ({
          ...turn,
          waitFor: `go-${round}`,
        })),
        fixing: FIX,
      },
      meanwhile: async (run, repository) => {
        for (const round of [0, 1, 2]) {
          await until(() => startsOf(repository, 'reviewing') === round + 1);
          shown.push((JSON.parse(run.read('state.json')) as RunView).reviewLoopCount);
          repository.release(`go-${round}`);
        }
      },
    });

    expect(shown).toEqual([0, 1, 2]);
    expect((JSON.parse(ended.run.read('state.json')) as RunView).reviewLoopCount).toBe(2);
  });

  it('V-25: after a final request for changes or a blocking review no verifier is paid', () => {
    expect(runs.preset.turns.at(-1)).toBe('reviewing');
    expect(runs.thenBlocked.turns).toEqual(['executing', 'reviewing', 'fixing', 'reviewing']);
    expect(runs.thenBlocked.result).toMatchObject({ outcome: 'blocked', blockedReason: 'review_blocked' });
    for (const run of [runs.preset, runs.none, runs.thenBlocked]) {
      expect(run.run.statuses()).not.toContain('verifying');
      expect(run.turns).not.toContain('verifying');
    }
  });

  it("V-28: the start's rounds beat the project's, which beat the preset's", () => {
    expect([runs.start, runs.project, runs.preset].map(({ view }) => view.maxReviewLoops)).toEqual([5, 1, 2]);
    expect([runs.start, runs.project, runs.preset].map((run) => count(run, 'fixing'))).toEqual([5, 1, 2]);
  });

  it.each(['once', 'twice', 'rebuttal'] as const)(
    'V-14: at merge_ready (%s) the worktree is clean, and a merge of the branch has the whole change',
    (name) => {
      const { repository, run, view } = runs[name];
      const worktree = view.worktree ?? '';

      expect(view.status).toBe('merge_ready');
      expect(repository.git('-C', worktree, 'status', '--porcelain')).toBe('');
      expect(repository.git('-C', worktree, 'rev-parse', 'HEAD').trim()).toBe(tip(runs[name]));
      expect(view.headSha).toBe(tip(runs[name]));
      repository.git('merge', '--quiet', '--no-ff', '-m', 'land', `sluice/${run.runId}`);
      expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe(
        `one\nchanged\n${'fixed\n'.repeat(commitsOfFixing(runs[name]))}`,
      );
      if (name === 'once') expect(readFileSync(join(repository.path, 'b.txt'), 'utf8')).toBe('b\n');
    },
  );

  it('V-95: a fixing round makes a commit of its own and answers the findings', () => {
    const fixed = typed(runs.once, 'git.committed').map(({ data }) => data['stage']);

    expect(fixed).toEqual(['executing', 'fixing']);
    expect(commits(runs.once)).toBe(2);
    expect(commits(runs.twice)).toBe(3);
    expect(runs.once.run.read('finding-responses.md')).toContain(
      `### R0: fix\n\nThe line is there now.\n\nCommit: ${tip(runs.once)}`,
    );
  });

  it('V-95: a round that changes nothing makes no commit, says so, and still counts', () => {
    const { run, view, result } = runs.rebuttal;
    const responses = run.read('finding-responses.md');

    expect(commits(runs.rebuttal)).toBe(1);
    expect(responses).toContain('This round changed nothing: there is no commit.');
    expect(responses).toContain('### R0: rebut\n\nNobody asked for three lines.');
    expect(view.reviewLoopCount).toBe(1);
    expect(result.outcome).toBe('merge_ready');
  });

  it('V-100: every round is kept, and the files at the top are those of the last', () => {
    const { run } = runs.twice;
    const kept = (name: string) => [0, 1, 2].map((round) => run.read(`rounds/${round}/${name}`));
    const decisions = kept('review.md').map((text) => /^DECISION: (\w+)$/m.exec(text)?.[1]);

    expect(decisions).toEqual(['CHANGES_REQUESTED', 'CHANGES_REQUESTED', 'APPROVED']);
    expect(kept('validation.json').map((text) => (JSON.parse(text) as { round: number }).round)).toEqual([0, 1, 2]);
    expect([1, 2].map((round) => run.read(`rounds/${round}/finding-responses.md`))).toEqual([
      expect.stringContaining('### R0: fix\n\nFix 1.'),
      expect.stringContaining('### R1: fix\n\nFix 2.'),
    ]);
    for (const name of ['review.md', 'validation.json', 'finding-responses.md'])
      expect(run.read(name)).toBe(run.read(`rounds/2/${name}`));
  });
});

function commitsOfFixing({ events }: EndedRun): number {
  return events.filter(({ type, data }) => type === 'git.committed' && data['stage'] === 'fixing').length;
}

/** What the workflow that never opened a run says. */
async function refusalOf(started: ReturnType<TestHost['startRun']>): Promise<string> {
  const error: unknown = await (await started).result().then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : 'it was not refused';
}

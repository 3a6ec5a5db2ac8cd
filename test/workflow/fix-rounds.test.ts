import { describe, expect, it } from '@jest/globals';
import type { RunResult, RunTurnInput, RunTurnResult } from '../../protocol/messages/messages.js';
import type { ReviewDecision } from '../../protocol/run/outcomes.js';
import type { RunPolicy } from '../../protocol/run/policy.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { openedOnce } from '../support/opened.js';
import { eventsOf, pathOf } from '../support/run-steps.js';
import {
  type Activities,
  openStubWorkers,
  type StubHost,
  stubOpen,
  stubTurn,
  stubValidation,
} from '../support/stub-host.js';

const INPUT = { task: 'do it', repo: '/repository', attended: false };
const FINDINGS = { sha256: 'f'.repeat(64), bytes: 2, mediaType: 'application/json' } as const;

describe('fix rounds', () => {
  let host: StubHost;

  const workers = openedOnce(openStubWorkers);

  async function runWith(overrides: Partial<Activities>, policy: Partial<RunPolicy> = {}): Promise<RunResult> {
    host = workers.open({ openRun: async (input) => stubOpen(input, STAGE_LISTS.full, policy), ...overrides });
    return (await (await host.start(INPUT)).result()) as RunResult;
  }

  /** The reviewer's decisions by round, the last one for good. Each fix makes a commit of its own. */
  function reviewing(...decisions: readonly ReviewDecision[]): Partial<Activities> {
    return { runTurn: async (input) => stubTurn(input, turnPart(input, decisions)) };
  }

  function turnPart(input: RunTurnInput, decisions: readonly ReviewDecision[]): Partial<RunTurnResult> {
    if (input.stage === 'fixing') return { head: `${input.round}`.repeat(40) };
    if (input.stage !== 'reviewing') return {};
    const value = decisions[Math.min(input.round, decisions.length - 1)] ?? 'APPROVED';
    return { decision: { kind: 'review', value }, findings: FINDINGS };
  }

  const stages = () => host.turns.map((turn) => turn.stage);

  it('goes reviewing → fixing → validating → reviewing once and then to merge_ready', async () => {
    const result = await runWith(reviewing('CHANGES_REQUESTED', 'APPROVED'));

    expect(result).toMatchObject({ outcome: 'merge_ready', verdict: 'verified', headSha: '1'.repeat(40) });
    expect(pathOf(host).slice(4)).toEqual([
      'executing',
      'validating',
      'reviewing',
      'fixing',
      'validating',
      'reviewing',
      'verifying',
      'merge_ready',
    ]);
    expect(host.turns.find((turn) => turn.stage === 'fixing')?.context.findings).toEqual(FINDINGS);
  });

  it('goes on with the conversation of the last write turn when it fixes, and begins a new one everywhere else', async () => {
    await runWith(reviewing('CHANGES_REQUESTED', 'CHANGES_REQUESTED', 'APPROVED'));

    const write = host.turns.filter(({ stage }) => stage === 'executing' || stage === 'fixing');
    expect(write.map(({ continues }) => continues)).toEqual([null, write[0]?.place, write[1]?.place]);
    expect(host.turns.filter((turn) => !write.includes(turn)).every(({ continues }) => continues === null)).toBe(true);
  });

  it('fixes at once with a new conversation where the earlier one is gone, and goes on with the one of a failed attempt', async () => {
    const outcomes: RunTurnResult['outcome'][] = [
      { kind: 'timeout', why: 'late' },
      { kind: 'transient', why: 'gone', fresh: true },
    ];
    await runWith(
      {
        runTurn: async (input) => {
          const outcome = input.stage === 'fixing' ? outcomes.shift() : undefined;
          return stubTurn(input, {
            ...turnPart(input, ['CHANGES_REQUESTED', 'APPROVED']),
            ...(outcome === undefined ? {} : { outcome }),
          });
        },
      },
      { usageLimit: { action: 'wait', maxWaitMs: 1000, maxWaits: 0 } },
    );

    const executing = host.turns.find(({ stage }) => stage === 'executing');
    const fixing = host.turns.filter(({ stage }) => stage === 'fixing');
    expect(fixing.map(({ continues }) => continues)).toEqual([executing?.place, fixing[0]?.place, null]);
  });

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [20, 20],
  ])(
    'with %i rounds a reviewer that is never content gets %i fixes and the run ends blocked',
    async (rounds, fixes) => {
      const result = await runWith(reviewing('CHANGES_REQUESTED'), { rounds });

      expect(result).toMatchObject({ outcome: 'blocked', blockedReason: 'review_loops_exhausted' });
      expect(stages().filter((stage) => stage === 'fixing')).toHaveLength(fixes);
      expect(stages().filter((stage) => stage === 'reviewing')).toHaveLength(fixes + 1);
      expect(stages()).not.toContain('verifying');
    },
  );

  it('shows the rounds used in every view', async () => {
    await runWith(reviewing('CHANGES_REQUESTED', 'CHANGES_REQUESTED', 'APPROVED'));

    const rounds = host.batches.map((batch) => batch.view.reviewLoopCount);
    expect(rounds).toEqual(rounds.toSorted((a, b) => a - b));
    expect(new Set(rounds)).toEqual(new Set([0, 1, 2]));
  });

  it('lets red checks ask for the fix, without a reviewer', async () => {
    let validations = 0;
    const result = await runWith({
      validate: async (input) => {
        validations += 1;
        const red = { outcome: { kind: 'failed', why: 'red' }, findings: FINDINGS } as const;
        return { ...stubValidation(input.round === 0 ? red : {}), journalSeq: input.journal.view.seq };
      },
    });

    expect(result.outcome).toBe('merge_ready');
    expect(validations).toBe(2);
    expect(stages()).toEqual(['planning', 'architecting', 'executing', 'fixing', 'reviewing', 'verifying']);
    expect(eventsOf(host).find((event) => event.type === 'review.decision')?.data).toMatchObject({
      value: 'CHANGES_REQUESTED',
      source: 'validation',
    });
  });

  it('counts rounds of red checks and ends blocked past the budget', async () => {
    const result = await runWith({
      validate: async (input) => ({
        ...stubValidation({ outcome: { kind: 'failed', why: 'red' } }),
        journalSeq: input.journal.view.seq,
      }),
    });

    expect(result.blockedReason).toBe('review_loops_exhausted');
    expect(stages().filter((stage) => stage === 'fixing')).toHaveLength(2);
    expect(stages()).not.toContain('reviewing');
  });

  it('with onFailure review gives red checks to the reviewer and never ends merge_ready', async () => {
    const result = await runWith(
      {
        validate: async (input) => ({
          ...stubValidation({ outcome: { kind: 'failed', why: 'red' } }),
          journalSeq: input.journal.view.seq,
        }),
      },
      { onValidationFailure: 'review' },
    );

    expect(result).toMatchObject({ outcome: 'blocked', blockedReason: 'validation_failed' });
    expect(stages()).toEqual(['planning', 'architecting', 'executing', 'reviewing', 'verifying']);
  });

  it('takes no decision about another tree: a reviewer that moved the branch is asked again', async () => {
    let reviews = 0;
    const result = await runWith({
      runTurn: async (input) => {
        if (input.stage !== 'reviewing') return stubTurn(input);
        reviews += 1;
        return stubTurn(
          input,
          reviews === 1 ? { rolledBack: true, branchMoved: true, decision: { kind: 'review', value: 'BLOCKED' } } : {},
        );
      },
    });

    expect(result.outcome).toBe('merge_ready');
    expect(reviews).toBe(2);
  });
});

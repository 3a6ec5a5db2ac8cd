/** The pure rules of a run over any outcomes: retries come to an end, merge_ready has its evidence, budgets add up. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { budgetRows, reachedLimit } from '../../../protocol/run/budget-limits.js';
import { isTerminal } from '../../../protocol/run/lifecycle.js';
import { REVIEW_DECISIONS, type TurnOutcome, VERIFICATION_DECISIONS } from '../../../protocol/run/outcomes.js';
import { STAGES } from '../../../protocol/run/stages.js';
import { endingOfStages, endingOfTurn, type MergeFacts, statusOf } from '../../../workflows/run/ending.js';
import { NOTHING_USED, withTurn } from '../../../workflows/turns/budget.js';
import { decideAfterTry, type RetryRules, type Tries } from '../../../workflows/turns/turn-retry.js';

const why = 'why';
const outcome: fc.Arbitrary<TurnOutcome> = fc.oneof(
  fc.constantFrom<TurnOutcome>(
    { kind: 'done' },
    { kind: 'no_change' },
    { kind: 'policy_violation', rule: 'block', why },
    { kind: 'guarded_paths', why, paths: [] },
  ),
  fc
    .constantFrom(
      'refused',
      'needs_input',
      'overflow',
      'transient',
      'timeout',
      'crash_loop',
      'hard',
      'repository_changed',
    )
    .map((kind) => ({ kind, why }) as const),
  fc.constant<TurnOutcome>({ kind: 'transient', why, fresh: true }),
  fc.option(fc.integer()).map((afterMs) => ({ kind: 'rate_limited', why, afterMs }) as const),
  fc
    .option(
      fc.oneof(
        fc.string(),
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      ),
    )
    .map((until) => ({ kind: 'usage_limit', why, until }) as const),
);

describe('the attempts of one turn', () => {
  const rules = fc.record({
    action: fc.constantFrom('wait' as const, 'fallback' as const, 'stop' as const),
    maxWaitMs: fc.integer({ min: 100, max: 86_400_000 }),
    maxWaits: fc.nat(5),
    fallbackAgent: fc.constantFrom(null, 'other'),
    larger: fc.boolean(),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    now: fc.integer({ min: 0, max: 4e12 }),
  });

  /** Of few kinds, so that one comes as often as it may. */
  const history = fc
    .array(outcome, { minLength: 1, maxLength: 3 })
    .chain((few) => fc.array(fc.constantFrom(...few), { minLength: 30, maxLength: 30 }));

  it('come to an end whatever each of them answers, wait no longer than is allowed, and call the fallback agent once', () => {
    fc.assert(
      fc.property(rules, history, ({ action, maxWaitMs, maxWaits, ...rest }, outcomes) => {
        const tries: Tries = {
          rateLimited: 0,
          transient: 0,
          timeouts: 0,
          fresh: false,
          overflow: null,
          fallback: null,
        };
        const ways: string[] = [];
        let usageWaits = 0;
        for (const one of outcomes) {
          const given: RetryRules = { ...rest, usageLimit: { action, maxWaitMs, maxWaits }, usageWaits };
          const next = decideAfterTry(one, tries, given);
          ways.push(next.kind);
          if (next.kind === 'settled') break;
          if (next.kind === 'fallback') tries.fallback = next.agent;
          else if (next.kind === 'again') tries.timeouts = next.retry;
          else if (next.kind === 'fresh') tries.fresh = true;
          else if (next.kind === 'overflow') tries.overflow = next.with;
          else {
            expect(next.waiting).toBe(one.kind);
            expect(next.ms).toBeGreaterThanOrEqual(0);
            expect(next.ms).toBeLessThanOrEqual(
              next.waiting === 'usage_limit' ? maxWaitMs : Math.max(maxWaitMs, 144_000),
            );
            if (next.waiting === 'usage_limit') usageWaits = next.retry;
            else if (next.waiting === 'rate_limited') tries.rateLimited = next.retry;
            else tries.transient = next.retry;
          }
        }

        expect(ways.at(-1)).toBe('settled');
        expect(ways.length).toBeLessThanOrEqual(5 + 4 + 1 + 1 + 2 + maxWaits + 1 + 1);
        expect(ways.filter((way) => way === 'fallback').length).toBeLessThanOrEqual(1);
        expect(ways.filter((way) => way === 'overflow').length).toBeLessThanOrEqual(rest.larger ? 2 : 1);
        expect([tries.rateLimited <= 5, tries.transient <= 4, tries.timeouts <= 1, usageWaits <= maxWaits]).toEqual([
          true,
          true,
          true,
          true,
        ]);
      }),
      { numRuns: 500 },
    );
  });

  it('leave an end that a run can have, or let it go on', () => {
    fc.assert(
      fc.property(
        outcome,
        fc.constantFrom(...STAGES),
        fc.boolean(),
        fc.boolean(),
        (one, stage, changesExpected, attended) => {
          const ending = endingOfTurn(stage, one, { changesExpected, attended });

          const goesOn =
            one.kind === 'done' ||
            (one.kind === 'no_change' && !changesExpected) ||
            (one.kind === 'guarded_paths' && attended);
          expect(ending === null).toBe(goesOn);
          if (ending === null) return;
          expect(ending.outcome).not.toBe('merge_ready');
          expect(isTerminal(statusOf(ending.outcome))).toBe(true);
          expect('error' in ending && ending.error).not.toBe('');
        },
      ),
    );
  });
});

describe('merge_ready', () => {
  const commit = fc.constantFrom('head', 'older', null);
  const facts: fc.Arbitrary<MergeFacts> = fc.record({
    stages: fc.subarray([...STAGES]),
    head: fc.constant('head'),
    validation: fc.constantFrom(
      'passed',
      'partial',
      'base_failures_ignored',
      'failed',
      'unavailable',
      'no_commands',
      null,
    ),
    review: fc.constantFrom(...REVIEW_DECISIONS, null),
    verification: fc.constantFrom(...VERIFICATION_DECISIONS, null),
    evidence: fc.record({ validation: commit, review: commit, verification: commit }),
    openGate: fc.boolean(),
    blockHits: fc.nat(2),
  });
  const READY: Omit<MergeFacts, 'stages'> = {
    head: 'head',
    validation: 'passed',
    review: 'APPROVED',
    verification: 'PASSED',
    evidence: { validation: 'head', review: 'head', verification: 'head' },
    openGate: false,
    blockHits: 0,
  };

  it('has every piece of evidence that its stages ask for, about this very commit', () => {
    fc.assert(
      fc.property(facts, fc.boolean(), (drawn, isNearly) => {
        // Of facts that are drawn alone hardly any would do.
        const given = isNearly
          ? { ...READY, stages: drawn.stages, evidence: { ...READY.evidence, review: drawn.evidence.review } }
          : drawn;
        const { stages, evidence } = given;
        const lacks = [
          stages.includes('validating') &&
            (evidence.validation !== 'head' || ['failed', 'unavailable', null].includes(given.validation)),
          stages.includes('reviewing') && (evidence.review !== 'head' || given.review !== 'APPROVED'),
          stages.includes('verifying') && (evidence.verification !== 'head' || given.verification !== 'PASSED'),
          given.openGate,
          given.blockHits > 0,
        ].filter((one) => one).length;
        const ending = endingOfStages(given);

        expect(ending.outcome).toBe(lacks === 0 ? 'merge_ready' : 'blocked');
        if ('error' in ending) expect(ending.error.split(';')).toHaveLength(lacks);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the budget', () => {
  const turn = fc.record({
    durationMs: fc.nat(600_000),
    costMicroUsd: fc.option(fc.nat(1_000_000)),
    tokens: fc.option(fc.nat(90_000)),
  });

  it('counts every turn once, in any order, and money to the micro-dollar', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 40 }), (turns) => {
        const used = turns.reduce(withTurn, NOTHING_USED);
        const back = [...turns].reverse().reduce(withTurn, NOTHING_USED);

        expect(used.turns).toBe(turns.length);
        expect(used.microUsd).toBe(turns.reduce((sum, { costMicroUsd }) => sum + (costMicroUsd ?? 0), 0));
        expect(used.tokens).toBe(turns.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0));
        expect(used.minutes).toBeCloseTo(turns.reduce((sum, { durationMs }) => sum + durationMs, 0) / 60_000, 6);
        expect({ ...back, minutes: 0 }).toEqual({ ...used, minutes: 0 });
      }),
    );
  });

  it('is reached exactly where something used is all that is allowed, each grant allowing the whole once more', () => {
    const limit = fc.option(fc.integer({ min: 1, max: 50 }), { nil: null });
    const spent = fc.record({
      turns: fc.nat(200),
      minutes: fc.nat(200),
      microUsd: fc.nat(200),
      tokens: fc.nat(200),
      grants: fc.nat(4),
    });
    fc.assert(
      fc.property(
        fc.record({ turns: limit, minutes: limit, microUsd: limit, tokens: limit }),
        spent,
        (budget, used) => {
          const allowed = (budgeted: number | null) =>
            budgeted === null ? Number.POSITIVE_INFINITY : budgeted * (1 + used.grants);
          const isReached =
            used.turns >= allowed(budget.turns) ||
            used.minutes >= allowed(budget.minutes) ||
            used.microUsd >= allowed(budget.microUsd) ||
            used.tokens >= allowed(budget.tokens);

          expect(reachedLimit(budgetRows(used, budget, used.grants)) !== null).toBe(isReached);
          expect(reachedLimit(budgetRows(used, budget, 300))).toBeNull();
        },
      ),
      { numRuns: 500 },
    );
  });
});

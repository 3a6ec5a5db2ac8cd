import { describe, expect, it } from '@jest/globals';
import type { BudgetPolicy } from '../../../protocol/run/policy.js';
import { NOTHING_USED, reachedLimit, uncountedCost, withTurn } from '../../../workflows/turns/budget.js';

const UNLIMITED: BudgetPolicy = { turns: null, minutes: null, microUsd: null, onLimit: 'stop', day: null };

describe('the budget of a run', () => {
  it('has no limit unless one is set', () => {
    expect(reachedLimit(UNLIMITED, { turns: 1e6, minutes: 1e6, microUsd: 1e12, grants: 0 })).toBeNull();
  });

  it('is reached by less than what a person reads as a whole tenth of a minute', () => {
    const used = withTurn(NOTHING_USED, { durationMs: 700, costMicroUsd: null });

    expect(reachedLimit({ ...UNLIMITED, minutes: 0.01 }, used)).toEqual({
      limit: 'minutes',
      used: 0.01,
      allowed: 0.01,
    });
    expect(reachedLimit({ ...UNLIMITED, minutes: 0.5 }, { ...used, minutes: 0.46 })).toBeNull();
  });

  it('counts money in whole micro-dollars, also where a person granted it again', () => {
    const budget = { ...UNLIMITED, microUsd: 100_000 };
    const used = { ...NOTHING_USED, microUsd: 300_000, grants: 2 };

    expect(reachedLimit(budget, used)).toEqual({ limit: 'usd', used: 0.3, allowed: 0.3 });
    expect(reachedLimit(budget, { ...used, microUsd: 299_999 })).toBeNull();
  });
});

describe('a turn that does not tell what it cost', () => {
  const capped: BudgetPolicy = { ...UNLIMITED, microUsd: 2_500_000 };
  const turn = (part: Partial<Parameters<typeof uncountedCost>[1]> = {}) =>
    ({ agent: { name: 'mute', adapter: 'command' }, outcome: { kind: 'done' }, costMicroUsd: null, ...part }) as const;

  it('ends a run under a limit of money, of its own or of the day', () => {
    expect(uncountedCost(capped, turn())).toContain(
      'the agent mute did not tell what its turn cost, so budget.run.usd ($2.5) cannot be kept',
    );
    const day = { turns: null, minutes: null, microUsd: 1_000_000 };
    expect(uncountedCost({ ...UNLIMITED, day }, turn({ outcome: { kind: 'timeout' } }))).toContain(
      'budget.day.usd ($1)',
    );
  });

  it.each([
    ['there is no such limit', UNLIMITED, turn()],
    ['it told, be it nothing', capped, turn({ costMicroUsd: 0 })],
    ['the scripted agent pays nobody', capped, turn({ agent: { name: 's', adapter: 'scripted' } })],
    ['the provider turned it away', capped, turn({ outcome: { kind: 'rate_limited' } })],
    ['the run ends by it anyway', capped, turn({ outcome: { kind: 'hard' } })],
  ])('does not where %s', (_why, budget, told) => {
    expect(uncountedCost(budget, told)).toBeNull();
  });
});

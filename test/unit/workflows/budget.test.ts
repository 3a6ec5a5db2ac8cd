import { describe, expect, it } from '@jest/globals';
import type { BudgetPolicy } from '../../../protocol/policy.js';
import { NOTHING_USED, reachedLimit, withTurn } from '../../../workflows/budget.js';

const UNLIMITED: BudgetPolicy = { turns: null, minutes: null, microUsd: null, onLimit: 'stop' };

describe('the budget of a run', () => {
  it('has no limit unless one is set', () => {
    expect(reachedLimit(UNLIMITED, { turns: 1e6, minutes: 1e6, microUsd: 1e12, grants: 0 })).toBeNull();
  });

  it('is reached by less than what a person reads as a whole tenth of a minute', () => {
    const used = withTurn(NOTHING_USED, { durationMs: 700 });

    expect(reachedLimit({ ...UNLIMITED, minutes: 0.01 }, used)).toEqual({ limit: 'minutes', used: 0.01, allowed: 0.01 });
    expect(reachedLimit({ ...UNLIMITED, minutes: 0.5 }, { ...used, minutes: 0.46 })).toBeNull();
  });

  it('counts money in whole micro-dollars, also where a person granted it again', () => {
    const budget = { ...UNLIMITED, microUsd: 100_000 };
    const used = { ...NOTHING_USED, microUsd: 300_000, grants: 2 };

    expect(reachedLimit(budget, used)).toEqual({ limit: 'usd', used: 0.3, allowed: 0.3 });
    expect(reachedLimit(budget, { ...used, microUsd: 299_999 })).toBeNull();
  });
});

import { describe, expect, it } from '@jest/globals';
import type { BudgetUse } from '../../../protocol/messages/run-view.js';
import { budgetRows, reachedLimit } from '../../../protocol/run/budget-limits.js';
import type { BudgetPolicy } from '../../../protocol/run/policy.js';
import { NOTHING_USED, uncountedLimit, withTurn } from '../../../workflows/turns/budget.js';
import { NO_BUDGET } from '../journal/journal-builders.js';

const reachedOf = (budget: BudgetPolicy, used: BudgetUse) => reachedLimit(budgetRows(used, budget, used.grants));

describe('the budget of a run', () => {
  it('has no limit unless one is set', () => {
    expect(reachedOf(NO_BUDGET, { turns: 1e6, minutes: 1e6, microUsd: 1e12, tokens: 1e12, grants: 0 })).toBeNull();
  });

  it('is reached by less than what a person reads as a whole tenth of a minute', () => {
    const used = withTurn(NOTHING_USED, { durationMs: 700, costMicroUsd: null, tokens: null });

    expect(reachedOf({ ...NO_BUDGET, minutes: 0.01 }, used)).toEqual({
      limit: 'minutes',
      used: 0.01,
      allowed: 0.01,
    });
    expect(reachedOf({ ...NO_BUDGET, minutes: 0.5 }, { ...used, minutes: 0.46 })).toBeNull();
  });

  it('counts money in whole micro-dollars, also where a person granted it again', () => {
    const budget = { ...NO_BUDGET, microUsd: 100_000 };
    const used = { ...NOTHING_USED, microUsd: 300_000, grants: 2 };

    expect(reachedOf(budget, used)).toEqual({ limit: 'usd', used: 0.3, allowed: 0.3 });
    expect(reachedOf(budget, { ...used, microUsd: 299_999 })).toBeNull();
  });
});

describe('a limit of tokens', () => {
  const capped: BudgetPolicy = { ...NO_BUDGET, tokens: 1_000 };

  it('is reached by what turns read and wrote, and allowed once more by each grant', () => {
    const used = [400, null, 600].reduce(
      (sum, tokens) => withTurn(sum, { durationMs: 1, costMicroUsd: null, tokens }),
      NOTHING_USED,
    );

    expect(reachedOf(capped, used)).toEqual({ limit: 'tokens', used: 1_000, allowed: 1_000 });
    expect(reachedOf(capped, { ...used, tokens: 999 })).toBeNull();
    expect(reachedOf(capped, { ...used, tokens: 2_500, grants: 2 })).toBeNull();
    expect(reachedOf(capped, { ...used, tokens: 3_000, grants: 2 })).toMatchObject({ allowed: 3_000 });
  });

  it('ends a run whose agent does not tell them', () => {
    const turn = {
      agent: { name: 'mute', adapter: 'command' },
      outcome: { kind: 'done' },
      costMicroUsd: 1,
      tokens: null,
    } as const;

    expect(uncountedLimit(capped, turn)).toContain(
      'the agent mute did not tell the tokens of its turn, so budget.run.tokens (1000) cannot be kept',
    );
    const day = { turns: null, minutes: null, microUsd: 5, tokens: 7 };
    expect(uncountedLimit({ ...NO_BUDGET, day }, turn)).toContain('budget.day.tokens (7)');
    expect(uncountedLimit(capped, { ...turn, tokens: 0 })).toBeNull();
    expect(uncountedLimit(capped, { ...turn, agent: { name: 's', adapter: 'scripted' } })).toBeNull();
  });
});

describe('a turn that does not tell what it cost', () => {
  const capped: BudgetPolicy = { ...NO_BUDGET, microUsd: 2_500_000 };
  const turn = (part: Partial<Parameters<typeof uncountedLimit>[1]> = {}) =>
    ({
      agent: { name: 'mute', adapter: 'command' },
      outcome: { kind: 'done' },
      costMicroUsd: null,
      tokens: null,
      ...part,
    }) as const;

  it('ends a run under a limit of money, of its own or of the day', () => {
    expect(uncountedLimit(capped, turn())).toContain(
      'the agent mute did not tell what its turn cost, so budget.run.usd ($2.5) cannot be kept',
    );
    const day = { turns: null, minutes: null, microUsd: 1_000_000, tokens: null };
    expect(uncountedLimit({ ...NO_BUDGET, day }, turn({ outcome: { kind: 'timeout' } }))).toContain(
      'budget.day.usd ($1)',
    );
  });

  it.each([
    ['there is no such limit', NO_BUDGET, turn()],
    ['it told, be it nothing', capped, turn({ costMicroUsd: 0 })],
    ['the scripted agent pays nobody', capped, turn({ agent: { name: 's', adapter: 'scripted' } })],
    ['the provider turned it away', capped, turn({ outcome: { kind: 'rate_limited' } })],
    ['the run ends by it anyway', capped, turn({ outcome: { kind: 'hard' } })],
  ])('does not where %s', (_why, budget, told) => {
    expect(uncountedLimit(budget, told)).toBeNull();
  });
});

import { describe, expect, it } from '@jest/globals';
import { dayRows, renderDay } from '../../../client/cli/find/day-rows.js';
import { stageCostLines } from '../../../client/views/stage-costs.js';
import type { DayBudgetView } from '../../../protocol/actors/day-budget.js';

const VIEW: DayBudgetView = {
  project: 'shop',
  day: '2026-11-21',
  resetsAt: '2026-11-22T00:00:00.000Z',
  settled: { turns: 7, ms: 90_000, microUsd: 2_500_000, tokens: 0 },
  reserved: { turns: 1, ms: 30_000, microUsd: 500_000, tokens: 0 },
  grants: 1,
};
const LIMITS = { turns: 5, minutes: null, microUsd: 1_000_000, tokens: null };
const NOW = Date.parse('2026-11-21T21:00:00.000Z');

describe("the day's part of sluice budget", () => {
  it('counts turns under way, allows the whole once more for each grant, and leaves nothing below zero', () => {
    expect(dayRows(VIEW, LIMITS)).toEqual([
      { of: 'turns', used: 8, allowed: 10, left: 2 },
      { of: 'minutes', used: 2, allowed: null, left: null },
      { of: 'usd', used: 3, allowed: 2, left: 0 },
      { of: 'tokens', used: 0, allowed: null, left: null },
    ]);
  });

  it('says which day it is and when the next begins', () => {
    expect(renderDay(VIEW, LIMITS, NOW)).toEqual([
      'the day 2026-11-21 (UTC) of shop, all runs together; a new day begins in 3:00:00:',
      '  turns    8 used, of 10, 2 left',
      '  minutes  2 used, no limit',
      '  usd      3 used, of 2, 0 left',
      '  tokens   0 used, no limit',
      '  1 turn under way, counted with what such turns used today',
      '  granted 1 × again by a person',
    ]);
  });
});

describe('what stages cost', () => {
  it('is shown where it is known', () => {
    const use = { agentMs: 1, tokensIn: null, tokensOut: null, costMicroUsd: null };

    expect(
      stageCostLines([
        { stage: 'planning', turns: 1, ...use },
        { stage: 'executing', turns: 2, ...use, costMicroUsd: 1_250_000 },
        { stage: 'reviewing', turns: 1, ...use, tokensIn: 1200, tokensOut: 80, costMicroUsd: 0 },
      ]),
    ).toEqual(['executing $1.25, 2 turns', 'reviewing $0.00 (1200 tokens in, 80 out)']);
  });
});

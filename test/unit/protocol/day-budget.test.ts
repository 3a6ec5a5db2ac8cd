/** Signals to and from the ledger of a day's budget come from anybody who reaches the server: what cannot be read is null, never an error. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readBudgetAnswer, readReserve, readSettlement } from '../../../protocol/actors/day-budget.js';

const REQUEST = {
  token: 't',
  workflowId: 'run-1',
  executionRunId: 'e',
  limits: { turns: 3, minutes: null, microUsd: null, tokens: null },
  grant: null,
};

describe('what a run and its ledger say to each other', () => {
  it('is read as it was written', () => {
    const full = {
      kind: 'full',
      token: 't',
      day: '2026-11-21',
      limit: 'usd',
      used: 1,
      allowed: 1,
      underWay: 0,
      resetsAt: 'then',
    };
    const settlement = { token: 't', day: '2026-11-21', usage: { durationMs: 5, costMicroUsd: null, tokens: null } };

    expect(readReserve(REQUEST)).toEqual(REQUEST);
    expect(readSettlement(settlement)).toEqual(settlement);
    expect(readBudgetAnswer(full)).toEqual(full);
    expect(readBudgetAnswer({ kind: 'granted', token: 't', day: 'd' })).toEqual({
      kind: 'granted',
      token: 't',
      day: 'd',
    });
  });

  it.each([
    ['a limit of 0', { ...REQUEST, limits: { turns: 0 } }],
    ['a limit that is no number', { ...REQUEST, limits: { minutes: Number.NaN } }],
    ['a negative limit', { ...REQUEST, limits: { microUsd: -1 } }],
    ['no run', { ...REQUEST, workflowId: '' }],
    ['an endless token', { ...REQUEST, token: 'x'.repeat(1_001) }],
    ['a grant that is no name', { ...REQUEST, grant: true }],
    ['a payload that cannot be read', ['a payload that cannot be read']],
  ])('is no request with %s', (_what, value) => {
    expect(readReserve(value)).toBeNull();
  });

  it('counts a use that is no number as unknown', () => {
    expect(readSettlement({ token: 't', day: 'd', usage: { durationMs: -1, costMicroUsd: 5, tokens: null } })).toEqual({
      token: 't',
      day: 'd',
      usage: null,
    });
    expect(
      readSettlement({ token: 't', day: 'd', usage: { durationMs: 1, costMicroUsd: Number.POSITIVE_INFINITY } }),
    ).toMatchObject({
      usage: { durationMs: 1, costMicroUsd: null, tokens: null },
    });
  });

  it('throws for nothing that anybody can send', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const read of [readReserve, readSettlement, readBudgetAnswer]) read(value);
      }),
    );
  });
});

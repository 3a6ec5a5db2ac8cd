import { describe, expect, it } from '@jest/globals';
import { STAGE_LISTS } from '../../../protocol/run/stages.js';
import { endingOfStages, type MergeFacts } from '../../../workflows/run/ending.js';

const HEAD = 'c'.repeat(40);
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

describe('the conditions of merge_ready', () => {
  it('hold when every piece of evidence is about this tree', () => {
    expect(endingOfStages(GOOD)).toEqual({ outcome: 'merge_ready' });
  });

  it.each([
    ['a red check', { validation: 'failed' }, 'validation_failed'],
    ['checks that could not run', { validation: 'unavailable' }, 'validation_failed'],
    ['no checks', { validation: null }, 'validation_failed'],
    ['checks of another commit', { evidence: { ...GOOD.evidence, validation: 'x' } }, 'validation_failed'],
    ['a review that asks for changes', { review: 'CHANGES_REQUESTED' }, 'review_blocked'],
    ['no review', { review: null }, 'review_blocked'],
    ['a review of another commit', { evidence: { ...GOOD.evidence, review: 'x' } }, 'review_blocked'],
    ['a failed verification', { verification: 'FAILED' }, 'verification_failed'],
    ['a verification of another commit', { evidence: { ...GOOD.evidence, verification: null } }, 'verification_failed'],
    ['an open gate', { openGate: true }, 'approval_rejected'],
    ['a hit of a block rule', { blockHits: 1 }, 'policy_violation'],
  ] as const)('fail with %s', (_name, part, reason) => {
    expect(endingOfStages({ ...GOOD, ...part })).toMatchObject({ outcome: 'blocked', reason });
  });

  it('names every condition that fails', () => {
    const ending = endingOfStages({ ...GOOD, validation: 'failed', review: null });

    expect(ending).toMatchObject({ error: expect.stringMatching(/checks of this tree.*; a review/) });
  });

  it('asks nothing of stages that the run does not have', () => {
    const nothing = {
      validation: null,
      review: null,
      verification: null,
      evidence: { validation: null, review: null, verification: null },
    };
    expect(endingOfStages({ ...GOOD, ...nothing, stages: STAGE_LISTS['plan-only'] })).toEqual({
      outcome: 'merge_ready',
    });
  });
});

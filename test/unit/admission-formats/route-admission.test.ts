/** Where a task goes after its admission: each line of the routing table, and which of two that hold comes first. Source: S-29 to S-31, S-40 to S-43, S-49. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Classification } from '../../../protocol/admission/classifier-answer.js';
import { type AdmissionFacts, cancelsPlan, routeAdmission } from '../../../protocol/admission/route-admission.js';

const SMALL: Classification = {
  scope: 'small',
  confidence: 0.5,
  reason: 'one file',
  questions: [],
  rejectReason: null,
};

const FACTS: AdmissionFacts = {
  dedup: { kind: 'clear' },
  classification: { kind: 'ok', answer: SMALL },
  plan: { kind: 'ok' },
  possibleDuplicates: [],
  round: 1,
  terms: { minConfidence: 0, autoExecuteSmall: true, maxRounds: 3 },
};

function route(answer: Partial<Classification>, over: Partial<AdmissionFacts> = {}) {
  return routeAdmission({ ...FACTS, classification: { kind: 'ok', answer: { ...SMALL, ...answer } }, ...over });
}

const TERMS = FACTS.terms;
const FAILED = { kind: 'failed', why: 'no JSON' } as const;
const BLOCKED = { kind: 'blocked', of: '3', why: 'in progress as task #3' } as const;
const ASKS = { questions: ['Which?'] };
const REJECTS = { scope: 'reject', rejectReason: 'spam' } as const;

describe('an admitted task', () => {
  it.each([
    [
      'is closed where it is a duplicate',
      route(REJECTS, { dedup: BLOCKED, plan: FAILED }),
      { kind: 'closed', reason: 'duplicate', of: '3', why: 'in progress as task #3' },
    ],
    ['is closed where it is rejected', route(REJECTS), { kind: 'closed', reason: 'rejected', why: 'spam' }],
    ['is rejected rather than asked about', route({ ...REJECTS, ...ASKS }), { kind: 'closed', reason: 'rejected' }],
    [
      'is asked about rather than gated',
      route({ ...ASKS, scope: 'large' }, { plan: FAILED }),
      { kind: 'clarifying', questions: ['Which?'], round: 1 },
    ],
    ['is asked about in a third round', route(ASKS, { round: 3 }), { kind: 'clarifying', round: 3 }],
    [
      'is gated where a fourth round would begin',
      route(ASKS, { round: 4 }),
      { kind: 'gated', reason: 'clarification_limit', why: 'there are still questions after 3 rounds: Which?' },
    ],
    ['goes on in a fourth pass without questions', route({}, { round: 4 }), { kind: 'queued' }],
    [
      'is gated where the classifier failed',
      routeAdmission({ ...FACTS, classification: FAILED }),
      { kind: 'gated', reason: 'classify_failed', why: 'no JSON' },
    ],
    [
      'is gated by the classifier where both failed',
      routeAdmission({ ...FACTS, classification: FAILED, plan: FAILED }),
      { kind: 'gated', reason: 'classify_failed' },
    ],
    [
      'is gated where its plan failed',
      route({}, { plan: FAILED }),
      { kind: 'gated', reason: 'plan_failed', why: 'no JSON' },
    ],
    [
      'is gated where it has no plan',
      route({}, { plan: { kind: 'cancelled' } }),
      { kind: 'gated', reason: 'plan_failed' },
    ],
    [
      'is gated where it may be a duplicate',
      route({}, { possibleDuplicates: ['3', '4'], terms: { ...TERMS, minConfidence: 1 } }),
      { kind: 'gated', reason: 'possible_duplicate', why: 'it may be the same as 3, 4' },
    ],
    [
      'is gated where the plan failed rather than for a duplicate',
      route({}, { plan: FAILED, possibleDuplicates: ['3'] }),
      { kind: 'gated', reason: 'plan_failed' },
    ],
    [
      'is gated where the classifier is unsure',
      route({ confidence: 0.4 }, { terms: { ...TERMS, minConfidence: 0.6 } }),
      { kind: 'gated', reason: 'low_confidence', why: 'the classifier is sure by 0.4; at least 0.6 is asked for' },
    ],
    [
      'is queued where the classifier is just sure enough',
      route({ confidence: 0.6 }, { terms: { ...TERMS, minConfidence: 0.6 } }),
      { kind: 'queued' },
    ],
    ['is queued where it is small and may go on', route({}), { kind: 'queued' }],
    [
      'is gated where it is small and may not',
      route({}, { terms: { ...TERMS, autoExecuteSmall: false } }),
      { kind: 'gated', reason: 'plan', why: 'small: one file' },
    ],
    ['is gated where it is large', route({ scope: 'large' }), { kind: 'gated', reason: 'plan' }],
    [
      'is gated where it is ambiguous without questions',
      route({ scope: 'ambiguous' }),
      { kind: 'gated', reason: 'plan' },
    ],
  ])('%s', (_, got, wanted) => {
    expect(got).toMatchObject(wanted);
  });

  it.each([
    [{ scope: 'reject' }, 1, true],
    [{ scope: 'reject' }, 4, true],
    [ASKS, 3, true],
    [ASKS, 4, false],
    [{ scope: 'ambiguous' }, 1, false],
    [{}, 1, false],
  ] as const)('%j in round %i cancels its plan: %s', (answer, round, isCancelled) => {
    expect(cancelsPlan({ ...SMALL, ...answer }, { round, terms: TERMS })).toBe(isCancelled);
  });
});

const CLASSIFICATIONS: fc.Arbitrary<Classification> = fc.record({
  scope: fc.constantFrom('small', 'large', 'ambiguous', 'reject'),
  confidence: fc.constantFrom(0, 0.5, 1),
  reason: fc.constant('r'),
  questions: fc.constantFrom([], ['Which?']),
  rejectReason: fc.constantFrom(null, 'spam'),
});

const ANY_FACTS: fc.Arbitrary<AdmissionFacts> = fc.record({
  dedup: fc.constantFrom(FACTS.dedup, BLOCKED),
  classification: fc.oneof(
    fc.constant(FAILED),
    fc.constant({ kind: 'unasked' } as const),
    CLASSIFICATIONS.map((answer) => ({ kind: 'ok', answer }) as const),
  ),
  plan: fc.constantFrom<AdmissionFacts['plan']>({ kind: 'ok' }, FAILED, { kind: 'cancelled' }),
  possibleDuplicates: fc.constantFrom([], ['3']),
  round: fc.integer({ min: 1, max: 5 }),
  terms: fc.record({
    minConfidence: fc.constantFrom(0, 0.5, 1),
    autoExecuteSmall: fc.boolean(),
    maxRounds: fc.constant(3),
  }),
});

/** The table as the requirements write it, from its top. */
function lineOf(facts: AdmissionFacts): string {
  const answer = facts.classification.kind === 'ok' ? facts.classification.answer : null;
  const isUnasked = facts.classification.kind === 'unasked';
  const isAsking = answer !== null && answer.questions.length > 0;
  const { terms } = facts;
  const lines: readonly (readonly [boolean, string])[] = [
    [facts.dedup.kind === 'blocked', 'closed duplicate'],
    [isUnasked && facts.possibleDuplicates.length > 0, 'gated possible_duplicate'],
    [isUnasked, 'queued'],
    [answer?.scope === 'reject', 'closed rejected'],
    [isAsking && facts.round <= 3, 'clarifying'],
    [isAsking, 'gated clarification_limit'],
    [answer === null, 'gated classify_failed'],
    [facts.plan.kind !== 'ok', 'gated plan_failed'],
    [facts.possibleDuplicates.length > 0, 'gated possible_duplicate'],
    [(answer?.confidence ?? 0) < terms.minConfidence, 'gated low_confidence'],
    [answer?.scope === 'small' && terms.autoExecuteSmall, 'queued'],
  ];
  return lines.find(([holds]) => holds)?.[1] ?? 'gated plan';
}

describe('the routing table', () => {
  it('has one line for whatever is known of a task, and the first that holds counts', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(ANY_FACTS, (facts) => {
        const route = routeAdmission(facts);
        const line = 'reason' in route ? `${route.kind} ${route.reason}` : route.kind;
        seen.add(line);

        expect(line).toBe(lineOf(facts));
      }),
      { numRuns: 3_000 },
    );
    expect(seen.size).toBe(10);
  });

  it('lets nothing run by itself that is not small, planned, sure, alone and allowed to', () => {
    fc.assert(
      fc.property(ANY_FACTS, (facts) => {
        if (facts.classification.kind === 'unasked' || routeAdmission(facts).kind !== 'queued') return;
        expect(facts).toMatchObject({
          dedup: { kind: 'clear' },
          plan: { kind: 'ok' },
          possibleDuplicates: [],
          terms: { autoExecuteSmall: true },
          classification: { answer: { scope: 'small', questions: [] } },
        });
      }),
      { numRuns: 3_000 },
    );
  });

  it('waits for no plan that was cancelled', () => {
    fc.assert(
      fc.property(ANY_FACTS, (facts) => {
        if (facts.classification.kind !== 'ok' || !cancelsPlan(facts.classification.answer, facts)) return;
        expect(['closed', 'clarifying']).toContain(routeAdmission(facts).kind);
      }),
    );
  });
});

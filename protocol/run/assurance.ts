/** The assurance verdict of a closed run (V-102): a pure function of what the engine itself observed, never of what an agent claims. */
import type { ReviewDecision, RunOutcome, ValidationOutcome, Verdict, VerificationDecision } from './outcomes.js';

export interface AssuranceFacts {
  readonly outcome: RunOutcome;
  readonly wroteCode: boolean;
  readonly validation: ValidationOutcome['kind'] | null;
  readonly review: ReviewDecision | null;
  readonly verification: VerificationDecision | null;
  readonly policyViolations: number;
}

export interface Assurance {
  readonly verdict: Verdict;
  /** One sentence each, in the order in which they were looked at. */
  readonly reasons: readonly string[];
}

export function assess(facts: AssuranceFacts): Assurance {
  const reasons = [
    validationSentence(facts.validation),
    reviewSentence(facts.review),
    verificationSentence(facts.verification),
  ];
  if (facts.policyViolations > 0) reasons.push(`${facts.policyViolations} policy violation(s) were recorded`);
  return { verdict: verdictOf(facts), reasons };
}

function verdictOf(facts: AssuranceFacts): Verdict {
  if (facts.policyViolations > 0) return 'unsafe';
  if (facts.outcome !== 'merge_ready') return 'blocked';
  if (!facts.wroteCode || facts.validation === null) return 'unverified';
  const judged = facts.review === 'APPROVED' && facts.verification === 'PASSED';
  if (facts.validation === 'passed' && judged) return 'verified';
  return 'partially_verified';
}

function validationSentence(kind: ValidationOutcome['kind'] | null): string {
  switch (kind) {
    case 'passed':
      return 'every validation command passed on this tree';
    case 'partial':
      return 'some validation commands could not run; the others passed';
    case 'base_failures_ignored':
      return 'commands that are red on the base commit too were ignored by policy';
    case 'failed':
      return 'a validation command failed';
    case 'unavailable':
      return 'no validation command could run';
    case 'no_commands':
      return 'no checks ran: no validation command is configured';
    case null:
      return 'no checks ran: the run did not reach validation';
  }
}

function reviewSentence(decision: ReviewDecision | null): string {
  return decision === null ? 'no review decision' : `the reviewer decided ${decision}`;
}

function verificationSentence(decision: VerificationDecision | null): string {
  return decision === null ? 'no verification decision' : `the verifier decided ${decision}`;
}

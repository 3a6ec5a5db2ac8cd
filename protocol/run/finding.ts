/** Findings of a review and the fixer's answers. Source: V-35. */

export const SEVERITIES = ['low', 'medium', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const FINDING_CATEGORIES = [
  'correctness',
  'architecture',
  'security',
  'tests',
  'performance',
  'maintainability',
  'product',
  'policy',
] as const;
export type FindingCategory = (typeof FINDING_CATEGORIES)[number];

export interface Finding {
  /** Unique within its review. */
  readonly id: string;
  readonly severity: Severity;
  readonly category: FindingCategory;
  readonly claim: string;
  /** At least one. */
  readonly evidence: readonly string[];
  readonly recommendation: string;
}

export const DISPOSITIONS = ['accept', 'fix', 'rebut', 'defer', 'needs-human'] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

export interface FindingResponse {
  readonly id: string;
  readonly disposition: Disposition;
  readonly rationale: string;
}

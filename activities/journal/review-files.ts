/** Renders review.md, finding-responses.md and verification.md (spec "File formats" 6). Pure; the caller redacts. */
import type { DecisionSource } from '../../protocol/event-data.js';
import type { ReviewDecision, VerificationDecision } from '../../protocol/outcomes.js';

/** Source: V-35. Shape: `evidence` has at least one entry. */
export interface Finding {
  readonly id: string;
  readonly severity: 'low' | 'medium' | 'high';
  readonly category: 'correctness' | 'architecture' | 'security' | 'tests' | 'performance' | 'maintainability' | 'product' | 'policy';
  readonly claim: string;
  readonly evidence: readonly string[];
  readonly recommendation: string;
}

export interface FindingResponse {
  readonly id: string;
  readonly disposition: 'accept' | 'fix' | 'rebut' | 'defer' | 'needs-human';
  readonly rationale: string;
  readonly commit: string | null;
}

export interface ReviewFile {
  readonly round: number;
  readonly decision: ReviewDecision;
  readonly commit: string;
  readonly source: DecisionSource;
  readonly summary: string | null;
  readonly findings: readonly Finding[];
  readonly raw: string;
}

export interface ResponsesFile {
  readonly round: number;
  /** Of the review that is answered. */
  readonly findings: readonly Finding[];
  readonly responses: readonly FindingResponse[];
  /** The round changed nothing: there is no commit (V-95). */
  readonly changed: boolean;
  readonly raw: string;
}

export interface VerificationFile {
  readonly decision: VerificationDecision;
  readonly commit: string;
  readonly summary: string | null;
  readonly openPoints: readonly string[];
  readonly raw: string;
}

export function renderReview(review: ReviewFile): string {
  return join([
    `# Review, round ${review.round}`,
    `DECISION: ${review.decision}\nCommit: ${review.commit}\nSource: ${review.source}`,
    `## Summary\n\n${review.summary ?? 'None was given apart from the text below.'}`,
    '## Findings',
    ...(review.findings.length === 0 ? ['None listed.'] : review.findings.map(renderFinding)),
    raw(review.raw),
  ]);
}

export function renderResponses(file: ResponsesFile): string {
  const answered = new Set(file.responses.map((response) => response.id));
  const unanswered = file.findings.filter((finding) => !answered.has(finding.id));
  return join([
    `# Responses, round ${file.round}`,
    ...(file.changed ? [] : ['This round changed nothing: there is no commit.']),
    ...file.responses.map(renderResponse),
    ...(unanswered.length === 0 ? [] : [`## Unanswered\n\n${list(unanswered.map((finding) => finding.id))}`]),
    raw(file.raw),
  ]);
}

export function renderVerification(file: VerificationFile): string {
  return join([
    '# Verification',
    `VERIFICATION: ${file.decision}\nCommit: ${file.commit}`,
    `## Summary\n\n${file.summary ?? 'None was given apart from the text below.'}`,
    `## Open points\n\n${file.openPoints.length === 0 ? 'None listed.' : list(file.openPoints)}`,
    raw(file.raw),
  ]);
}

function renderFinding(finding: Finding): string {
  return `### ${finding.id} (${finding.severity}, ${finding.category})\n\n${finding.claim}\n\nEvidence:\n${list(finding.evidence)}\n\nRecommendation: ${finding.recommendation}`;
}

function renderResponse(response: FindingResponse): string {
  const commit = response.commit === null ? '' : `\n\nCommit: ${response.commit}`;
  return `### ${response.id}: ${response.disposition}\n\n${response.rationale}${commit}`;
}

function raw(text: string): string {
  return `## Raw\n\n${text.trim() === '' ? 'The agent gave no text.' : text.trimEnd()}`;
}

function list(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}`).join('\n');
}

function join(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}

/** Renders review.md, finding-responses.md and verification.md (docs/requirements/vibestrate.md "Review files"). Pure; the caller redacts. */
import type { DecisionSource } from '../../protocol/messages/event-data.js';
import type { Disposition, Finding, FindingResponse } from '../../protocol/run/finding.js';
import type { ReviewDecision, VerificationDecision } from '../../protocol/run/outcomes.js';
import { printable } from '../../protocol/text/printable.js';

/** Answers that a commit goes with: the others say why there is none. */
const CHANGING: readonly Disposition[] = ['accept', 'fix'];

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
  /** Null: the round changed nothing, so there is none (V-95). */
  readonly commit: string | null;
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
    ...(file.commit === null ? ['This round changed nothing: there is no commit.'] : []),
    ...file.responses.map((response) => renderResponse(response, file.commit)),
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
  const head = `### ${finding.id} (${finding.severity}, ${finding.category})\n\n${finding.claim}`;
  return `${head}\n\n${evidenceOf(finding)}\n\nRecommendation: ${finding.recommendation}`;
}

function evidenceOf({ evidence }: Finding): string {
  if (evidence.every((entry) => !entry.includes('\n'))) return `Evidence:\n${list(evidence)}`;
  return ['Evidence:', ...evidence.map((entry) => (entry.includes('\n') ? block(entry) : `- ${entry}`))].join('\n\n');
}

/** Command output holds what it likes: the fence is longer than every run of backticks inside. */
function block(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.trimEnd()}\n${fence}`;
}

function renderResponse({ id, disposition, rationale }: FindingResponse, commit: string | null): string {
  const changed = commit !== null && CHANGING.includes(disposition) ? `\n\nCommit: ${commit}` : '';
  return `### ${id}: ${disposition}\n\n${rationale}${changed}`;
}

function raw(text: string): string {
  return `## Raw\n\n${text.trim() === '' ? 'The agent gave no text.' : text.trimEnd()}`;
}

function list(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}`).join('\n');
}

function join(parts: readonly string[]): string {
  return `${printable(parts.join('\n\n'))}\n`;
}

/** What review.md says, read from the part that the engine wrote of it; the agent's own text stands behind that part. Pure. */

export interface ShownReview {
  readonly decision: string | null;
  readonly commit: string | null;
  /** `F1 (high, correctness): the claim`. */
  readonly findings: readonly string[];
}

export function readReviewText(text: string): ShownReview {
  const own = ownPart(text);
  return {
    decision: /^DECISION: (\w+)$/m.exec(own)?.[1] ?? null,
    commit: /^Commit: ([0-9a-f]{40,64})$/m.exec(own)?.[1] ?? null,
    findings: [...own.matchAll(/^### (.+)\n+(.+)/gm)].map(([, head = '', claim = '']) => `${head}: ${claim}`),
  };
}

/** The section of its findings, in full; null where it has none. */
export function findingsSection(text: string): string | null {
  const own = ownPart(text);
  const start = own.indexOf('\n## Findings\n');
  return start < 0 ? null : own.slice(start + 1);
}

function ownPart(text: string): string {
  const end = text.indexOf('\n## Raw\n');
  return end < 0 ? text : text.slice(0, end);
}

/**
 * Reads a fixer's answers out of its fenced block `responses` (V-35). An answer without an id or a known disposition answers nothing:
 * its finding stays unanswered, which finding-responses.md says.
 */

import { MAX_FINDINGS } from '../../../protocol/limits.js';
import { DISPOSITIONS, type Disposition, type Finding, type FindingResponse } from '../../../protocol/run/finding.js';
import { idOf, readEntries, textOf } from './block-entries.js';
import { NONE_GIVEN } from './findings-block.js';

export const RESPONSES_BLOCK = 'responses';

/** More than there can be findings: the rest is answered twice, or about nothing. */
const MAX_RESPONSES = 4 * MAX_FINDINGS;

/** Shape: one answer an id, the last one. An id in other case is the finding's. */
export function readResponses(text: string, findings: readonly Finding[]): readonly FindingResponse[] {
  const known = new Map(findings.map(({ id }) => [id.toLowerCase(), id]));
  const responses = new Map<string, FindingResponse>();
  for (const entry of readEntries(text, RESPONSES_BLOCK, MAX_RESPONSES)) {
    const said = idOf(entry['id']);
    const disposition = dispositionOf(entry['disposition']);
    if (said === null || disposition === null) continue;
    const id = known.get(said.toLowerCase()) ?? said;
    responses.set(id, { id, disposition, rationale: textOf(entry['rationale']) ?? NONE_GIVEN });
  }
  return [...responses.values()].slice(0, MAX_FINDINGS);
}

/** `fixed`, `accepted` and `needs_human` are meant alike. */
function dispositionOf(value: unknown): Disposition | null {
  const said =
    typeof value === 'string'
      ? value
          .trim()
          .toLowerCase()
          .replace(/[\s_]+/g, '-')
      : '';
  return DISPOSITIONS.find((known) => said.startsWith(known)) ?? null;
}

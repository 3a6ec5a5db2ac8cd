/**
 * Reads the findings of a review out of its fenced block `findings` (V-35). Kind to what agents get wrong: a finding that claims anything is kept,
 * with defaults for the rest. Whether the review approves is not said here but by its decision line.
 */

import { MAX_FINDINGS } from '../../../protocol/limits.js';
import { FINDING_CATEGORIES, type Finding, SEVERITIES } from '../../../protocol/run/finding.js';
import { cut, type Entry, idOf, MAX_ENTRY_TEXT_CHARS, readEntries, textOf } from './block-entries.js';
import { readFences } from './code-fences.js';

export const FINDINGS_BLOCK = 'findings';

/** Stands where a finding, or an answer to one, does not say. */
export const NONE_GIVEN = 'none given';

/** Entries of one finding's evidence. */
const MAX_EVIDENCE = 10;

/** Shape: ids are unique. No block, or one that is no JSON list: none. */
export function readFindings(text: string): readonly Finding[] {
  const findings: Finding[] = [];
  const taken = new Set<string>();
  for (const [index, entry] of readEntries(text, FINDINGS_BLOCK, MAX_FINDINGS).entries()) {
    const claim = textOf(entry['claim']) ?? textOf(entry['recommendation']);
    if (claim === null) continue;
    const id = freeId(idOf(entry['id']) ?? `F${index + 1}`, taken);
    taken.add(id);
    findings.push({
      id,
      severity: oneOf(SEVERITIES, entry['severity']) ?? 'medium',
      category: oneOf(FINDING_CATEGORIES, entry['category']) ?? 'correctness',
      claim,
      evidence: evidenceOf(entry),
      recommendation: textOf(entry['recommendation']) ?? NONE_GIVEN,
    });
  }
  return findings;
}

/** For a review that asks for changes and lists nothing: what it says is the finding, so that there is always one to answer. */
export function findingOfText(text: string, decisionCode: string): Finding {
  const { plain } = readFences(text);
  const said = plain.filter((line) => !line.includes(decisionCode)).join('\n');
  const claim = textOf(said) ?? 'The review asks for changes and does not say which.';
  return {
    id: 'F1',
    severity: 'medium',
    category: 'correctness',
    claim: cut(claim, MAX_ENTRY_TEXT_CHARS),
    evidence: [NONE_GIVEN],
    recommendation: NONE_GIVEN,
  };
}

/** At most `MAX_FINDINGS` are taken, so the search is short. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  let n = 2;
  while (taken.has(`${id}-${n}`)) n += 1;
  return `${id}-${n}`;
}

function oneOf<Value extends string>(known: readonly Value[], value: unknown): Value | undefined {
  const said = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return known.find((one) => one === said);
}

/** A list, one text, or objects such as `{file, line}`, whose plain values are joined. */
function evidenceOf(entry: Entry): readonly string[] {
  const given = entry['evidence'];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const texts = list
    .slice(0, MAX_EVIDENCE)
    .map(evidenceText)
    .filter((text) => text !== null);
  return texts.length === 0 ? [NONE_GIVEN] : texts;
}

function evidenceText(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return textOf(value);
  const parts = Object.values(value).filter((part) => typeof part === 'string' || typeof part === 'number');
  return textOf(parts.join(':'));
}

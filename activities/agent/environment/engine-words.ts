/**
 * The words by which the engine's own files and the answers that it asks agents for tell one thing from another: kinds, statuses, decisions, and the names of what an agent says as JSON.
 * Who hides one of them tells it, since everybody knows what stood there, and what was made of it can be read no more. Pure.
 */
import { STEP_STATUSES } from '../../../protocol/admission/next-step.js';
import { STEP_VERBS } from '../../../protocol/admission/plan-steps.js';
import { EVENT_TYPES } from '../../../protocol/messages/journal.js';
import { DISPOSITIONS, FINDING_CATEGORIES, SEVERITIES } from '../../../protocol/run/finding.js';
import { GATE_SOURCES, GATE_STATUSES, LISTED_GATES } from '../../../protocol/run/gate.js';
import { RUN_STATUSES } from '../../../protocol/run/lifecycle.js';
import {
  BLOCKED_REASONS,
  COMMAND_STATUSES,
  DIFF_RULES,
  REVIEW_DECISIONS,
  RUN_OUTCOMES,
  TURN_OUTCOMES,
  VERDICTS,
  VERIFICATION_DECISIONS,
} from '../../../protocol/run/outcomes.js';
import { ADAPTERS } from '../../../protocol/run/policy.js';
import { coreOf } from '../../../protocol/text/value-redactor.js';

/** Of the blocks of a review and of a fix, of what is answered about a task, and of the lines by which an agent decides, asks or calls a person. */
const ANSWERED_NAMES = `
  severity category evidence recommendation disposition rationale
  classification confidence reject_reason needs_clarification clarifying_questions ambiguous
  description acceptance target_file symbols depends_on files_affected symbols_affected duplicate_of
  findings responses decision verification question human_approval not_required`;

const ENGINE_WORDS: readonly string[] = [
  EVENT_TYPES,
  [...RUN_STATUSES, ...RUN_OUTCOMES, ...BLOCKED_REASONS, 'unmerged', 'abandoned'],
  [...REVIEW_DECISIONS, ...VERIFICATION_DECISIONS, ...VERDICTS, ...DIFF_RULES, 'read_only'],
  [...Object.keys(TURN_OUTCOMES), ...COMMAND_STATUSES, ...STEP_STATUSES, ...STEP_VERBS],
  [...LISTED_GATES, ...GATE_STATUSES, ...GATE_SOURCES, ...ADAPTERS],
  [...SEVERITIES, ...FINDING_CATEGORIES, ...DISPOSITIONS, ...ANSWERED_NAMES.trim().split(/\s+/)],
]
  .flat()
  .map((word) => word.toLowerCase());

/** Also of a part of one, without which it would not be that word any more, however it is written: agents decide in any case of letters. */
export function isEngineWord(value: string): boolean {
  const text = coreOf(value).toLowerCase();
  return ENGINE_WORDS.some((word) => word.includes(text));
}

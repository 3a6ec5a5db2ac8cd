/** What the classifier says of a task: how large it is, and what must be asked first. Read by hand from an agent's answer. Pure. Source: S-22, S-25, S-28. */
import { isRecord } from '../text/json.js';
import { quoteValue, readLine, readText } from './agent-text.js';
import { NOT_MEANT } from './find-json.js';

const SCOPES = ['small', 'large', 'ambiguous', 'reject'] as const;
export type Scope = (typeof SCOPES)[number];

export const MAX_QUESTIONS = 4;

/** Unit: UTF-16 code units. A longer question is refused: half of one cannot be answered. */
export const MAX_QUESTION_CHARS = 500;

/** Unit: UTF-16 code units. Longer reasons are cut. */
const MAX_REASON_CHARS = 1_000;

export interface Classification {
  readonly scope: Scope;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly reason: string;
  /** Each on one line. Not empty: they must be answered before anything else is done. */
  readonly questions: readonly string[];
  /** Of scope `reject` alone, and always there. */
  readonly rejectReason: string | null;
}

/** A text says why it is refused. Questions that the answer itself does not need are dropped; a `reject` without a reason of its own has the general one. */
export function readClassification(value: unknown): Classification | string {
  if (!isRecord(value) || !('classification' in value)) return NOT_MEANT;
  const scope = SCOPES.find((known) => known === value['classification']);
  if (scope === undefined)
    return `classification is ${quoteValue(value['classification'])}; it must be one of ${SCOPES.join(', ')}`;
  const confidence = value['confidence'];
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1))
    return `confidence is ${quoteValue(confidence)}; it must be a number from 0 to 1`;
  const reason = readText(value['reason'], MAX_REASON_CHARS);
  if (reason === null) return 'reason is missing; it must be a text';
  const questions = readQuestions(value);
  if (typeof questions === 'string') return questions;
  const rejectReason = scope === 'reject' ? (readText(value['reject_reason'], MAX_REASON_CHARS) ?? reason) : null;
  return { scope, confidence, reason, questions, rejectReason };
}

function readQuestions(fields: Readonly<Record<string, unknown>>): readonly string[] | string {
  const { needs_clarification: isNeeded, clarifying_questions: asked } = fields;
  if (typeof isNeeded !== 'boolean') return 'needs_clarification must be true or false';
  if (!isNeeded) return [];
  if (!Array.isArray(asked) || asked.length === 0 || asked.length > MAX_QUESTIONS)
    return `needs_clarification is true, so clarifying_questions must be a list of 1 to ${MAX_QUESTIONS} questions`;
  const questions: string[] = [];
  for (const [index, one] of asked.entries()) {
    const question = readLine(one);
    if (question === null || question.length > MAX_QUESTION_CHARS)
      return `question ${index + 1} must be a text of at most ${MAX_QUESTION_CHARS} characters`;
    questions.push(question);
  }
  return questions;
}

/**
 * What a turn asks a person, out of its answer (V-48). A question comes before a call for approval: without its answer the work is not done.
 * The texts are one line each, redacted and cut, since they travel in histories and stand in a gate.
 */

import { MAX_SENTENCE_CHARS } from '../../../protocol/limits.js';
import type { HumanRequest } from '../../../protocol/run/gate.js';
import type { TurnStage } from '../../../protocol/run/stages.js';
import { redact } from '../../../protocol/text/redact.js';
import { cut } from './block-entries.js';
import { readHumanApproval, readQuestion } from './decision-line.js';

/** A question is shown whole where it is of any sensible length. */
const MAX_ACTION_CHARS = 1000;

/** Null: the turn asks for nobody. Shape: of a question, `action` is the question, and `reason` begins with it, since it is shown alone too. */
export function readHumanRequest(
  text: string,
  asked: { readonly stage: TurnStage; readonly code: string },
): HumanRequest | null {
  const answer = readQuestion(text, asked.code);
  if (answer.kind === 'asked') {
    const { question, reason, risk } = answer;
    return requestOf('question', {
      reason: reason === null ? question : `${question} (${reason})`,
      risk,
      action: question,
    });
  }
  const approval = readHumanApproval(text, asked.code);
  if (approval.kind === 'none') return null;
  return requestOf('approval', {
    ...approval,
    reason: approval.reason ?? `the ${asked.stage} turn asks for a person and gives no reason`,
  });
}

function requestOf(
  kind: HumanRequest['kind'],
  { reason, risk, action }: Pick<HumanRequest, 'reason' | 'risk' | 'action'>,
): HumanRequest {
  const said = oneLine(reason, MAX_SENTENCE_CHARS);
  const wanted = action === null ? '' : oneLine(action, MAX_ACTION_CHARS);
  // Of control characters alone nothing is left.
  return {
    kind,
    reason: said === '' ? 'it says nothing that can be read' : said,
    risk,
    action: wanted === '' ? null : wanted,
  };
}

function oneLine(text: string, maxChars: number): string {
  return cut(
    redact(text)
      .replace(/[\s\p{C}]+/gu, ' ')
      .trim(),
    maxChars,
  );
}

/** A decision that came as data, as the text that the readers of the engine know: summary, findings, requests, and the decision line last. */
import { readFences } from '../../answer/code-fences.js';
import { DECISION_WORDS } from '../../answer/decision-line.js';
import { FINDINGS_BLOCK } from '../../answer/findings-block.js';
import type { TurnRequest } from '../../contract.js';
import { oneLine } from '../../one-line.js';
import { type Answer, parseAnswer } from './answer-schema.js';

/** Null: the answer is no such data. */
export function renderDecidedText(turn: Pick<TurnRequest, 'stage' | 'decisionCode'>, text: string): string | null {
  const answer = parseAnswer(turn, text);
  if (answer === null) return null;
  const { keyword } = DECISION_WORDS['findings' in answer ? 'review' : 'verification'];
  const parts = [
    closed(answer.summary.trim()),
    'findings' in answer ? `\`\`\`${FINDINGS_BLOCK}\n${JSON.stringify(answer.findings, null, 2)}\n\`\`\`` : '',
    requestLines(answer.request, turn.decisionCode),
    `${keyword} ${turn.decisionCode}: ${answer.decision}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** A fence that a summary leaves open would hide everything below it. */
function closed(summary: string): string {
  const below = 'below';
  return readFences(`${summary}\n${below}`).plain.at(-1) === below ? summary : summary.replace(/^/gm, '> ');
}

function requestLines(request: Answer['request'], code: string): string {
  if (request === null) return '';
  const text = oneLine(request.text);
  const reason = oneLine(request.reason);
  const isQuestion = request.kind === 'question';
  return [
    isQuestion ? `QUESTION ${code}: ${text}` : `HUMAN_APPROVAL ${code}: REQUIRED`,
    ...(reason === '' ? [] : [`REASON: ${reason}`]),
    `RISK: ${request.risk}`,
    ...(isQuestion || text === '' ? [] : [`ACTION: ${text}`]),
  ].join('\n');
}

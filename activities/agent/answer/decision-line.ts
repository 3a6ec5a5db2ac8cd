/**
 * Reads decision lines out of an agent's text (V-32). A line counts only with this prompt's code, at the start of a line (bold
 * marks aside), outside code fences and block quotes, with exactly one value. The template, which names all values, never decides,
 * so an echoed prompt is no decision. Where the last word is unclear the answer is `unreadable`, never an earlier line's value.
 */
import { RISK_LEVELS, type RiskLevel } from '../../../protocol/run/gate.js';
import { type DecisionReading, REVIEW_DECISIONS, VERIFICATION_DECISIONS } from '../../../protocol/run/outcomes.js';
import { type DecisionStage, decisionOf } from '../../../protocol/run/stages.js';
import { readFences } from './code-fences.js';

export interface DecisionAsked {
  readonly stage: DecisionStage;
  /** Of this prompt. */
  readonly code: string;
}

/** A turn asks for a person. Shape: `risk` is medium where the turn does not say or says something else. */
export type HumanApprovalReading =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'required';
      readonly reason: string | null;
      readonly risk: RiskLevel;
      readonly action: string | null;
    };

/** A turn cannot go on without an answer. Shape: `question` is one line and not empty. */
export type QuestionReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'asked'; readonly question: string; readonly reason: string | null; readonly risk: RiskLevel };

/** The line of the prompt that shows how to decide. */
export function decisionTemplate(asked: DecisionAsked): string {
  const { keyword, values } = DECISION_WORDS[decisionOf(asked.stage)];
  return `${keyword} ${asked.code}: ${values.join(' | ')}`;
}

/** In a review only review decisions count, in a verification only verification decisions. */
export function readDecision(text: string, asked: DecisionAsked): DecisionReading {
  const { keyword, values } = DECISION_WORDS[decisionOf(asked.stage)];
  const said = readFences(text)
    .plain.map((line) => saidBehind(line, keyword, asked.code))
    .filter((value) => value !== null)
    .findLast((value) => !isTemplate(value, values));
  if (decisionOf(asked.stage) === 'review') {
    const value = REVIEW_DECISIONS.find((known) => known === said);
    return value === undefined ? { kind: 'unreadable' } : { kind: 'review', value };
  }
  const value = VERIFICATION_DECISIONS.find((known) => known === said);
  return value === undefined ? { kind: 'unreadable' } : { kind: 'verification', value };
}

/** Reads `HUMAN_APPROVAL <code>: REQUIRED` and the lines `REASON:`, `RISK:` and `ACTION:` right below it (V-48). */
export function readHumanApproval(text: string, code: string): HumanApprovalReading {
  const { plain } = readFences(text);
  const at = plain.findLastIndex((line) => {
    const value = saidBehind(line, 'HUMAN_APPROVAL', code);
    return value !== null && !isTemplate(value, APPROVAL_VALUES);
  });
  const line = plain[at];
  if (line === undefined || saidBehind(line, 'HUMAN_APPROVAL', code) !== 'REQUIRED') return { kind: 'none' };
  const { reason, risk, action } = detailsBelow(plain.slice(at + 1));
  return { kind: 'required', reason, risk, action };
}

/** Reads the last `QUESTION <code>: <one line>`, with `REASON:` and `RISK:` right below it. The template's `<…>` asks nothing; a later "none" takes it back. */
export function readQuestion(text: string, code: string): QuestionReading {
  const { plain } = readFences(text);
  const at = plain.findLastIndex((line) => {
    const value = wordsBehind(line, 'QUESTION', code);
    return value !== null && !isPlaceholder(value);
  });
  const question = wordsBehind(plain[at] ?? '', 'QUESTION', code);
  if (question === null || NO_QUESTION.test(question.replace(/[.!]$/, ''))) return { kind: 'none' };
  const { reason, risk } = detailsBelow(plain.slice(at + 1));
  return { kind: 'asked', question, reason, risk };
}

/** The lines of a prompt that show how to ask for a person; echoed, they ask for nothing. */
export function requestTemplate(code: string): string {
  return `HUMAN_APPROVAL ${code}: ${APPROVAL_VALUES.join(' | ')}\nQUESTION ${code}: <one line>`;
}

export const DECISION_WORDS = {
  review: { keyword: 'DECISION', values: REVIEW_DECISIONS, verb: 'review' },
  verification: { keyword: 'VERIFICATION', values: VERIFICATION_DECISIONS, verb: 'verify' },
} as const;

const APPROVAL_VALUES = ['REQUIRED', 'NOT_REQUIRED'] as const;

/** An agent that fills in every line of a form. */
const NO_QUESTION = /^(?:none|no|n\/a|no questions?|not_required|-+)?$/i;

/** Bounded repeats: a line may be a megabyte of underscores. */
const DETAIL = /^ {0,3}[*_]{0,3}(REASON|RISK|ACTION)[*_]{0,3}[ \t]*:[*_]{0,3}[ \t]*(.+?)[*_]{0,3}$/i;

/** What stands after `<keyword> <code>:`, in capitals, without bold marks and a final full stop; null where the line is no such line. */
function saidBehind(line: string, keyword: string, code: string): string | null {
  const words = wordsBehind(line, keyword, code);
  return words === null
    ? null
    : words
        .replace(/\.$/, '')
        .replace(/[*_]{1,3}$/, '')
        .toUpperCase();
}

/** The same as it was written. */
function wordsBehind(line: string, keyword: string, code: string): string | null {
  if (!line.includes(':')) return null;
  const match = /^ {0,3}[*_]{0,3}([A-Za-z_]+?)[*_]{0,3}[ \t]+[*_]{0,3}([A-Za-z0-9-]+)[*_]{0,3}[ \t]*:(.*)$/.exec(line);
  if (match?.[1]?.toUpperCase() !== keyword || match[2]?.toLowerCase() !== code.toLowerCase()) return null;
  const rest = (match[3] ?? '').trim().replace(/^[*_]{1,3}[ \t]*/, '');
  return rest.replace(/[*_]{1,3}$/, '');
}

function isTemplate(value: string, values: readonly string[]): boolean {
  const named = value.split('|').map((part) => part.trim());
  return named.length === values.length && values.every((known) => named.includes(known));
}

function isPlaceholder(value: string): boolean {
  return /^<[^<>]*>$/.test(value.trim());
}

function detailsBelow(lines: readonly string[]): {
  readonly reason: string | null;
  readonly risk: RiskLevel;
  readonly action: string | null;
} {
  const details = new Map<string, string>();
  for (const line of lines) {
    const match = DETAIL.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) break;
    if (!isPlaceholder(match[2])) details.set(match[1].toUpperCase(), match[2]);
  }
  const risk = RISK_LEVELS.find((known) => known === details.get('RISK')?.toLowerCase());
  return { reason: details.get('REASON') ?? null, risk: risk ?? 'medium', action: details.get('ACTION') ?? null };
}

/**
 * Reads decision lines out of an agent's text (V-32). A line counts only with this prompt's code, at the start of a line (bold
 * marks aside), outside code fences and block quotes, with exactly one value. The template, which names all values, never decides,
 * so an echoed prompt is no decision. Where the last word is unclear the answer is `unreadable`, never an earlier line's value.
 */
import type { TurnStage } from '../../protocol/lifecycle.js';
import { type DecisionReading, REVIEW_DECISIONS, VERIFICATION_DECISIONS } from '../../protocol/outcomes.js';

/** The stages that end with a decision. */
export type DecisionStage = Extract<TurnStage, 'reviewing' | 'verifying'>;

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
      readonly risk: 'low' | 'medium' | 'high';
      readonly action: string | null;
    };

export function isDecisionStage(stage: TurnStage): stage is DecisionStage {
  return stage === 'reviewing' || stage === 'verifying';
}

/** The line of the prompt that shows how to decide. */
export function decisionTemplate(asked: DecisionAsked): string {
  const { keyword, values } = WORDS[asked.stage];
  return `${keyword} ${asked.code}: ${values.join(' | ')}`;
}

/** In a review only review decisions count, in a verification only verification decisions. */
export function readDecision(text: string, asked: DecisionAsked): DecisionReading {
  const { keyword, values } = WORDS[asked.stage];
  const said = plainLines(text)
    .map((line) => saidBehind(line, keyword, asked.code))
    .filter((value) => value !== null)
    .findLast((value) => !isTemplate(value, values));
  if (asked.stage === 'reviewing') {
    const value = REVIEW_DECISIONS.find((known) => known === said);
    return value === undefined ? { kind: 'unreadable' } : { kind: 'review', value };
  }
  const value = VERIFICATION_DECISIONS.find((known) => known === said);
  return value === undefined ? { kind: 'unreadable' } : { kind: 'verification', value };
}

/** Reads `HUMAN_APPROVAL <code>: REQUIRED` and the lines `REASON:`, `RISK:` and `ACTION:` right below it (V-48). */
export function readHumanApproval(text: string, code: string): HumanApprovalReading {
  const lines = plainLines(text);
  const at = lines.findLastIndex((line) => {
    const value = saidBehind(line, 'HUMAN_APPROVAL', code);
    return value !== null && !isTemplate(value, APPROVAL_VALUES);
  });
  const line = lines[at];
  if (line === undefined || saidBehind(line, 'HUMAN_APPROVAL', code) !== 'REQUIRED') return { kind: 'none' };
  const details = detailsBelow(lines.slice(at + 1));
  const risk = RISKS.find((known) => known === details.get('RISK')?.toLowerCase());
  return { kind: 'required', reason: details.get('REASON') ?? null, risk: risk ?? 'medium', action: details.get('ACTION') ?? null };
}

const WORDS = {
  reviewing: { keyword: 'DECISION', values: REVIEW_DECISIONS },
  verifying: { keyword: 'VERIFICATION', values: VERIFICATION_DECISIONS },
} as const;

const APPROVAL_VALUES = ['REQUIRED', 'NOT_REQUIRED'] as const;

const RISKS = ['low', 'medium', 'high'] as const;

/** Bounded repeats: a line may be a megabyte of underscores. */
const DETAIL = /^ {0,3}[*_]{0,3}(REASON|RISK|ACTION)[*_]{0,3}[ \t]*:[*_]{0,3}[ \t]*(.+?)[*_]{0,3}$/i;

/** What stands after `<keyword> <code>:`, in capitals, without bold marks and a final full stop; null where the line is no such line. */
function saidBehind(line: string, keyword: string, code: string): string | null {
  const match = /^ {0,3}[*_]{0,3}([A-Za-z_]+?)[*_]{0,3}[ \t]+[*_]{0,3}([A-Za-z0-9-]+)[*_]{0,3}[ \t]*:(.*)$/.exec(line);
  if (match?.[1]?.toUpperCase() !== keyword || match[2]?.toLowerCase() !== code.toLowerCase()) return null;
  const rest = (match[3] ?? '').trim().replace(/^[*_]{1,3}[ \t]*/, '');
  return rest
    .replace(/[*_]{1,3}$/, '')
    .replace(/\.$/, '')
    .replace(/[*_]{1,3}$/, '')
    .toUpperCase();
}

function isTemplate(value: string, values: readonly string[]): boolean {
  const named = value.split('|').map((part) => part.trim());
  return named.length === values.length && values.every((known) => named.includes(known));
}

function detailsBelow(lines: readonly string[]): Map<string, string> {
  const details = new Map<string, string>();
  for (const line of lines) {
    const match = DETAIL.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) break;
    details.set(match[1].toUpperCase(), match[2]);
  }
  return details;
}

interface Fence {
  readonly mark: string;
  readonly column: number;
}

/** The lines outside code fences; an unclosed fence reaches to the end. A quoted line stays in: its `>` keeps it from being a decision line. */
function plainLines(text: string): string[] {
  const plain: string[] = [];
  let fence: Fence | null = null;
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const line = raw.trimEnd();
    if (fence !== null) {
      if (closes(fence, line)) fence = null;
      continue;
    }
    fence = openedBy(line);
    if (fence === null) plain.push(line);
  }
  return plain;
}

/**
 * A fence may stand in a list item, so any indent and one list mark are allowed before it: too wide a fence hides a decision, which
 * is then asked for again; too narrow a one would show a quoted decision. Source: CommonMark 0.31 section 4.5.
 */
function openedBy(line: string): Fence | null {
  const match = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}(?=[^`]*$)|~{3,})/.exec(line);
  return match?.[1] === undefined || match[2] === undefined ? null : { mark: match[2], column: match[1].length };
}

function closes(fence: Fence, line: string): boolean {
  const match = /^([ \t]*)(`{3,}|~{3,})$/.exec(line);
  if (match?.[1] === undefined || match[2] === undefined) return false;
  return match[1].length <= fence.column + 3 && match[2].startsWith(fence.mark);
}

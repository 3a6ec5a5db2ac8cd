/**
 * How an open gate is decided by keys inside the live view: what each key does, as a pure function of what is on the screen.
 * Whether a key was meant for this gate is the business of answer-gate.ts, which knows when it was typed.
 */

import { MAX_NOTE_CHARS } from '../../../protocol/limits.js';
import type { GateDecision } from '../../../protocol/messages/message-rows.js';
import type { Gate } from '../../../protocol/run/gate.js';
import type { GatePart } from '../../look/gate-facts.js';
import type { Key } from '../terminal/keys.js';

/** What is typed, and for what. */
type Typing = 'reject' | 'request_changes' | 'answer';

export type GatePrompt =
  | { readonly kind: 'choosing' }
  | { readonly kind: 'typing'; readonly what: Typing; readonly text: string }
  | { readonly kind: 'sending' }
  /** The run took it; the gate closes with the next view. */
  | { readonly kind: 'sent' }
  /** The person leaves it open; a key brings the choice back. */
  | { readonly kind: 'left' };

export type GateEffect =
  | { readonly kind: 'decide'; readonly decision: GateDecision; readonly note: string | null }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'show'; readonly part: GatePart };

export interface GateStep {
  readonly prompt: GatePrompt;
  readonly effect: GateEffect | null;
}

/** Keys that only show. */
const PART_KEYS: ReadonlyMap<string, GatePart> = new Map([
  ['d', 'diff'],
  ['p', 'plan'],
  ['v', 'review'],
  ['c', 'checks'],
]);

/** A question begins with its answer. */
export function firstPrompt(gate: Gate): GatePrompt {
  return gate.question ? { kind: 'typing', what: 'answer', text: '' } : { kind: 'choosing' };
}

export function pressKey(prompt: GatePrompt, gate: Gate, key: Key): GateStep {
  switch (prompt.kind) {
    case 'choosing':
      return chosen(gate, key);
    case 'typing':
      return typed(prompt, gate, key);
    case 'left':
      return stay(key.kind === 'text' && key.text === 'g' ? firstPrompt(gate) : prompt);
    case 'sending':
    case 'sent':
      return stay(prompt);
  }
}

function chosen(gate: Gate, key: Key): GateStep {
  const choosing: GatePrompt = { kind: 'choosing' };
  if (key.kind !== 'text') return stay(choosing);
  switch (key.text.toLowerCase()) {
    case 'a':
      if (gate.question) return stay({ kind: 'typing', what: 'answer', text: '' });
      return { prompt: { kind: 'sending' }, effect: { kind: 'decide', decision: 'approve', note: null } };
    case 'r':
      return stay({ kind: 'typing', what: 'reject', text: '' });
    case 'm':
      return stay(gate.changesGoTo === null ? choosing : { kind: 'typing', what: 'request_changes', text: '' });
    case 's':
      return stay({ kind: 'left' });
    default: {
      const part = PART_KEYS.get(key.text.toLowerCase());
      return part === undefined ? stay(choosing) : { prompt: choosing, effect: { kind: 'show', part } };
    }
  }
}

function typed(prompt: Extract<GatePrompt, { kind: 'typing' }>, gate: Gate, key: Key): GateStep {
  const { what, text } = prompt;
  switch (key.kind) {
    case 'text':
      return stay({ ...prompt, text: `${text}${key.text}`.slice(0, MAX_NOTE_CHARS) });
    case 'backspace':
      return stay({ ...prompt, text: Array.from(text).slice(0, -1).join('') });
    case 'clear':
      return stay({ ...prompt, text: '' });
    case 'escape':
      return stay({ kind: 'choosing' });
    case 'enter':
      return entered(what, text.trim(), gate);
  }
}

function entered(what: Typing, text: string, gate: Gate): GateStep {
  const sending: GatePrompt = { kind: 'sending' };
  if (what === 'reject')
    return { prompt: sending, effect: { kind: 'decide', decision: 'reject', note: text === '' ? null : text } };
  if (text === '') return stay(what === 'answer' ? firstPrompt(gate) : { kind: 'typing', what, text: '' });
  if (what === 'answer') return { prompt: sending, effect: { kind: 'answer', text } };
  return { prompt: sending, effect: { kind: 'decide', decision: 'request_changes', note: text } };
}

function stay(prompt: GatePrompt): GateStep {
  return { prompt, effect: null };
}

/** What the keys do now, in one line. `parts`: what there is to look at. */
export function promptLine(prompt: GatePrompt, gate: Gate, parts: readonly GatePart[]): string {
  switch (prompt.kind) {
    case 'choosing': {
      const first = gate.question ? '[a] answer' : '[a] approve';
      const changes = gate.changesGoTo === null ? [] : ['[m] request changes'];
      const looks = [...PART_KEYS].filter(([, part]) => parts.includes(part)).map(([key, part]) => `[${key}] ${part}`);
      return [first, '[r] reject', ...changes, ...looks, '[s] leave it open'].join('  ');
    }
    case 'typing':
      return `${TYPED[prompt.what]} (Enter sends, Esc goes back): ${prompt.text}`;
    case 'sending':
      return 'sending …';
    case 'sent':
      return 'sent';
    case 'left':
      return 'left open; [g] decides it here';
  }
}

const TYPED: Readonly<Record<Typing, string>> = {
  reject: 'Why reject, or nothing',
  request_changes: 'What must change',
  answer: 'Answer',
};

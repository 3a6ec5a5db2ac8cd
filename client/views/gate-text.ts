/** A gate in words: what it asks, why, how risky it is, and the commands that decide it. Pure; foreign text leaves printable. */

import { type Gate, type GateSource, optionList } from '../../protocol/run/gate.js';
import { foreign } from './foreign.js';
import { localTime } from './local-time.js';

/** `before executing`, `before the end`. */
export function boundaryOf({ stage }: Gate): string {
  return stage === 'completion' ? 'before the end' : `before ${foreign(stage)}`;
}

/** One line: id, place, risk, reason. */
export function gateLine(gate: Gate): string {
  const kind = gate.question ? 'question' : 'gate';
  return `${kind} ${foreign(gate.id)} ${boundaryOf(gate)} (risk ${foreign(gate.riskLevel)}): ${foreign(questionOf(gate))}`;
}

export interface GateRow {
  readonly name: string;
  readonly text: string;
}

interface RowForm {
  /** At most; all without it. */
  readonly files?: number;
  /** How a time is written. */
  readonly time?: (iso: string) => string;
}

/** Everything that a person needs before they decide. */
export function gateRows(
  gate: Gate,
  { files = Number.POSITIVE_INFINITY, time = localTime }: RowForm = {},
): readonly GateRow[] {
  const shown = gate.files.slice(0, files).map(foreign);
  const more = gate.files.length > shown.length ? `, and ${gate.files.length - shown.length} more` : '';
  const rows: readonly [string, string | null][] = [
    ['reason', gate.reason],
    [gate.question ? 'question' : 'asks', gate.requestedAction],
    ['answers', gate.options === null ? null : optionList(gate.options)],
    ['risk', gate.riskLevel],
    ['asked by', sourceText(gate)],
    ['commit', gate.commit === null ? null : gate.commit.slice(0, 12)],
    ['files', shown.length === 0 ? null : `${shown.join(', ')}${more}`],
    ['expires', gate.expiresAt === null ? null : time(gate.expiresAt)],
  ];
  return rows.flatMap(([name, text]) => (text === null || text === '' ? [] : [{ name, text: foreign(text) }]));
}

/** The commands that decide an open gate, the likeliest first. */
export function decidingCommands(gate: Gate, runId: string): readonly string[] {
  const run = foreign(runId);
  if (gate.question)
    return [`sluice answer ${run} ${gate.options === null ? '"<text>"' : '<number>'}`, `sluice reject ${run}`];
  const changes = gate.changesGoTo === null ? [] : [`sluice approvals decide ${run} --request-changes "<text>"`];
  const ways =
    gate.options === null ? [] : [`sluice answer ${run} <number>    of: ${foreign(optionList(gate.options))}`];
  return [`sluice approve ${run}`, `sluice reject ${run} -m "<why>"`, ...ways, ...changes];
}

/** What is asked of the person, in one sentence. */
export function questionOf({ question, requestedAction, reason }: Gate): string {
  return question && requestedAction !== null && requestedAction !== '' ? requestedAction : reason;
}

/** Who wanted it. */
export function sourceText({ source, alsoRequiredByPolicy }: Pick<Gate, 'source' | 'alsoRequiredByPolicy'>): string {
  const who = Object.hasOwn(SOURCES, source) ? SOURCES[source] : source;
  return `${who}${alsoRequiredByPolicy ? ', and by the policy' : ''}`;
}

const SOURCES: Readonly<Record<GateSource, string>> = {
  policy: 'the policy',
  agent: 'the agent',
  budget: 'the budget',
  completion: 'the policy, before the run ends',
  diff: 'what the turn changed',
};

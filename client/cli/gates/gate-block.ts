/** An open gate as lines of the live view: what it asks, and below it the keys or the commands that decide it. Pure; every line fits the width. */
import type { createColors } from 'picocolors';
import type { Gate } from '../../../protocol/run/gate.js';
import { type GateFacts, partsOf } from '../../look/gate-facts.js';
import { boundaryOf, decidingCommands, gateRows } from '../../views/gate-text.js';
import { keepEnd, truncate } from '../terminal/columns.js';
import { foreign } from '../terminal/io.js';
import { factRows } from './fact-rows.js';
import { type GatePrompt, promptLine } from './gate-prompt.js';

/** A gate in the live view. */
export interface ShownGate {
  readonly gate: Gate;
  /** Null: no keys are read, so the commands are shown. */
  readonly prompt: GatePrompt | null;
  /** What became of a decision, or that there is nothing to look at. */
  readonly told: readonly string[];
  /** Null: they are looked for. */
  readonly facts: GateFacts | null;
}

export interface GateFrame {
  readonly width: number;
  /** Lines that it may take; the head and the prompt are always shown. */
  readonly room: number;
  readonly colors: ReturnType<typeof createColors>;
}

const MAX_FILES = 4;

export function gateBlock({ gate, prompt, told, facts }: ShownGate, { width, room, colors }: GateFrame): string[] {
  const head = `${gate.question ? 'Question' : 'Gate'} ${foreign(gate.id)} ${boundaryOf(gate)} · risk ${foreign(gate.riskLevel)}`;
  const rows = [
    ...gateRows(gate, { files: MAX_FILES }).filter(({ name }) => name !== 'risk'),
    ...factRows(facts, gate),
  ];
  const foot = footOf({ gate, prompt, facts }, width);
  const free = Math.max(0, room - 1 - foot.length);
  const news = told.slice(0, free).map((line) => `  ${foreign(line)}`);
  const body = rows.slice(0, free - news.length).map(({ name, text }) => `  ${name.padEnd(9)} ${text}`);
  const shown = [...body, ...news].map((line) => truncate(line, width));
  return [colors.bold(colors.yellow(truncate(head, width))), ...shown, ...foot.map((line) => colors.cyan(line))];
}

function footOf({ gate, prompt, facts }: Pick<ShownGate, 'gate' | 'prompt' | 'facts'>, width: number): string[] {
  const keysOf = (now: GatePrompt) => promptLine(now, gate, partsOf(facts));
  if (prompt?.kind === 'choosing') return wrapped(keysOf(prompt).split('  '), width);
  if (prompt !== null && prompt.kind !== 'left') return [keepEnd(foreign(keysOf(prompt)), width)];
  const keys = prompt === null ? [] : [keysOf(prompt)];
  return [...keys, ...decidingCommands(gate, gate.runId).slice(0, 2)].map((line) => truncate(line, width));
}

/** The parts on as few lines as the width allows. */
function wrapped(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 2 + part.length > width) lines.push(truncate(part, width));
    else lines[lines.length - 1] = `${last}  ${part}`;
  }
  return lines;
}

/** An open gate as lines of the live view: what it asks, and below it the keys or the commands that decide it. Pure; every line fits the width. */
import type { createColors } from 'picocolors';
import type { Gate } from '../../../protocol/run/gate.js';
import { keepEnd, truncate } from '../terminal/columns.js';
import { foreign } from '../terminal/io.js';
import { type GatePrompt, promptLine } from './gate-prompt.js';
import { boundaryOf, decidingCommands, gateRows } from './gate-text.js';

/** A gate in the live view. */
export interface ShownGate {
  readonly gate: Gate;
  /** Null: no keys are read, so the commands are shown. */
  readonly prompt: GatePrompt | null;
  /** What became of a decision, or the diff stat. */
  readonly told: readonly string[];
}

export interface GateFrame {
  readonly width: number;
  /** Lines that it may take; the head and the prompt are always shown. */
  readonly room: number;
  readonly colors: ReturnType<typeof createColors>;
}

const MAX_FILES = 4;

export function gateBlock({ gate, prompt, told }: ShownGate, { width, room, colors }: GateFrame): string[] {
  const head = `${gate.question ? 'Question' : 'Gate'} ${foreign(gate.id)} ${boundaryOf(gate)} · risk ${foreign(gate.riskLevel)}`;
  const rows = gateRows(gate, MAX_FILES).filter(({ name }) => name !== 'risk');
  const body = [
    ...rows.map(({ name, text }) => `  ${name.padEnd(9)} ${text}`),
    ...told.map((line) => `  ${foreign(line)}`),
  ];
  const foot = footOf(gate, prompt, width);
  const shown = body.slice(0, Math.max(0, room - 1 - foot.length)).map((line) => truncate(line, width));
  return [colors.bold(colors.yellow(truncate(head, width))), ...shown, ...foot.map((line) => colors.cyan(line))];
}

function footOf(gate: Gate, prompt: GatePrompt | null, width: number): string[] {
  if (prompt?.kind === 'choosing') return wrapped(promptLine(prompt, gate).split('  '), width);
  if (prompt !== null && prompt.kind !== 'left') return [keepEnd(foreign(promptLine(prompt, gate)), width)];
  const keys = prompt === null ? [] : [promptLine(prompt, gate)];
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

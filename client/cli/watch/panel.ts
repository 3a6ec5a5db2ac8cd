/**
 * The live view as lines: a pure function of what is known, the clock and the width. Drawing it is panel-display.ts' business.
 * Every line fits the width, so that a redraw never scrolls; foreign text arrives already printable.
 */
import type { createColors } from 'picocolors';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { isTerminal, type RunStatus } from '../../../protocol/run/lifecycle.js';
import { isInRound, type Stage } from '../../../protocol/run/stages.js';
import { elapsed, waitingText } from '../find/waiting-text.js';
import { gateBlock, type ShownGate } from '../gates/gate-block.js';
import { truncate } from '../terminal/columns.js';

export interface PanelState {
  readonly runId: string;
  readonly title: string;
  readonly stages: readonly Stage[];
  /** Stages that were entered, in order; the last one is at work unless the run closed. */
  readonly entered: readonly Stage[];
  readonly status: RunStatus | null;
  readonly agent: string | null;
  readonly waiting: RunView['waiting'];
  /** `round 1 of 2`. */
  readonly round: string | null;
  /** That it is paused or will be, and how it goes on. */
  readonly pause: string | null;
  /** Open, and known in full. */
  readonly gate: ShownGate | null;
  /** ISO times. */
  readonly startedAt: string;
  readonly stageSince: string | null;
  /** The last plain lines, oldest first. */
  readonly lines: readonly string[];
  /** For instance that the server is away. */
  readonly notice: string | null;
  /** What it fails at again and again. */
  readonly retrying: string | null;
}

export interface PanelFrame {
  /** ms since the epoch. */
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  readonly colors: ReturnType<typeof createColors>;
}

const MAX_EVENT_LINES = 5;
const MIN_COLUMNS = 20;

export function renderPanel(state: PanelState, frame: PanelFrame): string[] {
  const { colors } = frame;
  const width = Math.max(MIN_COLUMNS, frame.columns) - 1;
  const fit = (text: string) => truncate(text, width);
  const top = [
    colors.bold(fit(state.title)),
    colors.dim(fit(state.runId)),
    ...stageLines(state, frame, width),
    fit(aboutLine(state, frame.now)),
    ...[state.pause, state.notice, state.retrying].flatMap((text) => (text === null ? [] : [colors.yellow(fit(text))])),
  ];
  const left = Math.max(0, frame.rows - 1 - top.length);
  const gate = state.gate === null ? [] : gateBlock(state.gate, { width, room: left, colors });
  const room = Math.max(0, Math.min(MAX_EVENT_LINES, left - gate.length));
  const events = room === 0 ? [] : state.lines.slice(-room).map((line) => colors.dim(fit(`  ${line}`)));
  return [...top, ...gate, ...events];
}

function aboutLine({ agent, startedAt, round, waiting }: PanelState, now: number): string {
  return [
    agent === null ? null : `agent ${agent}`,
    round,
    `elapsed ${elapsed(now - Date.parse(startedAt))}`,
    waiting === null ? null : `waits for ${waitingText(waiting, now)}`,
    'Ctrl+C detaches',
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

/** The stages on as few lines as the width allows. */
function stageLines(state: PanelState, { now, colors }: PanelFrame, width: number): string[] {
  const closed = state.status !== null && isTerminal(state.status);
  const current = closed ? null : (state.entered.at(-1) ?? null);
  const lines: { text: string; used: number }[] = [];
  for (const stage of shownStages(state)) {
    const since = state.stageSince === null ? '' : ` ${elapsed(now - Date.parse(state.stageSince))}`;
    const plain = stage === current ? `● ${stage}${since}` : `${state.entered.includes(stage) ? '✓' : '·'} ${stage}`;
    const painted = paint(stage === current, state.entered.includes(stage), colors)(plain);
    const last = lines.at(-1);
    if (last === undefined || last.used + 2 + plain.length > width) lines.push({ text: painted, used: plain.length });
    else {
      last.text += `  ${painted}`;
      last.used += 2 + plain.length;
    }
  }
  return lines.map((line) => line.text);
}

/** The stages of a round are shown once they were entered: most runs never see one. */
function shownStages({ stages, entered }: PanelState): readonly Stage[] {
  const extra = entered.filter((stage) => !stages.includes(stage));
  return [...stages, ...new Set(extra)].filter((stage) => !isInRound(stage) || entered.includes(stage));
}

function paint(current: boolean, entered: boolean, colors: PanelFrame['colors']): (text: string) => string {
  if (current) return colors.cyan;
  return entered ? colors.green : colors.dim;
}

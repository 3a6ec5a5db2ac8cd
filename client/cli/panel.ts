/**
 * The live view as lines: a pure function of what is known, the clock and the width. Drawing it is draw-panel.ts' business.
 * Every line fits the width, so that a redraw never scrolls; foreign text arrives already printable.
 */
import type { createColors } from 'picocolors';
import { isTerminal, type RunStatus, type Stage } from '../../protocol/lifecycle.js';

export interface PanelState {
  readonly runId: string;
  readonly title: string;
  readonly stages: readonly Stage[];
  /** Stages that were entered, in order; the last one is at work unless the run closed. */
  readonly entered: readonly Stage[];
  readonly status: RunStatus | null;
  readonly agent: string | null;
  readonly waiting: string | null;
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
  const head = [colors.bold(fit(state.title)), colors.dim(fit(state.runId))];
  const about = [
    state.agent === null ? null : `agent ${state.agent}`,
    `elapsed ${elapsed(frame.now - Date.parse(state.startedAt))}`,
    state.waiting === null ? null : `waits for ${state.waiting}`,
    'Ctrl+C detaches',
  ].filter((part) => part !== null);
  const notice = [state.notice, state.retrying].flatMap((text) => (text === null ? [] : [colors.yellow(fit(text))]));
  const room = Math.max(0, Math.min(MAX_EVENT_LINES, frame.rows - 7 - notice.length));
  const events = room === 0 ? [] : state.lines.slice(-room).map((line) => colors.dim(fit(`  ${line}`)));
  return [...head, ...stageLines(state, frame, width), fit(about.join(' · ')), ...notice, ...events];
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

/** `fixing` is shown once it was entered: most runs never see it. */
function shownStages({ stages, entered }: PanelState): readonly Stage[] {
  const extra = entered.filter((stage) => !stages.includes(stage));
  return [...stages, ...new Set(extra)].filter((stage) => stage !== 'fixing' || entered.includes('fixing'));
}

function paint(current: boolean, entered: boolean, colors: PanelFrame['colors']): (text: string) => string {
  if (current) return colors.cyan;
  return entered ? colors.green : colors.dim;
}

/** `0:07`, `12:30`, `1:02:03`. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(Number.isFinite(ms) ? ms / 1000 : 0));
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const start = minutes < 60 ? String(minutes) : `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
  return `${start}:${two(seconds % 60)}`;
}

/** Cuts to a number of columns with an ellipsis. */
export function truncate(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let cut = '';
  let used = 0;
  for (const char of text) {
    const next = used + columnsOf(char);
    if (next > width - 1) break;
    cut += char;
    used = next;
  }
  return `${cut}…`;
}

/** Wide characters (CJK, emoji) take two columns; a rough rule that never counts too few for them. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    columns += (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xffe6) || code >= 0x1f300 ? 2 : 1;
  }
  return columns;
}

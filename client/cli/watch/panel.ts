/**
 * The live view as lines: a pure function of what is known, the clock and the width. Drawing it is panel-display.ts' business.
 * Every line fits the width, so that a redraw never scrolls; foreign text arrives already printable.
 */
import type { createColors } from 'picocolors';
import type { LiveWork } from '../../../protocol/messages/live-work.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import type { Stage } from '../../../protocol/run/stages.js';
import { type RunStory, stagesOf, storyOf } from '../../../protocol/views/stage-story.js';
import { elapsed, waitingText } from '../../views/waiting-text.js';
import { gateBlock, type ShownGate } from '../gates/gate-block.js';
import { truncate } from '../terminal/columns.js';
import { paintMark, STAGE_MARKS } from './stage-marks.js';
import { workLines } from './work-lines.js';

export interface PanelState {
  readonly runId: string;
  readonly title: string;
  readonly stages: readonly Stage[];
  readonly story: RunStory;
  readonly agent: string | null;
  readonly waiting: RunView['waiting'];
  /** `round 1 of 2`. */
  readonly round: string | null;
  /** That it is paused or will be, and how it goes on. */
  readonly pause: string | null;
  /** Open, and known in full. */
  readonly gate: ShownGate | null;
  /** ISO 8601. */
  readonly startedAt: string;
  /** What a command of it says and is at; null: nothing that takes a while. */
  readonly work: LiveWork | null;
  /** Used so far; null: nobody told. */
  readonly used: string | null;
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
const MAX_WORK_LINES = 15;
/** Lines beside those of the stages: title, id, what it is at, one of events. */
const LEAST_AROUND = 4;
const MIN_COLUMNS = 20;

export function renderPanel(state: PanelState, frame: PanelFrame): string[] {
  const { colors } = frame;
  const width = Math.max(MIN_COLUMNS, frame.columns) - 1;
  const fit = (text: string) => truncate(text, width);
  const room = Math.max(1, frame.rows - 1);
  const stages = stageLines(state, frame, width);
  const isLow = stages.length + LEAST_AROUND > room;
  const top = [
    colors.bold(fit(state.title)),
    ...(isLow ? [] : [colors.dim(fit(state.runId))]),
    ...(isLow ? stageLines({ ...state, stages: [] }, frame, width).slice(-1) : stages),
    fit(aboutLine(state, frame.now)),
    ...[state.pause, state.notice, state.retrying].flatMap((text) => (text === null ? [] : [colors.yellow(fit(text))])),
  ];
  const left = Math.max(0, room - top.length);
  const gate = state.gate === null ? [] : gateBlock(state.gate, { width, room: left, colors });
  const below = left - gate.length;
  const events = lastOf(state.lines, Math.min(MAX_EVENT_LINES, below)).map((line) => colors.dim(fit(`  ${line}`)));
  const workRoom = Math.min(MAX_WORK_LINES, below - events.length);
  const work = state.work === null ? [] : workLines(state.work, workRoom, frame.now).map((line) => fit(`  ${line}`));
  // A view that scrolls could not be drawn over.
  return [...top, ...gate, ...work, ...events].slice(0, room);
}

function lastOf(lines: readonly string[], room: number): readonly string[] {
  return room <= 0 ? [] : lines.slice(-room);
}

function aboutLine({ agent, startedAt, round, waiting, used }: PanelState, now: number): string {
  return [
    agent === null ? null : `agent ${agent}`,
    round,
    `elapsed ${elapsed(now - Date.parse(startedAt))}`,
    used,
    waiting === null ? null : `waits for ${waitingText(waiting, now)}`,
    'Ctrl+C detaches',
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

/** The stages on as few lines as the width allows. */
function stageLines(state: PanelState, { now, colors }: PanelFrame, width: number): string[] {
  const { story } = state;
  const lines: { text: string; used: number }[] = [];
  for (const stage of stagesOf(story, state.stages)) {
    const { mark } = storyOf(story, stage);
    const isCurrent = stage === story.current && mark !== 'passed' && story.since !== null;
    const since = isCurrent ? ` ${elapsed(now - Date.parse(story.since))}` : '';
    const plain = `${STAGE_MARKS[mark]} ${stage}${since}`;
    const painted = paintMark(mark, colors)(plain);
    const last = lines.at(-1);
    if (last === undefined || last.used + 2 + plain.length > width) lines.push({ text: painted, used: plain.length });
    else {
      last.text += `  ${painted}`;
      last.used += 2 + plain.length;
    }
  }
  return lines.map((line) => line.text);
}

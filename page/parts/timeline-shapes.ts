/** The picture of a timeline, in numbers: a row for each who had time, marks of gates across them, and cost below, on one axis. Pure. */
import { LANES, type Lane, type Timeline } from '../../client/views/timeline.js';
import { lasting } from './amount.js';
import { costWords, decisionWords, gateWords, sinceBegin, spanWords } from './timeline-words.js';

/** Units of the picture from its begin to its end; it is stretched to the width that there is. */
const WIDTH = 1_000;
/** **Unit** px. */
export const ROW_HEIGHT = 24;
const GAP = 4;
/** Of a turn that cost nothing, or does not tell. */
const LEAST_COST_HEIGHT = 2;

export interface Bar {
  readonly key: string;
  readonly class: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isDashed: boolean;
  readonly title: string;
}

export interface Mark {
  readonly key: string;
  readonly class: string;
  readonly x: number;
  readonly title: string;
}

export interface Picture {
  readonly lanes: readonly Lane[];
  readonly width: number;
  readonly height: number;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
}

export function drawTimeline(timeline: Timeline): Picture {
  const { totals, turns } = timeline;
  const lanes = LANES.filter((lane) => totals[lane] > 0);
  const rows = lanes.length + (turns.length === 0 ? 0 : 1);
  const bars = [...drawSpans(timeline, lanes), ...drawCosts(timeline, lanes.length)];
  return { lanes, width: WIDTH, height: Math.max(1, rows) * ROW_HEIGHT, bars, marks: drawMarks(timeline) };
}

function drawSpans(timeline: Timeline, lanes: readonly Lane[]): readonly Bar[] {
  return timeline.spans.map((span) => {
    const { lane, from, to, isOpen } = span;
    return {
      key: `${from}`,
      class: `lane-${lane}`,
      isDashed: isOpen,
      ...placeOf(timeline, span),
      y: lanes.indexOf(lane) * ROW_HEIGHT + GAP,
      height: ROW_HEIGHT - 2 * GAP,
      title: `${spanWords(span)}, ${lasting(to - from)} at ${sinceBegin(timeline, from)}`,
    };
  });
}

/** As high as what they cost, against the dearest. */
function drawCosts(timeline: Timeline, row: number): readonly Bar[] {
  const most = timeline.turns.reduce((dearest, { costMicroUsd }) => Math.max(dearest, costMicroUsd ?? 0), 0);
  return timeline.turns.map((turn, index) => {
    const share = most === 0 ? 0 : Math.max(0, turn.costMicroUsd ?? 0) / most;
    const height = round(LEAST_COST_HEIGHT + share * (ROW_HEIGHT - GAP - LEAST_COST_HEIGHT));
    return {
      key: `cost-${index}`,
      class: 'lane-cost',
      isDashed: turn.costMicroUsd === null,
      ...placeOf(timeline, turn),
      y: round((row + 1) * ROW_HEIGHT - height),
      height,
      title: costWords(turn),
    };
  });
}

/** Where it was decided; where it was asked while it was not. */
function drawMarks(timeline: Timeline): readonly Mark[] {
  return timeline.gates.map((gate, index) => ({
    key: `${index}`,
    class: `gate-${gate.decided?.decision ?? 'open'}`,
    x: xOf(timeline, gate.decided?.at ?? gate.requestedAt),
    title: `${gateWords(gate)}: ${decisionWords(gate, timeline)}`,
  }));
}

function placeOf(timeline: Timeline, { from, to }: { readonly from: number; readonly to: number }) {
  const x = xOf(timeline, from);
  return { x, width: round(xOf(timeline, to) - x) };
}

function xOf({ from, to }: Timeline, at: number): number {
  const share = to === from ? 0 : (at - from) / (to - from);
  return round(Math.min(1, Math.max(0, share)) * WIDTH);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

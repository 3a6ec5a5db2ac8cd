/** What people see of kept runs, at the widths of their terminals: the live view in mid-run, the story at the end, and all of them as a list. */
import { createColors } from 'picocolors';
import { renderRuns } from '../../client/cli/find/run-table.js';
import { renderPanel } from '../../client/cli/watch/panel.js';
import { createPanelState } from '../../client/cli/watch/panel-display.js';
import { storyLines } from '../../client/cli/watch/story-lines.js';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import { isRunStatus, isTerminal } from '../../protocol/run/lifecycle.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { aListedRun } from '../support/gate-builder.js';

export interface KeptRun {
  readonly shape: string;
  /** In order. */
  readonly events: readonly JournalEvent[];
}

const WIDTHS = [60, 80, 120];
const ROWS = 24;
const colors = createColors(false);

/** Some that differ in what they show. */
export const SHOWN = [
  'run-plain',
  'run-plan-only',
  'run-gate-approved',
  'run-fix-round-by-review',
  'run-validation-failed',
  'run-aborted-in-turn',
  'run-parked-and-opened',
];

/** Clocks of the day stand as `hh:mm:ss`: they are the reader's own. */
export function screensOf(runs: readonly KeptRun[]): string {
  const parts = WIDTHS.flatMap((columns) => [
    `=== ${columns} columns`,
    ...runs.filter(({ shape }) => SHOWN.includes(shape)).map((run) => screenOf(run, columns)),
    `--- the list`,
    renderRuns(
      runs.filter(({ events }) => events.length > 0).map(rowOf),
      { columns: () => columns, colors },
      lastOf(runs),
    ),
  ]);
  return `${parts.join('\n').replace(/\b\d\d:\d\d:\d\d\b/g, 'hh:mm:ss')}\n`;
}

function screenOf({ shape, events }: KeptRun, columns: number): string {
  const startedAt = events[0]?.timestamp ?? '';
  const half = events.slice(0, Math.ceil(events.length / 2));
  const state = createPanelState({
    runId: `${shape}-abcd`,
    title: titleOf(shape),
    stages: STAGE_LISTS.full,
    startedAt,
  });
  for (const event of half) state.event(event);
  const now = Date.parse(half.at(-1)?.timestamp ?? '') + 65_000;
  const panel = renderPanel(state.current(), { now, columns, rows: ROWS, colors });
  return [`--- ${shape}`, ...panel, '--', ...storyLines(events, colors)].join('\n');
}

function rowOf({ shape, events }: KeptRun) {
  const status = events.findLast(({ type }) => type === 'state.changed')?.data['to'];
  const known = isRunStatus(status) ? status : null;
  const at = events.at(-1)?.timestamp ?? '';
  return aListedRun(`${shape}-abcd`, {
    status: known,
    stage: null,
    title: titleOf(shape),
    since: at,
    closedAt: known !== null && isTerminal(known) ? at : null,
    costMicroUsd: shape.length % 3 === 0 ? shape.length * 10_000 : null,
  });
}

function lastOf(runs: readonly KeptRun[]): number {
  return Math.max(...runs.flatMap(({ events }) => events.map(({ timestamp }) => Date.parse(timestamp))));
}

function titleOf(shape: string): string {
  return `The ${shape.replace('run-', '').replaceAll('-', ' ')}, 修复 🔧 and a title that is longer than most terminals are wide`;
}

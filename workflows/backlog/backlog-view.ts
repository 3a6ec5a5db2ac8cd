/** How a backlog looks to people. Pure. */
import type { BacklogEntry, BacklogView } from '../../protocol/actors/backlog.js';
import { printable } from '../../protocol/text/printable.js';
import type { Shown } from '../actor/actor.js';
import type { BacklogState } from './backlog-state.js';
import { type Holding, meetingOf, ordered, readyIn, waitsFor } from './next-grants.js';
import { hasSlot, isAtWork, type Row } from './rows.js';

/** Of ten thousand; the others are in the list of items. */
const MAX_ENTRIES = 200;

const PLACES = ['running', 'queued', 'gated', 'parked'] as const;

export function viewOf(state: BacklogState): BacklogView {
  const { terms } = state;
  const rows = state.rows.all;
  const atWork = rows.filter(hasSlot);
  const index = { ...state, slots: atWork.length, holders: rows.filter(isAtWork), ready: readyIn(state) };
  const entries = PLACES.flatMap((at) =>
    ordered(
      terms.order,
      atWork,
      rows.filter((row) => row.state === at),
    ),
  );
  return {
    ...sumOf(state),
    entries: entries.slice(0, MAX_ENTRIES).map((row): BacklogEntry => entryOf(index, row)),
  };
}

/** What is shown after each step: none of ten thousand items is looked at for it. */
function sumOf({
  project,
  home,
  terms,
  set,
  isPaused,
  away,
  rows,
  creates,
}: BacklogState): Omit<BacklogView, 'entries'> {
  const { closed: _closed, ...counts } = rows.sums.counts;
  return {
    project,
    repo: home?.repo ?? null,
    terms,
    set,
    isPaused,
    awaySince: away.length === 0 ? null : new Date(Math.min(...away.map(({ sinceMs }) => sinceMs))).toISOString(),
    waiting: creates.reduce((sum, { tasks }) => sum + tasks.length, 0),
    slots: rows.sums.slots,
    counts,
  };
}

function entryOf(index: BacklogState & Holding & { readonly slots: number }, row: Row): BacklogEntry {
  const { id, state, slot, runs, priority } = row;
  const meets = state === 'queued' ? meetingOf(index.holders, row) : [];
  return { id, state, slot, runs, priority, waitsFor: waitsFor(index, row), meets };
}

export function showBacklog(state: BacklogState): Shown {
  const { project, repo, terms, isPaused, awaySince, waiting, slots, counts } = sumOf(state);
  const status = isPaused ? 'paused' : awaySince === null ? 'open' : 'host away';
  const lines = [
    `backlog of **${project}**: **${status}**`,
    repo === null ? '' : `repository: \`${repo}\``,
    `${slots} of ${terms.maxConcurrent} slots taken, ${counts.queued} queued, ${counts.running} running, ${counts.gated} wait to be approved, ${counts.parked} parked`,
    waiting === 0 ? '' : `${waiting} task(s) wait to be taken in`,
    isPaused
      ? `go on: \`sluice backlog resume\` or \`temporal workflow signal --workflow-id backlog:${project} --name resume\``
      : '',
  ];
  const details = printable(lines.filter((line) => line !== '').join('\n\n'));
  // Not the counts: each of their changes would be an event, and a write of the server's list.
  return { status, details, memo: { project, repo, status } };
}

/**
 * The one table of a batch: what became of each task, and how lists and the Web UI show it. Pure.
 * A row only moves forward: waiting → running → ended or refused; waiting → skipped, refused or not_started. A task that stands twice is
 * skipped from the start where it stands again.
 */
import type { BatchRow, BatchState, BatchView } from '../protocol/batch.js';
import { MAX_SENTENCE_CHARS } from '../protocol/limits.js';
import { printableLine } from '../protocol/printable.js';
import { redact } from '../protocol/redact.js';
import { titleOf } from '../protocol/run-input.js';
import type { PlannedTask } from './batch-tasks.js';

/** The server takes 20 000 bytes of details; a longer list is read by Query `status`. */
const SHOWN_ROWS = 60;
const SHOWN_CHARS = 12_000;

type Fate = Pick<BatchRow, 'state'> & Partial<Pick<BatchRow, 'outcome' | 'blockedReason' | 'branch' | 'error'>>;

export class BatchTable {
  aborted = false;
  /** Who aborted it and why, for people. */
  abortNote: string | null = null;
  private readonly rows: BatchRow[];

  constructor(
    private readonly batchId: string,
    private readonly workflowId: string,
    tasks: readonly PlannedTask[],
  ) {
    this.rows = tasks.map(({ runId, input, sameAs }) => ({
      runId,
      title: redact(titleOf(input)),
      state: sameAs === null ? 'waiting' : 'skipped',
      outcome: null,
      blockedReason: null,
      branch: null,
      error: sameAs === null ? null : `the same task is entry ${sameAs} of the list`,
    }));
  }

  set(index: number, fate: Fate): void {
    const row = this.rows[index];
    if (row !== undefined) this.rows[index] = { ...row, ...fate, error: fate.error === undefined ? row.error : sentenceOf(fate.error) };
  }

  view(): BatchView {
    return { batchId: this.batchId, workflowId: this.workflowId, aborted: this.aborted, rows: [...this.rows] };
  }

  /** Small, since the server warns at 2 KiB. */
  memo(closed: boolean): Record<string, unknown> {
    const counts = Object.fromEntries(STATES.map((state) => [state, this.count(state)]));
    return { status: this.status(closed), total: this.rows.length, ...counts, mergeReady: this.mergeReady() };
  }

  /** The word for lists. */
  status(closed: boolean): string {
    if (this.aborted) return closed ? 'aborted' : 'aborting';
    return closed ? 'ended' : 'running';
  }

  /** Markdown for the Web UI. */
  details(closed: boolean): string {
    const counts = STATES.flatMap((state) => (this.count(state) === 0 ? [] : [`${this.count(state)} ${state.replace('_', ' ')}`]));
    const head = `**${this.status(closed)}** · ${this.rows.length} tasks: ${counts.join(', ')} · ${this.mergeReady()} merge_ready`;
    const note = this.abortNote === null ? [] : ['', cell(this.abortNote)];
    const rows = this.rows.slice(0, SHOWN_ROWS).map(markdownRow);
    const more = this.rows.length > SHOWN_ROWS ? ['', `… and ${this.rows.length - SHOWN_ROWS} more: Query \`status\` has them all`] : [];
    return [head, ...note, '', '| run | task | state | branch |', '|---|---|---|---|', ...rows, ...more].join('\n').slice(0, SHOWN_CHARS);
  }

  private count(state: BatchState): number {
    return this.rows.filter((row) => row.state === state).length;
  }

  private mergeReady(): number {
    return this.rows.filter((row) => row.outcome === 'merge_ready').length;
  }
}

const STATES = ['waiting', 'running', 'ended', 'skipped', 'refused', 'not_started'] as const satisfies readonly BatchState[];

function markdownRow({ runId, title, state, outcome, blockedReason, branch, error }: BatchRow): string {
  const what = outcome === null ? state.replace('_', ' ') : `${outcome}${blockedReason === null ? '' : `: ${blockedReason}`}`;
  const why = error === null || outcome === 'merge_ready' ? '' : ` (${error})`;
  return `| \`${runId}\` | ${cell(title)} | ${cell(`${what}${why}`)} | ${branch === null ? '' : `\`${branch}\``} |`;
}

/** A title is foreign text: it must not end the cell or the table. */
function cell(text: string): string {
  return printableLine(text).replaceAll('\\', '\\\\').replaceAll('|', '\\|').slice(0, 160);
}

function sentenceOf(text: string | null): string | null {
  if (text === null) return null;
  const line = redact(text).replace(/\s+/g, ' ').trim();
  return line.length <= MAX_SENTENCE_CHARS ? line : `${line.slice(0, MAX_SENTENCE_CHARS - 1)}…`;
}

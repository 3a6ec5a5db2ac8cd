/**
 * Watches a batch until it ends or the person detaches: a table on a terminal, one line a change in a pipe, one object a change with --json.
 * The end comes by long poll; the table between by Query `status` every two seconds, as for a run whose files are elsewhere.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { BatchRow, BatchView } from '../../protocol/batch.js';
import type { Sluice } from '../sluice.js';
import { changedRows, rowLine, sumLine, tableLines } from './batch-lines.js';
import type { Context } from './context.js';
import type { Io } from './io.js';
import { createRedraw } from './redraw.js';
import { endOfFailure, type RunEnd } from './run-end.js';

export type BatchEnd =
  | { readonly kind: 'ended'; readonly view: BatchView }
  /** It failed, was refused or was terminated; or the person detached, or the server stayed away. */
  | Exclude<RunEnd, { kind: 'closed' }>;

/** **Unit** ms. As in watch-run.ts. */
const QUERY_EVERY_MS = 2_000;
const RETRY_MS = 500;
const SERVER_AWAY_MS = 30_000;

export async function watchBatch({ io, json }: Context, sluice: Sluice, workflowId: string): Promise<BatchEnd> {
  const ending = new AbortController();
  const display = json ? jsonDisplay(io) : displayFor(io);
  const looking = look(sluice, workflowId, { ended: ending.signal, show: (view) => display.show(view) });
  try {
    const end = await Promise.race([endOf(sluice, workflowId, ending.signal), detachedBy(io.stop)]);
    ending.abort();
    await looking;
    if (end.kind === 'ended') display.show(end.view);
    return end;
  } finally {
    ending.abort();
    display.end();
  }
}

interface Looking {
  readonly ended: AbortSignal;
  readonly show: (view: BatchView) => void;
}

async function look(sluice: Sluice, workflowId: string, { ended, show }: Looking): Promise<void> {
  while (!ended.aborted) {
    const view = await sluice.batchStatus(workflowId).catch(() => null);
    if (view !== null && !ended.aborted) show(view);
    await delay(QUERY_EVERY_MS, undefined, { signal: ended }).catch(() => {});
  }
}

async function endOf(sluice: Sluice, workflowId: string, ended: AbortSignal): Promise<BatchEnd> {
  let awaySince: number | null = null;
  while (!ended.aborted) {
    const askedAt = Date.now();
    try {
      return { kind: 'ended', view: await sluice.batchResult(workflowId, ended) };
    } catch (error) {
      if (ended.aborted) break;
      const end = endOfFailure(error);
      if (end !== null && end.kind !== 'closed') return end;
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') {
        return { kind: 'failed', message: 'the server does not know this batch' };
      }
      // A long poll that lasted was answered by a live server: count the absence from its end.
      awaySince ??= askedAt;
      if (Date.now() - awaySince > SERVER_AWAY_MS) return { kind: 'server_away' };
    }
    await delay(RETRY_MS);
  }
  return { kind: 'detached' };
}

function detachedBy(stop: AbortSignal): Promise<BatchEnd> {
  return new Promise((resolve) => {
    const detach = () => resolve({ kind: 'detached' });
    if (stop.aborted) detach();
    else stop.addEventListener('abort', detach, { once: true });
  });
}

interface BatchDisplay {
  show(view: BatchView): void;
  end(): void;
}

/** Objects `{"kind":"task",…}`, one a change. */
function jsonDisplay(io: Io): BatchDisplay {
  let before: readonly BatchRow[] = [];
  return {
    show({ rows }) {
      for (const row of changedRows(before, rows)) io.json({ kind: 'task', ...row });
      before = rows;
    },
    end: () => {},
  };
}

function displayFor(io: Io): BatchDisplay {
  return io.live ? tableDisplay(io) : lineDisplay(io);
}

function lineDisplay(io: Io): BatchDisplay {
  let before: readonly BatchRow[] = [];
  return {
    show({ rows }) {
      for (const row of changedRows(before, rows)) io.out(rowLine(row));
      before = rows;
    },
    end: () => {},
  };
}

/** Redrawn in place; the last one is taken away, for the caller prints the whole. */
function tableDisplay(io: Io): BatchDisplay {
  const table = createRedraw(io);
  return {
    show(view) {
      table.draw([...tableLines(view, { columns: io.columns() - 1, rows: Math.max(3, io.rows() - 5) }), '', sumLine(view)]);
    },
    end: () => table.erase(),
  };
}

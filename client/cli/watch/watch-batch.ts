/**
 * Watches a batch until it ends or the person detaches: a table on a terminal, one line a change in a pipe, one object a change with --json.
 * The end comes by long poll; the table between by Query `status` every two seconds, as for a run whose files are elsewhere.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { orAborted } from '../../../config/system/or-aborted.js';
import type { BatchRow, BatchView } from '../../../protocol/actors/batch.js';
import type { Sluice } from '../../sluice.js';
import type { Context } from '../terminal/context.js';
import type { Io } from '../terminal/io.js';
import { createRedraw } from '../terminal/redraw.js';
import { awaitEnd } from './await-end.js';
import { changedRows, rowLine, sumLine, tableLines } from './batch-lines.js';
import { DETACHED, type EndOf } from './run-end.js';
import { countAbsence } from './server-away.js';

/** **Unit** ms. As in watch-run.ts. */
const QUERY_EVERY_MS = 2_000;

export async function watchBatch({ io, json }: Context, sluice: Sluice, workflowId: string): Promise<EndOf<BatchView>> {
  const ending = new AbortController();
  const display = json ? jsonDisplay(io) : displayFor(io);
  const absence = countAbsence();
  const show = (view: BatchView) => {
    absence.answered();
    display.show(view);
  };
  const looking = look(sluice, workflowId, { ended: ending.signal, show });
  try {
    const asking = {
      ask: (ended: AbortSignal) => sluice.batchResult(workflowId, ended),
      unknown: 'the server does not know this batch',
      absence,
    };
    const end = await orAborted(awaitEnd(asking, ending.signal), io.stop, () => DETACHED);
    ending.abort();
    await looking;
    if (end.kind === 'closed') display.show(end.result);
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
      table.draw([
        ...tableLines(view, { columns: io.columns() - 1, rows: Math.max(3, io.rows() - 5) }),
        '',
        sumLine(view),
      ]);
    },
    end: () => table.erase(),
  };
}

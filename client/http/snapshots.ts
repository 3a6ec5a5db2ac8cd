/** What the page shows whole and anew each time: batches, limits, landings. Each is one question, or a few, to the server. */
import { messageOf, nameOf } from '../../config/system/error-code.js';
import { BUDGET_WORKFLOW } from '../../protocol/actors/day-budget.js';
import type { MergeQueueView } from '../../protocol/actors/merge-queue.js';
import type { ListedLanding } from '../calls/landing-calls.js';
import type { ListedLedger } from '../calls/ledger-calls.js';
import { type LimitedAccount, limitedAccounts } from '../look/limited-accounts.js';
import type { Sluice } from '../sluice.js';
import { ServerAway, type ServerLine } from './server-line.js';
import type { BatchList, BatchPage, LandingsPage, LimitsPage, StreamEvent } from './shapes.js';

export async function readBatches(sluice: Sluice): Promise<BatchList> {
  const batches = await sluice.batches();
  return {
    batches: batches.map(({ workflowId, execution, startedAt, closedAt }) => ({
      workflowId,
      startedAt,
      closedAt,
      isOpen: execution === 'RUNNING',
      name: workflowId.replace(/^batch:/, ''),
    })),
  };
}

/** Errors: WorkflowNotFoundError; a deadline where no worker answers. */
export async function readBatch(sluice: Sluice, workflowId: string): Promise<BatchPage> {
  const { aborted, rows } = await sluice.batchStatus(workflowId);
  return {
    workflowId,
    aborted,
    rows: rows.map(({ runId, title, state, outcome, blockedReason, branch, error }) => ({
      runId,
      title,
      state,
      outcome,
      blockedReason,
      branch,
      error,
    })),
  };
}

/** One batch again and again: where it does not answer, what it said last, beside why not. */
export function batchReader(line: ServerLine, id: string): () => Promise<StreamEvent> {
  let page: BatchPage | null = null;
  return async () => {
    try {
      page = await line.ask((sluice) => readBatch(sluice, id));
      return { topic: 'batch', id, page, why: null };
    } catch (error) {
      return { topic: 'batch', id, page, why: silenceOf(error) };
    }
  };
}

function silenceOf(error: unknown): string {
  if (error instanceof ServerAway) return error.message;
  return nameOf(error) === 'WorkflowNotFoundError' ? 'the server knows no such batch' : 'no worker answers for it';
}

/** Without a server it is what this host remembers. */
export async function readLimits(line: ServerLine, home: string): Promise<LimitsPage> {
  const asked = line.ask(async (sluice) => ({
    accounts: await limitedAccounts(home, sluice),
    ledgers: await sluice.ledgers(),
    source: { kind: 'server' as const, why: null },
  }));
  const { accounts, ledgers, source } = await asked.catch(async (error: unknown) => ({
    accounts: await limitedAccounts(home, null),
    ledgers: [],
    source: { kind: 'files' as const, why: messageOf(error) },
  }));
  return { accounts: accounts.map(accountOf), budgets: ledgers.map(budgetOf), source };
}

export async function readLandings(sluice: Sluice): Promise<LandingsPage> {
  const [landings, queues] = await Promise.all([sluice.landings(), sluice.mergeQueues()]);
  return {
    landings: landings.map(landingOf),
    queues: queues.map(({ workflowId, view }) => ({ workflowId, view: view === null ? null : queueOf(view) })),
  };
}

function accountOf({ account, gate, closedHere }: LimitedAccount): LimitsPage['accounts'][number] {
  const view = gate?.view ?? null;
  return {
    account,
    closedHere,
    state: gate?.state ?? null,
    until: gate?.until ?? null,
    note: gate?.note ?? null,
    waiting: view?.waiting ?? null,
    runs: [...(view?.runs ?? [])],
    probe: view?.probe ?? null,
  };
}

function budgetOf({ workflowId, view }: ListedLedger): LimitsPage['budgets'][number] {
  const project = view?.project ?? workflowId.slice(BUDGET_WORKFLOW.length + 1);
  if (view === null) return { workflowId, project, used: null };
  const { settled, reserved, resetsAt } = view;
  return {
    workflowId,
    project,
    used: {
      turns: settled.turns + reserved.turns,
      minutes: (settled.ms + reserved.ms) / 60_000,
      microUsd: settled.microUsd + reserved.microUsd,
      tokens: settled.tokens + reserved.tokens,
      underWay: reserved.turns,
      resetsAt,
    },
  };
}

function landingOf(landing: ListedLanding): LandingsPage['landings'][number] {
  const { runId, merge, base, entry, gate, paused, pull, repair, why, startedAt, closedAt } = landing;
  return {
    runId,
    merge,
    base,
    entry,
    gate,
    paused,
    repair,
    why,
    startedAt,
    closedAt,
    pull: pull === null ? null : { number: pull.number, url: pull.url, at: pull.at },
  };
}

function queueOf({ branch, state, why, use, chain, entries }: MergeQueueView) {
  const waiting = entries.map((entry) => ({ runId: entry.runId, state: entry.state }));
  return { branch, state, why, use, ready: chain?.links.length ?? 0, waiting };
}

/** The runs as the page lists them: from one question to the server a look, and from folders that are read again now and then. */
import { messageOf } from '../../config/system/error-code.js';
import type { RunExecution } from '../calls/listed-run.js';
import { isFromFiles } from '../calls/listed-run.js';
import { type Retrying, retryText } from '../calls/retrying.js';
import { landedRuns } from '../look/find-landings.js';
import { withMerged } from '../look/find-merged.js';
import { type FoundRun, findRunFolder, joinRuns, type LookPlace, runsOnDisk } from '../look/find-runs.js';
import type { Sluice } from '../sluice.js';
import { waitsForPerson } from '../views/needs-person.js';
import { stateWord, whereText } from '../views/run-status.js';
import { cutDeep } from './cut.js';
import type { ServerLine } from './server-line.js';
import type { RunRow, Source } from './shapes.js';

export interface ListedRuns {
  /** Newest first. */
  readonly runs: readonly FoundRun[];
  readonly source: Source;
}

/** **Unit** characters of each text of a row. */
const MAX_CHARS = 1_000;

/** Of executions, runs and landings together. */
const LOOK_LIMIT = 2_000;

/** **Unit** ms: a list that is looked at is made anew more often. */
const FRESH_MS = 5_000;
/** **Unit** ms. Runs of this machine's own repositories stand in their folders too; visibility tells of new ones first. */
const FOLDERS_EVERY_MS = 30_000;
/** **Unit** ms. By git, one look a base branch. */
const MERGED_EVERY_MS = 30_000;
/** **Unit** ms: each is one question to the server. */
const RETRY_EVERY_MS = 15_000;
/** **Unit** ms: of a run that says it is open, and that the server does not list. */
const ASKED_EVERY_MS = 60_000;

export class RunLister {
  private listing: Promise<ListedRuns> | null = null;
  private last: { readonly listed: ListedRuns; readonly at: number } | null = null;
  private folders: { readonly runs: readonly FoundRun[]; readonly at: number } | null = null;
  private seen: ReadonlySet<string> = new Set();
  private merged: { readonly ids: ReadonlySet<string>; readonly at: number } | null = null;
  /** In the order in which they were asked about. */
  private readonly retries = new Map<string, Retrying | null>();
  private retriesAt = Number.NEGATIVE_INFINITY;
  private readonly asked = new Map<string, { readonly answer: RunExecution | Error; readonly at: number }>();

  constructor(
    private readonly line: ServerLine,
    private readonly place: LookPlace,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Never rejects: without a server it is what the folders tell. Who asks while somebody else does gets the same answer. */
  list(): Promise<ListedRuns> {
    this.listing ??= this.look().finally(() => {
      this.listing = null;
    });
    return this.listing;
  }

  /** As it was listed last, where that was just now. Null: there is no such run. */
  async find(runId: string): Promise<FoundRun | null> {
    const isFresh = this.last !== null && this.now() - this.last.at < FRESH_MS;
    const known = (isFresh ? named(this.last?.listed, runId) : null) ?? named(await this.list(), runId);
    if (known === null || known.runDir !== null || known.repo === null) return known;
    // It is listed before its folder is made, and folders are read now and then.
    return { ...known, runDir: await findRunFolder(known.repo, runId) };
  }

  private async look(): Promise<ListedRuns> {
    const listed = await this.tryToList();
    this.last = { listed, at: this.now() };
    return listed;
  }

  private async tryToList(): Promise<ListedRuns> {
    try {
      return await this.line.ask((sluice) => this.fromServer(sluice));
    } catch (error) {
      const runs = await this.fromFolders().catch(() => this.last?.listed.runs ?? []);
      return { runs, source: { kind: 'files', why: messageOf(error) } };
    }
  }

  private async fromFolders(): Promise<readonly FoundRun[]> {
    return this.withMerged(await joinRuns(await this.foldersNow([]), null));
  }

  private async fromServer(sluice: Sluice): Promise<ListedRuns> {
    const { runs, landings } = await sluice.overview(LOOK_LIMIT);
    const folders = await this.foldersNow(runs.map(({ runId }) => runId));
    const source = { list: async () => runs, describe: (workflowId: string) => this.describe(sluice, workflowId) };
    const found = landedRuns(await joinRuns(folders, source), landings);
    await this.lookForRetry(sluice, found);
    return {
      runs: (await this.withMerged(found)).map((run) => this.withRetry(run)),
      source: { kind: 'server', why: null },
    };
  }

  /** Read again where one is listed that was not there before. */
  private async foldersNow(listed: readonly string[]): Promise<readonly FoundRun[]> {
    const { folders, seen } = this;
    this.seen = new Set(listed);
    const isFresh = folders !== null && this.now() - folders.at < FOLDERS_EVERY_MS;
    if (isFresh && listed.every((runId) => seen.has(runId))) return folders.runs;
    const at = this.now();
    this.folders = { runs: await runsOnDisk(this.place), at };
    return this.folders.runs;
  }

  private async describe(sluice: Sluice, workflowId: string): Promise<RunExecution> {
    const before = this.asked.get(workflowId);
    if (before !== undefined && this.now() - before.at < ASKED_EVERY_MS) {
      if (before.answer instanceof Error) throw before.answer;
      return before.answer;
    }
    const answer = await sluice.describe(workflowId).catch((error: unknown) => new Error(messageOf(error)));
    this.asked.set(workflowId, { answer, at: this.now() });
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** Visibility does not tell what a run tries again and again, so one open run after the other is asked about, slowly. */
  private async lookForRetry(sluice: Sluice, runs: readonly FoundRun[]): Promise<void> {
    if (this.now() - this.retriesAt < RETRY_EVERY_MS) return;
    this.retriesAt = this.now();
    const open = runs.filter(({ execution }) => execution === 'RUNNING').map(({ workflowId }) => workflowId);
    for (const workflowId of this.retries.keys()) if (!open.includes(workflowId)) this.retries.delete(workflowId);
    // Asked about longest ago, or never.
    const known = [...this.retries.keys()];
    const next = open.find((workflowId) => !this.retries.has(workflowId)) ?? known[0];
    if (next === undefined) return;
    const { retrying } = await sluice.describe(next).catch(() => ({ retrying: null }));
    this.retries.delete(next);
    this.retries.set(next, retrying);
  }

  private withRetry(run: FoundRun): FoundRun {
    return { ...run, retrying: this.retries.get(run.workflowId) ?? null };
  }

  private async withMerged(runs: readonly FoundRun[]): Promise<readonly FoundRun[]> {
    if (this.merged === null || this.now() - this.merged.at >= MERGED_EVERY_MS) {
      const at = this.now();
      const looked = await withMerged(runs);
      this.merged = { ids: new Set(looked.filter(({ merged }) => merged).map(({ runId }) => runId)), at };
    }
    const { ids } = this.merged;
    return runs.map((run) => (run.landing === null && ids.has(run.runId) ? { ...run, merged: true } : run));
  }
}

function named(listed: ListedRuns | undefined, runId: string): FoundRun | null {
  return listed?.runs.find((run) => run.runId === runId) ?? null;
}

/** Pure. */
export function rowOf(run: FoundRun): RunRow {
  const state = stateWord(run);
  const row: RunRow = {
    runId: run.runId,
    title: run.title,
    group: groupOf(run, state),
    state,
    // Until when is a time of its own, which whoever shows it counts down.
    where: whereText({ ...run, waitingUntil: null }),
    retrying: run.retrying === null ? null : retryText(run.retrying),
    since: run.since ?? run.closedAt ?? run.startedAt,
    startedAt: run.startedAt,
    costMicroUsd: run.costMicroUsd,
    repo: run.repo,
    branch: run.branch,
    host: run.host,
  };
  return cutDeep(row, MAX_CHARS);
}

function groupOf(run: FoundRun, state: string): RunRow['group'] {
  if (waitsForPerson(run)) return 'yours';
  if (run.landing?.merge === 'merged' || run.landing?.merge === 'abandoned') return 'done';
  if (run.landing !== null) return state === 'ready' ? 'ready' : 'queued';
  if (run.closedAt !== null || isFromFiles(run)) return state === 'ready' ? 'ready' : 'done';
  return run.waiting === null && run.status !== null ? 'working' : 'queued';
}

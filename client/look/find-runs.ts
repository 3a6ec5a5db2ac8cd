/**
 * The runs that there are: from the server where one answers, and from the run folders of the repositories on this host, which
 * stay when the server has dropped a history. Files are only shown, never obeyed.
 */
import { stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { messageOf } from '../../config/system/error-code.js';
import { listForeignFolder } from '../../config/system/foreign-file.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { RUN_WORKFLOW } from '../../protocol/names.js';
import { runIdOfWorkflow } from '../../protocol/run/run-id.js';
import { isFromFiles, type ListedRun, listedFromView, UNKNOWN_EXECUTION } from '../calls/listed-run.js';
import { lookAtRepository } from '../repository.js';
import type { Sluice } from '../sluice.js';
import { foreign } from '../views/foreign.js';
import { knownRepositories, runsDirsOf } from './known-runs.js';
import { parseView } from './parse-view.js';
import { readRunFile } from './read-run-file.js';

/** Where runs are looked for: the repositories that the home lists, and the one that somebody stands in. */
export interface LookPlace {
  readonly home: string;
  readonly cwd: string;
  /** Told of folders that were not looked at. */
  readonly warn: (text: string) => void;
}

export interface FoundRun extends ListedRun {
  /** Null where the run's files are not on this machine. */
  readonly runDir: string | null;
}

/** Visibility is asked for this many; older runs are found by their files. */
const LIST_LIMIT = 1_000;
/** **Unit** runs: each is one question to the server. */
const ASKED_AT_MOST = 50;

/** Who tells of runs. */
export type RunSource = Pick<Sluice, 'list' | 'describe'>;

/** Newest first. Errors: a server that does not answer. */
export async function findRuns(place: LookPlace, sluice: RunSource | null): Promise<readonly FoundRun[]> {
  return joinRuns(await runsOnDisk(place), sluice);
}

/** The same with folders that were looked at before. */
export async function joinRuns(onDisk: readonly FoundRun[], sluice: RunSource | null): Promise<readonly FoundRun[]> {
  if (sluice === null) return newestFirst(onDisk);
  const visible = await sluice.list(LIST_LIMIT);
  const known = new Set(visible.map(({ runId }) => runId));
  // Of two alike the first counts: that of the repository that somebody stands in, and of the folder that its config names.
  const folders = new Map(onDisk.toReversed().map((run) => [placeOf(run), run]));
  const byId = new Map(onDisk.toReversed().map((run) => [run.runId, run]));
  const beside = await askedFor(
    sluice,
    [...byId.values()].filter(({ runId }) => !known.has(runId)),
  );
  return newestFirst([...visible.map((run) => withFolder(run, folders.get(placeOf(run)))), ...beside]);
}

/** Runs that visibility does not show. It is a second behind, so the server itself is asked about those that say they are open. */
async function askedFor(sluice: Pick<RunSource, 'describe'>, runs: readonly FoundRun[]): Promise<readonly FoundRun[]> {
  const asked = new Set(newestFirst(runs.filter((run) => run.closedAt === null)).slice(0, ASKED_AT_MOST));
  return Promise.all(
    runs.map(async (run) => {
      const answer = asked.has(run) ? await sluice.describe(run.workflowId).catch(() => null) : null;
      if (answer === null || answer.type !== RUN_WORKFLOW) return { ...run, execution: UNKNOWN_EXECUTION };
      return { ...run, execution: answer.execution, startedAt: answer.startedAt, closedAt: answer.closedAt };
    }),
  );
}

/** The run's view: from the run itself where it answers, else from its state.json. */
export async function viewOf(run: FoundRun, sluice: Sluice | null): Promise<RunView | null> {
  if (sluice !== null && !isFromFiles(run)) {
    const view = await sluice.status(run.workflowId).catch(() => null);
    if (view !== null) return view;
  }
  if (run.runDir === null) return null;
  return parseView((await readRunFile(join(run.runDir, 'state.json'))) ?? '');
}

/** From the folders alone, in no order. */
export async function runsOnDisk(place: LookPlace): Promise<readonly FoundRun[]> {
  const { home, cwd, warn } = place;
  const here = await lookAtRepository(cwd);
  const roots = new Set([
    ...(here.kind === 'ok' ? [here.root, here.main] : []),
    ...(await knownRepositories(home, warn)),
  ]);
  const perRepository = await Promise.all(
    [...roots].map(async (root) => runsBelow(place, root, await runsDirsOf(root))),
  );
  return perRepository.flat();
}

/** The folder of a run of that repository. Null: not there, or not yet. */
export async function findRunFolder(root: string, runId: string): Promise<string | null> {
  for (const parent of await runsDirsOf(root)) {
    const found = await readRun(root, join(isAbsolute(parent) ? parent : join(root, parent), runId));
    if (found !== null) return found.runDir;
  }
  return null;
}

/** Of one folder of runs; a larger one is nothing that the engine made. */
const MAX_RUNS = 50_000;
/** Folders that are read together: each may hold as much as `readRun` takes. */
const AT_ONCE = 64;
/** **Unit** bytes: a view is a task and some lines. */
const MAX_VIEW_BYTES = 2 * 1024 * 1024;

async function runsBelow(place: LookPlace, root: string, runsDirs: readonly string[]): Promise<readonly FoundRun[]> {
  const folders = await Promise.all(
    runsDirs.map(async (runsDir) => {
      const parent = isAbsolute(runsDir) ? runsDir : join(root, runsDir);
      const names = await namesIn(place, parent);
      return names.filter((name) => !name.startsWith('.')).map((name) => join(parent, name));
    }),
  );
  const paths = folders.flat();
  const runs: (FoundRun | null)[] = [];
  for (let from = 0; from < paths.length; from += AT_ONCE)
    runs.push(...(await Promise.all(paths.slice(from, from + AT_ONCE).map((path) => readRun(root, path)))));
  return runs.filter((run) => run !== null);
}

/** What cannot be listed, such as a folder on a mount that is dead, counts as empty and hides no run elsewhere. */
async function namesIn({ warn }: LookPlace, folder: string): Promise<readonly string[]> {
  try {
    const entries = await listForeignFolder(folder, { maxEntries: MAX_RUNS });
    if (entries !== null) return entries.map(({ name }) => name);
    if (await exists(folder))
      warn(
        `The runs in ${foreign(folder)} are not looked at: it cannot be read, or has more than ${MAX_RUNS} entries.`,
      );
  } catch (error) {
    warn(`The runs in ${foreign(folder)} are not looked at: ${foreign(messageOf(error))}`);
  }
  return [];
}

/** It is a run of the repository that it was found in, whatever the file says. */
async function readRun(repo: string, runDir: string): Promise<FoundRun | null> {
  const view = parseView((await readRunFile(join(runDir, 'state.json'), MAX_VIEW_BYTES)) ?? '');
  if (view === null) return null;
  // A file that names another run, or the workflow of another, would stand in for it: a decision of a person would reach that one.
  const isItsOwn = view.runId === basename(runDir) && runIdOfWorkflow(view.workflowId) === view.runId;
  return isItsOwn ? { ...listedFromView(view), repo, runDir } : null;
}

/** Another repository, such as a clone that came with folders of runs, may hold one of the same id. */
function placeOf({ runId, repo }: ListedRun): string {
  return JSON.stringify([runId, repo]);
}

function withFolder(run: ListedRun, onDisk: FoundRun | undefined): FoundRun {
  return {
    ...run,
    branch: run.branch ?? onDisk?.branch ?? null,
    repo: run.repo ?? onDisk?.repo ?? null,
    runDir: onDisk?.runDir ?? null,
  };
}

function newestFirst(runs: readonly FoundRun[]): readonly FoundRun[] {
  return runs.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
}

/** Whether a path is there. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

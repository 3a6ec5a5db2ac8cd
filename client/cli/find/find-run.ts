/**
 * The runs that a command can name: from the server where one answers, and from the run folders of the repositories on this host, which
 * stay when the server has dropped a history. Files are only shown, never obeyed.
 */
import { stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { messageOf } from '../../../config/system/error-code.js';
import { listForeignFolder } from '../../../config/system/foreign-file.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { type Refusal, RefusedError } from '../../../protocol/text/refusal.js';
import { isFromFiles, type ListedRun, listedFromView, UNKNOWN_EXECUTION } from '../../calls/listed-run.js';
import { readRunFile } from '../../read-run-file.js';
import { lookAtRepository } from '../../repository.js';
import type { Sluice } from '../../sluice.js';
import { itemsHere, named } from '../backlog/find-item.js';
import { wordsOf } from '../backlog/item-table.js';
import { knownRepositories, runsDirsOf } from '../server/host-config.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { parseView } from '../terminal/parse-view.js';
import { chooseRun } from './choose-run.js';
import { LAST, pickRun } from './pick-run.js';

export interface FoundRun extends ListedRun {
  /** Null where the run's files are not on this machine. */
  readonly runDir: string | null;
}

/** Visibility is asked for this many; older runs are found by their files. */
const LIST_LIMIT = 1_000;
/** **Unit** runs: each is one question to the server. */
const ASKED_AT_MOST = 50;

export async function findRuns(context: Context, sluice: Sluice | null): Promise<readonly FoundRun[]> {
  const onDisk = await runsOnDisk(context);
  if (sluice === null) return newestFirst(onDisk);
  const folders = new Map(onDisk.map((run) => [run.runId, run]));
  const visible = await sluice.list(LIST_LIMIT);
  const known = new Set(visible.map(({ runId }) => runId));
  const beside = await askedFor(
    sluice,
    [...folders.values()].filter(({ runId }) => !known.has(runId)),
  );
  return newestFirst([...visible.map((run) => withFolder(run, folders.get(run.runId))), ...beside]);
}

/** Runs that visibility does not show. It is a second behind, so the server itself is asked about those that say they are open. */
async function askedFor(sluice: Pick<Sluice, 'describe'>, runs: readonly FoundRun[]): Promise<readonly FoundRun[]> {
  const asked = new Set(newestFirst(runs.filter((run) => run.closedAt === null)).slice(0, ASKED_AT_MOST));
  return Promise.all(
    runs.map(async (run) => {
      const answer = asked.has(run) ? await sluice.describe(run.workflowId).catch(() => null) : null;
      if (answer === null) return { ...run, execution: UNKNOWN_EXECUTION };
      return { ...run, execution: answer.execution, startedAt: answer.startedAt, closedAt: answer.closedAt };
    }),
  );
}

/** Without a name, or by `@last`: the newest of the repository that one stands in. Errors: RefusedError where none is meant, or several and nobody chooses. */
export async function findRun(context: Context, sluice: Sluice | null, asked: string | null): Promise<FoundRun> {
  const all = await findRuns(context, sluice);
  const isNamed = asked !== null && asked !== LAST;
  const runs = isNamed ? all : await runsHere(context, all);
  const pick = pickRun(asked, runs);
  switch (pick.kind) {
    case 'one':
      if (!isNamed && runs.length > 1) tellNewest(context, pick.run);
      return pick.run;
    case 'none':
      throw new RefusedError((await noRunOfTask(context, sluice, asked)) ?? noRun(asked, sluice !== null));
    case 'many':
      return chooseRun(
        context,
        `${pick.runs.length} runs have "${foreign(asked ?? '')}" in their id or title`,
        pick.runs,
      );
  }
}

/** Which one is shown, where nobody named it. */
export function tellNewest({ io, json }: Context, { runId, title }: FoundRun): void {
  if (io.live && !json)
    io.err(io.colors.dim(foreign(`(${runId}, the newest run here: ${title ?? 'without a title'})`)));
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

async function runsOnDisk(context: Context): Promise<readonly FoundRun[]> {
  const { home, io } = context;
  const here = await lookAtRepository(io.cwd);
  const roots = new Set([...(here.kind === 'ok' ? [here.root] : []), ...(await knownRepositories(home))]);
  const perRepository = await Promise.all(
    [...roots].map(async (root) => runsBelow(context, root, await runsDirsOf(root))),
  );
  return perRepository.flat();
}

/** Of one folder of runs; a larger one is nothing that the engine made. */
const MAX_RUNS = 50_000;

async function runsBelow(context: Context, root: string, runsDirs: readonly string[]): Promise<readonly FoundRun[]> {
  const folders = await Promise.all(
    runsDirs.map(async (runsDir) => {
      const parent = isAbsolute(runsDir) ? runsDir : join(root, runsDir);
      const names = await namesIn(context, parent);
      return names.filter((name) => !name.startsWith('.')).map((name) => join(parent, name));
    }),
  );
  const runs = await Promise.all(folders.flat().map(readRun));
  return runs.filter((run) => run !== null);
}

/** What cannot be listed, such as a folder on a mount that is dead, counts as empty and hides no run elsewhere. */
async function namesIn({ io }: Context, folder: string): Promise<readonly string[]> {
  try {
    const entries = await listForeignFolder(folder, { maxEntries: MAX_RUNS });
    if (entries !== null) return entries.map(({ name }) => name);
    if (await exists(folder))
      io.err(
        `The runs in ${foreign(folder)} are not looked at: it cannot be read, or has more than ${MAX_RUNS} entries.`,
      );
  } catch (error) {
    io.err(`The runs in ${foreign(folder)} are not looked at: ${foreign(messageOf(error))}`);
  }
  return [];
}

async function readRun(runDir: string): Promise<FoundRun | null> {
  const view = parseView((await readRunFile(join(runDir, 'state.json'))) ?? '');
  // A file that names another run would stand in for it.
  return view === null || view.runId !== basename(runDir) ? null : { ...listedFromView(view), runDir };
}

function withFolder(run: ListedRun, onDisk: FoundRun | undefined): FoundRun {
  return {
    ...run,
    branch: run.branch ?? onDisk?.branch ?? null,
    repo: run.repo ?? onDisk?.repo ?? null,
    runDir: onDisk?.runDir ?? null,
  };
}

/** Without a name, the runs of the repository that one stands in come first. */
export async function runsHere(context: Context, runs: readonly FoundRun[]): Promise<readonly FoundRun[]> {
  const ours = await runsOfRepository(context, runs);
  return ours.length === 0 ? runs : ours;
}

/** Those of the repository that one stands in; all where one stands in none. */
export async function runsOfRepository({ io }: Context, runs: readonly FoundRun[]): Promise<readonly FoundRun[]> {
  const here = await lookAtRepository(io.cwd);
  return here.kind === 'ok' ? runs.filter((run) => run.repo === here.root) : runs;
}

/** Null: no task is called so either, or nobody knows. */
async function noRunOfTask(context: Context, sluice: Sluice | null, asked: string | null): Promise<Refusal | null> {
  if (sluice === null || asked === null) return null;
  const [item] = named(await itemsHere(context, sluice).catch(() => []), asked);
  if (item === undefined || item.run !== null) return null;
  const name = foreign(`${item.project}-${item.id}`);
  return {
    what: `the task ${name} has no run${item.closedAt === null ? ' yet' : ''}: it is ${wordsOf(item)}`,
    why: item.closedAt === null ? 'a task of a backlog runs when its turn comes' : 'it was closed before it ran',
    now: 'Nothing was changed.',
    mend: `sluice task show ${foreign(item.id)}`,
  };
}

function noRun(asked: string | null, server: boolean): Refusal {
  return {
    what: asked === null ? 'there is no run' : `no run has "${foreign(asked)}" in its id or title`,
    why: server
      ? 'runs are looked up on the server, and in the .sluice/runs folders of the known repositories'
      : 'the engine is down, so runs are looked up in the .sluice/runs folders of the known repositories',
    now: 'Nothing was changed.',
    mend: 'sluice list',
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

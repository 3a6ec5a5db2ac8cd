/**
 * What the one run of a repository left behind, counted by the agent's own ledger, by git, by the raw journal file and by the process table, never by the engine's words.
 * Two runs that did the same have equal traces.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLedger } from '../../activities/agent/scripted/ledger.js';
import { readEvents } from '../../activities/journal/events-file.js';
import type { NotificationInput, NotificationResult } from '../../protocol/messages/messages.js';
import type { TestRun } from './test-host.js';
import type { TestRepository } from './test-repository.js';

export interface RunTraces {
  readonly outcome: string;
  readonly error: string | null;
  /** `stage event` of each ledger line, in order. */
  readonly agents: readonly string[];
  readonly commits: number;
  /** Against the base, with the ids of the files' contents. */
  readonly change: string;
  /** Of events.jsonl; `damaged` if a line is torn, doubled or out of number. */
  readonly journal: readonly string[] | 'damaged';
  /** Notifications that reached their sinks, by the workflows that tell them: the journal has only what came of one before its run closed. */
  readonly told: number;
  /** Pids of processes that carry the tag of a turn or command. */
  readonly living: readonly number[];
}

export interface TracedRun {
  readonly run: TestRun;
  readonly repository: TestRepository;
  /** Of the host, which runs nothing else. */
  readonly home: string;
}

/** Waits for the end of the run and of its notifications. */
export async function tracesOf({ run, repository, home }: TracedRun): Promise<RunTraces> {
  const { outcome, error } = await run.result();
  const branch = `sluice/${run.runId}`;
  return {
    outcome,
    error,
    agents: readLedger(repository.ledgerPath).map(({ event, stage }) => `${stage} ${event}`),
    commits: Number(repository.git('rev-list', '--count', `main..${branch}`).trim()),
    change: repository.git('diff', '--full-index', 'main', branch),
    journal: await journalTypes(run.runDir),
    told: await toldBy(run),
    living: livingTurns(home),
  };
}

/** How often the agent of a stage was started, in the whole ledger of the repository. */
export function startsOf(repository: TestRepository, stage: string): number {
  return readLedger(repository.ledgerPath).filter((entry) => entry.event === 'START' && entry.stage === stage).length;
}

/** Pids of what carries the tag of any turn, ask or command of this home. Reads the environment of every process: Linux only. */
export function livingTurns(home: string): readonly number[] {
  const marks = [...turnFolders(home), ...askFolders(home)].map(
    (folder) => `SLUICE_TURN=${folder.replace(/^.*\/\d+-/, '')}`,
  );
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const environment = environmentOf(pid);
      return marks.some((mark) => environment.includes(mark));
    });
}

/** Absolute, one for each place of each run of this home. */
export function turnFolders(home: string): readonly string[] {
  const state = join(home, 'state');
  const runs = readdirSync(state).flatMap((repoKey) =>
    readdirSync(join(state, repoKey)).map((run) => join(state, repoKey, run, 'turns')),
  );
  return runs
    .filter((turns) => existsSync(turns))
    .flatMap((turns) => readdirSync(turns).map((name) => join(turns, name)));
}

/** Absolute, one for each place at which an agent of this home was asked about a task. */
function askFolders(home: string): readonly string[] {
  const folders = below(join(home, 'items')).flatMap((repository) => below(repository));
  return folders.flatMap((item) => below(join(item, 'asks'))).flatMap((ask) => below(join(ask, 'turns')));
}

/** Nothing where there is no such folder. */
function below(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** Each is a workflow of its own that outlives the run. */
async function toldBy({ handle }: TestRun): Promise<number> {
  const { events } = await handle.fetchHistory();
  const children = (events ?? []).flatMap(({ childWorkflowExecutionStartedEventAttributes: child }) =>
    child?.workflowExecution?.workflowId ? [child.workflowExecution.workflowId] : [],
  );
  const results = await Promise.all(
    children.map((id) =>
      handle.client.getHandle<(input: NotificationInput) => Promise<NotificationResult>>(id).result(),
    ),
  );
  return results.flat().filter(({ error }) => error === null).length;
}

async function journalTypes(runDir: string): Promise<readonly string[] | 'damaged'> {
  const path = join(runDir, 'events.jsonl');
  const raw = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const events = await readEvents(path);
  const isWhole = raw.endsWith('\n') && raw.split('\n').length === events.length + 1;
  return isWhole ? events.map((event) => event.type) : 'damaged';
}

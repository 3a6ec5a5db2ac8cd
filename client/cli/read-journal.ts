/** A run's journal as it stands in its folder, for the commands that tell of the past. Files are only shown, never obeyed. */
import type { JournalEvent } from '../../protocol/journal.js';
import { CliError } from './cli-error.js';
import { connectToLook } from './connect.js';
import type { Context } from './context.js';
import { type FoundRun, findRun } from './find-run.js';
import { followFiles } from './follow-files.js';
import { foreign } from './io.js';

export interface RunJournal {
  readonly run: FoundRun;
  /** In order; lines that are none are left out. */
  readonly events: readonly JournalEvent[];
}

/** Works without a server. Errors: CliError where the run is unknown or its folder is on another machine. */
export async function journalOf(context: Context, asked: string | null): Promise<RunJournal> {
  const sluice = await connectToLook(context);
  try {
    const run = await findRun(context, sluice, asked);
    if (run.runDir === null) throw new CliError(noFiles(run));
    return { run, events: await readJournal(run.runDir) };
  } finally {
    await sluice?.close();
  }
}

async function readJournal(runDir: string): Promise<readonly JournalEvent[]> {
  const events: JournalEvent[] = [];
  const follower = followFiles(runDir, { event: (event) => void events.push(event), view: () => {} });
  await follower.readNow();
  follower.close();
  return events;
}

function noFiles({ runId, status }: FoundRun) {
  return {
    what: `the files of the run ${foreign(runId)} are not on this machine`,
    why: 'the journal lies in the run folder on the host of the run',
    now: `Its status is ${status ?? 'unknown'}.`,
    mend: `sluice status ${foreign(runId)}`,
  };
}

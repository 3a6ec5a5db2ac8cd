/** A run's journal as it stands in its folder, for the commands that tell of the past. Files are only shown, never obeyed. */

import { join } from 'node:path';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { FoundRun } from '../../look/find-runs.js';
import { CUT_JOURNAL, JournalTail } from '../../look/journal-tail.js';
import { connectOrRead } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { filesElsewhere } from './files-elsewhere.js';
import { findRun } from './find-run.js';

export interface RunJournal {
  readonly run: FoundRun;
  /** In order; lines that are none are left out. */
  readonly events: readonly JournalEvent[];
}

/** Works without a server. Errors: RefusedError where the run is unknown or its folder is on another machine. */
export async function journalOf(context: Context, asked: string | null): Promise<RunJournal> {
  await using sluice = await connectOrRead(
    context,
    'the journal is read from the run folders of the known repositories',
  );
  const run = await findRun(context, sluice, asked);
  if (run.runDir === null) throw new RefusedError(filesElsewhere(run));
  return { run, events: await readJournal(context, run.runDir) };
}

/** Shape: as of `RunJournal.events`. */
export async function readJournal({ io }: Pick<Context, 'io'>, runDir: string): Promise<readonly JournalEvent[]> {
  const events: JournalEvent[] = [];
  const journal = new JournalTail(join(runDir, 'events.jsonl'));
  await journal.read((event) => void events.push(event));
  if (journal.isCut) io.err(CUT_JOURNAL);
  return events;
}

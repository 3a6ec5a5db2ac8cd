/**
 * Keeps the run directories out of the person's `git status`: a `.gitignore` of `*` beside them, in a runs directory that is the engine's own.
 * In a folder that holds anything else (a config may name `src`) it would hide the person's files, so it goes into the run's own folder there.
 */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { listForeignFolder, readForeignFileSync, textOf } from '../../config/system/foreign-file.js';
import { isRunId } from '../../protocol/run/run-id.js';
import { type WriteOptions, writeFileAtomic } from './write-file.js';

/** Runs that lie beside one another; a larger folder counts as somebody's. */
const MAX_RUNS = 50_000;

const EVERYTHING = '*\n';

/** Each run directory has one of these from its first journal batch on. */
const RUN_FILES = ['approvals.json', 'events.jsonl', 'state.json'];

/** Shape: `runsDir` and `runsDir/runId` exist. Idempotency: what is there stays. */
export async function hideFromGit(runsDir: string, runId: string, options: WriteOptions): Promise<void> {
  const beside = join(runsDir, '.gitignore');
  const own = join(runsDir, runId, '.gitignore');
  if (textOf(readForeignFileSync(beside, { maxBytes: EVERYTHING.length })) === EVERYTHING || existsSync(own)) return;
  const isOurs = lstatSync(beside, { throwIfNoEntry: false }) === undefined && (await holdsRunsOnly(runsDir, runId));
  await writeFileAtomic(isOurs ? beside : own, EVERYTHING, options);
}

async function holdsRunsOnly(runsDir: string, runId: string): Promise<boolean> {
  const entries = await listForeignFolder(runsDir, { maxEntries: MAX_RUNS });
  if (entries === null) return false;
  for (const entry of entries) {
    const name = entry.name.replace(/\.found-\d+$/, '');
    const isRunFolder = entry.isDirectory() && isRunId(name) && (await isRun(join(runsDir, entry.name)));
    if (name !== runId && !isRunFolder) return false;
  }
  return true;
}

/** A run that another process opens at this moment may still be empty. */
async function isRun(folder: string): Promise<boolean> {
  return (
    RUN_FILES.some((name) => existsSync(join(folder, name))) ||
    (await listForeignFolder(folder, { maxEntries: 0 })) !== null
  );
}

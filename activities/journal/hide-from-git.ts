/**
 * Keeps the run directories out of the person's `git status`: a `.gitignore` of `*` beside them, in a runs directory that is the engine's own.
 * In a folder that holds anything else (a config may name `src`) it would hide the person's files, so it goes into the run's own folder there.
 */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readForeignFileSync, textOf } from '../../config/foreign-file.js';
import { isRunId } from '../../protocol/run-id.js';
import { type WriteOptions, writeFileAtomic } from './write-file.js';

const EVERYTHING = '*\n';

/** Each run directory has one of these from its first journal batch on. */
const RUN_FILES = ['approvals.json', 'events.jsonl', 'state.json'];

/** Shape: `runsDir` and `runsDir/runId` exist. Idempotency: what is there stays. */
export async function hideFromGit(runsDir: string, runId: string, options: WriteOptions): Promise<void> {
  const beside = join(runsDir, '.gitignore');
  const own = join(runsDir, runId, '.gitignore');
  if (textOf(readForeignFileSync(beside, { maxBytes: EVERYTHING.length })) === EVERYTHING || existsSync(own)) return;
  const isOurs = lstatSync(beside, { throwIfNoEntry: false }) === undefined && holdsRunsOnly(runsDir, runId);
  await writeFileAtomic(isOurs ? beside : own, EVERYTHING, options);
}

function holdsRunsOnly(runsDir: string, runId: string): boolean {
  return readdirSync(runsDir, { withFileTypes: true }).every((entry) => {
    const name = entry.name.replace(/\.found-\d+$/, '');
    if (name === runId) return true;
    return entry.isDirectory() && isRunId(name) && isRun(join(runsDir, entry.name));
  });
}

/** A run that another process opens at this moment may still be empty. */
function isRun(folder: string): boolean {
  return RUN_FILES.some((name) => existsSync(join(folder, name))) || readdirSync(folder).length === 0;
}

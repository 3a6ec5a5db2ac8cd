/**
 * Tells what the run itself left uncommitted in its worktree (a failed turn, a set-up command) from what a person did there afterwards: the one
 * is cleaned away before the next turn, the other never. What is written while an agent works counts as that agent's.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from '../../protocol/run/place.js';
import type { RunGit } from '../git/run/open-run-git.js';
import { encodeBytes, joinBytes } from '../git/start/byte-path.js';
import type { Change } from '../git/start/contract.js';
import { lastingTrouble } from '../git/start/lasting-trouble.js';
import { CLAIM_FILE, type Durability, readJson, writeMark } from '../process/marks.js';
import { OUTCOME_FILE } from '../unit/place-record.js';
import type { RunOnHost } from '../unit/run-record.js';

const LEFT_FILE = 'left.json';

/** Effects: one file below the state folder, of whatever is uncommitted now. */
export async function noteLeft(run: RunOnHost, git: RunGit, durability: Durability): Promise<void> {
  try {
    const left = await fingerprint(run, await git.changes());
    writeMark(join(run.stateDir, LEFT_FILE), JSON.stringify({ left }), durability);
  } catch (err) {
    // Without a note everything is kept.
    if (lastingTrouble(err) === null) throw err;
  }
}

/** Whether these changes are what the run left, untouched. */
export async function isOwnLeft(run: RunOnHost, changes: readonly Change[]): Promise<boolean> {
  return readJson(join(run.stateDir, LEFT_FILE))?.['left'] === (await fingerprint(run, changes));
}

/** An agent of this place, or of one that a reset of the run abandoned, was started and its change was never looked at. */
export function wasInterrupted({ stateDir }: RunOnHost, { seq }: Place): boolean {
  const turns = join(stateDir, 'turns');
  return readdirSync(turns).some((name) => {
    const at = (file: string) => join(turns, name, file);
    return (
      Number(name.slice(0, name.indexOf('-'))) >= seq && existsSync(at(CLAIM_FILE)) && !existsSync(at(OUTCOME_FILE))
    );
  });
}

async function fingerprint({ record }: RunOnHost, changes: readonly Change[]): Promise<string> {
  const hash = createHash('sha256');
  for (const { path, bytes = encodeBytes(path), status } of changes) {
    const found = await lstat(joinBytes(record.worktree, bytes)).catch(() => null);
    hash.update(`${JSON.stringify(path)} ${status} ${found?.ino} ${found?.size} ${found?.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/**
 * What the set-up of a worktree left there that git ignores, such as installed packages: it is most of what a run takes on disk, and goes when the run
 * closes. A run that a reset opens again sets its worktree up anew.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openRunGit, type RunGit } from '../git/run/open-run-git.js';
import { removeFolder } from '../git/worktree/remove-worktree.js';
import { type Durability, readJson, writeMark } from '../process/marks.js';
import type { RunWorkplace } from '../unit/workplace.js';

const LISTED_FILE = 'setup-files.json';

/** Says that the worktree lacks them, whatever of them is still there. */
const DROPPED_FILE = 'setup-dropped.json';

/** A folder that is ignored whole counts once. */
const MAX_LISTED = 10_000;

export function lacksSetup({ stateDir }: Pick<RunWorkplace, 'stateDir'>): boolean {
  return existsSync(join(stateDir, DROPPED_FILE));
}

/** Call after the set-up, before an agent starts. */
export async function noteSetupFiles(workplace: RunWorkplace, durability: Durability): Promise<void> {
  const { stateDir } = workplace;
  const paths = await (await openRunGit(workplace.git)).ignored();
  writeMark(join(stateDir, LISTED_FILE), JSON.stringify({ paths: paths.slice(0, MAX_LISTED) }), durability);
  rmSync(join(stateDir, DROPPED_FILE), { force: true });
}

/** Removes what was noted and is ignored still. What a run committed, or a person made since, stays. */
export async function dropSetupFiles({ stateDir, git }: RunWorkplace, durability: Durability): Promise<void> {
  const listed = readJson(join(stateDir, LISTED_FILE))?.['paths'];
  if (!Array.isArray(listed) || !existsSync(git.worktree)) return;
  const opened: RunGit = await openRunGit(git);
  if ((await opened.root()).kind !== 'whole') return;
  const ignored = new Set(await opened.ignored());
  const paths = listed.filter((path): path is string => typeof path === 'string' && ignored.has(path));
  if (paths.length === 0) return;
  writeMark(join(stateDir, DROPPED_FILE), '{}', durability);
  for (const path of paths) await removeFolder(join(git.worktree, path));
}

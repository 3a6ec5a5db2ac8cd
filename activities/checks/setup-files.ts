/**
 * Whether a worktree is set up, and what the set-up left there that git ignores, such as installed packages: it is most of what a run takes on disk, and
 * goes when the run closes. A mark says that it is to be made again, by a run that a reset opened again, or where the worktree itself was lost.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openRunGit } from '../git/run/open-run-git.js';
import { removeFolder } from '../git/worktree/remove-worktree.js';
import { type Durability, readJson, writeMark } from '../process/marks.js';
import type { RunWorkplace } from '../unit/workplace.js';

const LISTED_FILE = 'setup-files.json';

/** Says that the worktree lacks them, whatever of them is still there. */
const MISSING_FILE = 'setup-missing.json';

/** A folder that is ignored whole counts once. */
const MAX_LISTED = 10_000;

type State = Pick<RunWorkplace, 'stateDir'>;

export function lacksSetup({ stateDir }: State): boolean {
  return existsSync(join(stateDir, MISSING_FILE));
}

/** Before anything of it goes, so that no kill leaves half of a set-up that counts as whole. */
export function noteSetupMissing({ stateDir }: State, durability: Durability): void {
  writeMark(join(stateDir, MISSING_FILE), '{}', durability);
}

/** Call after a set-up that went well, before an agent starts. */
export async function noteSetUp(workplace: RunWorkplace, durability: Durability): Promise<void> {
  const { stateDir, git, policy } = workplace;
  const { setup, copy, link } = policy.worktree;
  if (setup.length + copy.length + link.length > 0) {
    const paths = await (await openRunGit(git)).ignored();
    writeMark(join(stateDir, LISTED_FILE), JSON.stringify({ paths: paths.slice(0, MAX_LISTED) }), durability);
  }
  rmSync(join(stateDir, MISSING_FILE), { force: true });
}

/** Removes what was noted and is ignored still. What a run committed, or a person made since, stays. */
export async function dropSetupFiles(workplace: RunWorkplace, durability: Durability): Promise<void> {
  const { stateDir, git } = workplace;
  const listed = readJson(join(stateDir, LISTED_FILE))?.['paths'];
  if (!Array.isArray(listed) || !existsSync(git.worktree)) return;
  const opened = await openRunGit(git);
  if ((await opened.root()).kind !== 'whole') return;
  const ignored = new Set(await opened.ignored());
  const paths = listed.filter((path): path is string => typeof path === 'string' && ignored.has(path));
  if (paths.length === 0) return;
  noteSetupMissing(workplace, durability);
  for (const path of paths) await removeFolder(join(git.worktree, path));
}

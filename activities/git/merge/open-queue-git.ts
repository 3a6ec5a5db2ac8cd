/** The git of a queue of landings: a private git dir that sees the repository's objects and where its history ends, and folders of attribute files in the place of a work tree. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../../config/system/replace-file.js';
import { openPrivateGitDir, type PrivateGitDir } from '../inspect/private-git-dir.js';
import { readTextIfThere } from '../refs/read-ref.js';
import type { Repository } from '../start/contract.js';

export interface OpenQueueGitInput {
  readonly repository: Repository;
  /** Absolute; below the sluice home, of this queue alone. */
  readonly folder: string;
}

/** Idempotency: opening again reads the config snapshot of the first time; one of another time needs another folder. */
export async function openQueueGit({ repository, folder }: OpenQueueGitInput): Promise<PrivateGitDir> {
  const [gitDir, workTree] = [join(folder, 'git'), join(folder, 'attributes')];
  const git = await openPrivateGitDir({ repository, gitDir, workTree, snapshotOf: null });
  await copyShallow(repository.commonDir, gitDir);
  return git;
}

/** Without it git looks for the parents of a shallow clone's first commits, and takes branches that begin there for unrelated. */
async function copyShallow(from: string, to: string): Promise<void> {
  const [wanted, there] = await Promise.all([from, to].map((folder) => readTextIfThere(join(folder, 'shallow'))));
  if (wanted === there) return;
  if (wanted === null || wanted === undefined) await rm(join(to, 'shallow'), { force: true });
  else replaceFile(join(to, 'shallow'), wanted);
}

/**
 * Makes the branch and the worktree of a run: a real one, which `git worktree list` shows, still without files (`RunGit.restore` brings them).
 * One at a time per repository, and tried again on git's own locks (V-16). The owner's mark beside the worktree is made before the first
 * effect, so that a second attempt tells what a killed one left half-made from what belongs to somebody else, which is never touched.
 */

import { rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { listForeignFolder } from '../../../config/system/foreign-file.js';
import { lookAt } from '../../../config/system/look-at.js';
import { FAILURES } from '../../../protocol/failures.js';
import { refusalFailure } from '../../../protocol/text/refusal.js';
import { shellWord } from '../../../protocol/text/shell-word.js';
import { readRef, readTextIfThere } from '../refs/read-ref.js';
import { deleteRefs, findBranchUse, listKeptRefs, type RunNames } from '../refs/run-refs.js';
import { findAdminDir, isComplete } from '../refs/worktree-registration.js';
import { isRepositoryBusy, refInTheWay } from '../start/repository-busy.js';
import { withRepositoryLock } from '../start/repository-lock.js';
import { GitError, ON_REAL_REPOSITORY, runGit } from '../start/run-git.js';
import { beginOwning, dropOwner, type OwnerMark, ownerMarkOf, readOwner, takeOver, whyForeign } from './owner-mark.js';
import { moveAside } from './worktree-root.js';

const MAX_TRIES = 12;
const FIRST_WAIT_MS = 20;
const MAX_WAIT_MS = 500;

export interface AddWorktreeInput extends RunNames {
  readonly branch: string;
  /** The first execution of the run's workflow. */
  readonly owner: string;
  readonly baseSha: string;
  /** Absolute; its folder is below the sluice home and a real path. */
  readonly path: string;
  /** Whose they were, and nobody else's, where branch and worktree are there already. Null: they are to be made. */
  readonly formerOwner: string | null;
}

/**
 * Makes the branch at `baseSha` and a worktree of it at `path`; or takes both over as they are, and makes what of them is gone.
 * Errors: `RunExists` if branch, worktree or path of that name belong to somebody else, or a branch of theirs leaves no room for that name; nothing is changed then.
 * Effects: the branch, `<commonDir>/worktrees/<id>`, `path`, and the owner's mark beside `path`.
 * Idempotency: by the mark; `present` if nothing was missing. A half-made worktree is made anew; files found at `path` without
 * a registration are moved aside, not deleted.
 */
export async function addWorktree(input: AddWorktreeInput): Promise<'made' | 'present'> {
  return withRepositoryLock(input.repository.commonDir, async () => {
    let waitMs = FIRST_WAIT_MS;
    for (let tries = 1; ; tries += 1) {
      try {
        return await addOnce(input);
      } catch (error) {
        if (tries >= MAX_TRIES || !isRepositoryBusy(error)) throw error;
        await delay(waitMs * (0.5 + Math.random()));
        waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
      }
    }
  });
}

interface Found {
  readonly mark: OwnerMark;
  readonly branchAt: string | null;
  readonly adminDir: string | null;
  /** Names in the folder at `path`; null if there is none. */
  readonly entries: readonly string[] | null;
}

async function addOnce(input: AddWorktreeInput): Promise<'made' | 'present'> {
  const { repository, runId, branch, baseSha, path } = input;
  const { commonDir } = repository;
  const found = await look(input);
  const why = await own(input, found);
  if (why !== null)
    throw runExists(`The worktree of ${runId} is not this run's: ${why} (${ownerMarkOf(path)}).`, input);
  if (await isWhole(found)) return 'present';
  await clearHalfMade(input, found);
  const from = found.branchAt === null ? ['-b', branch, '--', path, baseSha] : ['--', path, branch];
  try {
    await runGit([...ON_REAL_REPOSITORY, 'worktree', 'add', '--quiet', '--no-checkout', ...from], {
      gitDir: commonDir,
    });
  } catch (error) {
    const refusal = await refusalOf(error, input);
    if (refusal === null) throw error;
    if (found.branchAt === null) await takeBack(input);
    // Whoever comes next takes it from the same run.
    if (input.formerOwner !== null && found.mark !== null) await takeOver(path, input.owner, input.formerOwner);
    throw refusal;
  }
  return 'made';
}

/** Of what git found in the way; null: it is none of somebody else's branches or worktrees. */
async function refusalOf(error: unknown, input: AddWorktreeInput): Promise<ApplicationFailure | null> {
  const { branch, path, repository } = input;
  const other = refInTheWay(error)?.replace('refs/heads/', '');
  if (other !== undefined) {
    const what = `Branch ${branch} cannot be made: there is a branch ${other}.`;
    const rename = `git -C ${shellWord(repository.root)} branch -m ${shellWord(other)} ${shellWord(`kept-${other.replaceAll('/', '-')}`)}`;
    return runExists(what, input, `Rename the other branch: ${rename}`);
  }
  if (!(error instanceof GitError && /already (checked out|used by worktree)/.test(error.result.stderr))) return null;
  const use = await findBranchUse({ ...input, worktree: path });
  const where = `${use?.how ?? 'checked out'} in ${use?.folder ?? 'another worktree'}`;
  return runExists(`Branch ${branch} is ${where} already.`, input);
}

/** Begins to own it, or takes it over. Answers why it is not this run's; null: it is. */
async function own(input: AddWorktreeInput, found: Found): Promise<string | null> {
  const { repository, runId, owner, baseSha, path, formerOwner } = input;
  const { commonDir } = repository;
  const purpose = JSON.stringify({ runId, baseSha, commonDir });
  if (found.mark === null) {
    if (formerOwner === null) await refuseForeign(input, found);
    return whyForeign(await beginOwning(path, { owner, purpose }), { owner, purpose });
  }
  if (formerOwner === null || found.mark === 'broken') return whyForeign(found.mark, { owner, purpose });
  // It was begun for the first run of its item.
  return whyForeign(await takeOver(path, formerOwner, owner), { owner, purpose: found.mark.purpose });
}

async function look({ repository, branch, path }: AddWorktreeInput): Promise<Found> {
  const [mark, branchAt, adminDir, entries] = await Promise.all([
    readOwner(path),
    readRef(repository.commonDir, `refs/heads/${branch}`),
    findAdminDir(repository.commonDir, path),
    entriesOf(path),
  ]);
  return { mark, branchAt, adminDir, entries };
}

/** Of one folder. */
const MAX_ENTRIES = 200_000;

/** Somebody's folder, whatever it holds: no name is `.git`. */
const TOO_MANY: readonly string[] = [''];

async function entriesOf(path: string): Promise<readonly string[] | null> {
  const found = lookAt(path);
  if (found === null) return null;
  if (!found.isDirectory()) return [basename(path)];
  return (await listForeignFolder(path, { maxEntries: MAX_ENTRIES }))?.map(({ name }) => name) ?? TOO_MANY;
}

async function isWhole({ branchAt, adminDir, entries }: Found): Promise<boolean> {
  return branchAt !== null && adminDir !== null && entries?.includes('.git') === true && (await isComplete(adminDir));
}

/** Another home may have begun, or kept, a run of that id in this repository; its branch alone may be gone. */
async function refuseForeign(input: AddWorktreeInput, found: Found): Promise<void> {
  const { branch, path } = input;
  if (found.branchAt !== null) throw runExists(`Branch ${branch} exists already, at ${found.branchAt}.`, input);
  if (found.adminDir !== null)
    throw runExists(`A worktree at ${path} is registered already (${found.adminDir}).`, input);
  if (found.entries !== null) throw runExists(`The folder ${path} exists already.`, input);
  const [ref] = await listKeptRefs(input);
  if (ref !== undefined) throw runExists(`${ref.ref} exists already, at ${ref.sha}.`, input);
}

/** The branch that git made before it saw that somebody's worktree stands on one of that name, which was gone: to look first would be to read the HEAD of all. */
async function takeBack({ repository, branch, baseSha, path }: AddWorktreeInput): Promise<void> {
  await deleteRefs(repository, [{ ref: `refs/heads/${branch}`, sha: baseSha }]);
  await dropOwner(path);
}

async function clearHalfMade({ repository, path }: AddWorktreeInput, found: Found): Promise<void> {
  const usual = join(repository.commonDir, 'worktrees', basename(path));
  if (found.adminDir !== null) await rm(found.adminDir, { recursive: true, force: true });
  // Killed between mkdir and writing `gitdir`: git left its "initializing" lock, and prune skips it for ever.
  else if ((await readTextIfThere(join(usual, 'gitdir'))) === null) await rm(usual, { recursive: true, force: true });
  if (found.entries === null) return;
  const own = lookAt(join(path, '.git'));
  // Only what git itself begins with is deleted: an empty folder, or one with a `.git` file alone.
  if (found.entries.every((name) => name === '.git') && own?.isDirectory() !== true) {
    await rm(join(path, '.git'), { force: true });
    await rmdir(path);
  } else {
    await moveAside(path);
  }
}

function runExists(
  what: string,
  { branch }: AddWorktreeInput,
  mend = `Look: git branch --list ${branch}; git worktree list`,
): ApplicationFailure {
  const why = 'A run needs a branch and a worktree of its own.';
  return ApplicationFailure.create(
    refusalFailure(FAILURES.RunExists, { what, why, now: 'Nothing was changed.', mend }),
  );
}

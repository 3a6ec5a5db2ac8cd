/**
 * The engine's own checkout for validation: outside the agent's worktree, no branch, on no worktree list, through a private git dir.
 * It gets a small `.git` of its own besides, since build scripts ask git for the commit; commands may do to it what they like, for the
 * engine never reads it. What the set-up left stays from commit to commit, so that it is not repeated; what else is ignored goes, so that
 * nothing is green by the leftovers of another tree.
 */
import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import picomatch from 'picomatch';
import { makeFolder } from '../../../config/home/make-folder.js';
import { listForeignFolder, readForeignFile, textOf } from '../../../config/system/foreign-file.js';
import { lookAt } from '../../../config/system/look-at.js';
import { replaceFile } from '../../../config/system/replace-file.js';
import { listChangedPaths } from '../inspect/diff.js';
import { excludePattern, openPrivateGitDir, type PrivateGitDir, type Snapshot } from '../inspect/private-git-dir.js';
import { readIndex, readTextIfThere } from '../refs/read-ref.js';
import type { Repository } from '../start/contract.js';
import { lastingTrouble } from '../start/lasting-trouble.js';
import { splitNul } from '../start/run-git.js';
import { TimeBudget } from '../start/within-time.js';
import { WorktreeViolation } from '../start/worktree-violation.js';
import { makeFolderWritable, makeWritable } from '../worktree/make-writable.js';
import { beginOwning, readOwner, whyForeign } from '../worktree/owner-mark.js';
import { moveAside } from '../worktree/worktree-root.js';
import { LIST_IGNORED, listTrackedChanges } from './changes.js';

export interface OpenValidationCheckoutInput {
  /** The first execution of the workflow that it belongs to. */
  readonly owner: string;
  readonly repository: Repository;
  /** Absolute; its folder is below the sluice home and a real path. It is made when missing. */
  readonly path: string;
  /** Of this checkout alone, not the run's. */
  readonly gitDir: string;
  /** A run's own, whose config snapshot, taken before any agent ran, counts here too, or one that was taken; null: one is taken when it is made. */
  readonly snapshotOf: string | Snapshot | null;
}

/** Effects: the private git dir and the owner's mark; the checkout itself is empty until `moveTo`. Errors: `WorktreeViolation` where it is another owner's. */
export async function openValidationCheckout(input: OpenValidationCheckoutInput): Promise<ValidationCheckout> {
  const { owner, repository, path, gitDir, snapshotOf } = input;
  const mine = { owner, purpose: JSON.stringify({ commonDir: repository.commonDir }) };
  const why = whyForeign((await readOwner(path)) ?? (await beginOwning(path, mine)), mine);
  if (why !== null) throw new WorktreeViolation(`${path} is not this workflow's: ${why}`);
  makeFolder(path);
  return new ValidationCheckout(
    repository,
    await openPrivateGitDir({ repository, gitDir, workTree: path, snapshotOf }),
  );
}

export class ValidationCheckout {
  constructor(
    private readonly repository: Repository,
    private readonly git: PrivateGitDir,
  ) {}

  get path(): string {
    return this.git.workTree;
  }

  /** Hard reset and clean. `kept`: of what is ignored, patterns of gitignore(5). */
  async moveTo(commit: string, kept: readonly string[] = []): Promise<void> {
    await this.git.reset(commit, kept);
    await this.writeOwnGit(commit);
  }

  /** It was never moved to a commit, or somebody removed it since. */
  async isEmpty(): Promise<boolean> {
    return (await listForeignFolder(this.path, { maxEntries: 1 }))?.length === 0;
  }

  /** Patterns for `moveTo` of all that is ignored now, coarser where it is much. */
  async listIgnored(): Promise<readonly string[]> {
    return findPatterns(splitNul(await this.git.run(LIST_IGNORED)));
  }

  /** Tracked files that differ from the commit it was moved to, deleted ones too. */
  changedTracked(): Promise<readonly string[]> {
    return listTrackedChanges(this.git);
  }

  /** Errors: `GitError` where git does not have the commit by now. */
  async tree(commit: string): Promise<string> {
    return (await this.git.run(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`])).trim();
  }

  /** Whether a file that one of the globs names differs between two commits; true if the first is unknown, or git does not have it any more. */
  async setupInputsChanged(globs: readonly string[], from: string | null, to: string): Promise<boolean> {
    if (from === null) return true;
    if (globs.length === 0 || from === to) return false;
    // `s`: a name may hold a newline.
    const matches = picomatch([...globs], { dot: true, nonegate: true, flags: 's' });
    const changed = await listChangedPaths(this.git, from, to).catch(nothingTold);
    const inputs = changed === null ? null : new TimeBudget().run(() => changed.filter((path) => matches(path)));
    // Not told, or not in time: once more is the safe answer.
    return inputs === null || inputs.length > 0;
  }

  /** Made anew each time: commands may have written hooks and config into the last one. */
  private async writeOwnGit(commit: string): Promise<void> {
    const own = join(this.path, '.git');
    const alternates = alternatesOf(this.repository);
    await removeCheckoutGit(this.repository, this.path);
    await mkdir(join(own, 'objects', 'info'), { recursive: true });
    await mkdir(join(own, 'refs'));
    const [config, index] = await Promise.all([
      readTextIfThere(join(this.git.gitDir, 'config')),
      readIndex(join(this.git.gitDir, 'index')),
    ]);
    replaceFile(join(own, 'objects', 'info', 'alternates'), alternates);
    replaceFile(join(own, 'HEAD'), `${commit}\n`);
    replaceFile(join(own, 'config'), config ?? '');
    replaceFile(join(own, 'index'), index);
  }
}

/** Errors: those that pass with time. */
function nothingTold(error: unknown): null {
  if (lastingTrouble(error) === null) throw error;
  return null;
}

/** They are arguments of git. */
const MAX_PATTERNS = 300;
const MAX_PATTERN_BYTES = 48 * 1024;

const EVERYTHING: readonly string[] = ['*'];

/** At the greatest depth that they fit with. They become neither fewer nor shorter with depth, so each try rules out half of the depths, of which there may be a thousand. */
export function findPatterns(paths: readonly string[]): readonly string[] {
  let found = EVERYTHING;
  let fits = 0;
  let tooDeep = 1 + paths.reduce((most, path) => Math.max(most, path.split('/').length), 1);
  while (tooDeep - fits > 1) {
    const depth = Math.floor((fits + tooDeep) / 2);
    const patterns = [...new Set(paths.map((path) => patternOf(cutTo(path, depth))))];
    const bytes = patterns.reduce((sum, pattern) => sum + Buffer.byteLength(pattern) + 1, 0);
    if (patterns.length <= MAX_PATTERNS && bytes <= MAX_PATTERN_BYTES) [found, fits] = [patterns, depth];
    else tooDeep = depth;
  }
  return found;
}

/** A folder ends with a slash, as git lists it. */
function cutTo(path: string, depth: number): string {
  const parts = path.split('/');
  return parts.length <= depth ? path : `${parts.slice(0, depth).join('/')}/`;
}

/** Bytes that are no UTF-8 do not come through as they are. */
function patternOf(path: string): string {
  return excludePattern(path).replace(/\uFFFD+/g, '*');
}

/** Effects: a folder that the engine did not write may be somebody's repository: it is moved aside, not deleted. Commands may have taken the right to change either. */
export async function removeCheckoutGit(repository: Repository, path: string): Promise<void> {
  // In the place of the checkout's folder lies nothing of the engine's.
  if (!(await makeFolderWritable(path))) return;
  const own = join(path, '.git');
  const found = lookAt(own);
  if (found === null) return;
  if (!found.isDirectory()) return rm(own, { force: true });
  await makeWritable(own);
  const alternates = alternatesOf(repository);
  const written = await readForeignFile(join(own, 'objects', 'info', 'alternates'), {
    maxBytes: Buffer.byteLength(alternates),
  });
  if (textOf(written) === alternates) await rm(own, { recursive: true, force: true });
  else await moveAside(own, dirname(path), `${basename(path)}+git`);
}

function alternatesOf({ commonDir }: Repository): string {
  return `${join(commonDir, 'objects')}\n`;
}

/**
 * The commits that an agent made itself, as commits of the engine's own: the same trees and messages, in a line on the expected head, with the person's name and the times of the claim. So nothing that
 * an agent writes into a commit beside that (an author, a signature, a parent, a name that steers a terminal) gets into the repository, and a second attempt makes the same ones.
 * Source: S-67, docs/decisions/0035-commits-of-an-agent-are-made-anew.md.
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_CHANGE_BYTES } from '../inspect/change-size.js';
import type { PrivateGitDir } from '../inspect/private-git-dir.js';
import { treeOf } from '../refs/tree-of.js';
import { assertTreeFits, knowThatFits } from '../refs/tree-size.js';
import { splitNul } from '../start/run-git.js';
import { TooLarge } from '../start/too-large.js';

/** A commit as git lists it. */
export interface AgentCommit {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** Without values. */
  readonly message: string;
}

export interface KeptCommits {
  /** Oldest first. */
  readonly made: readonly string[];
  /** Of the last. */
  readonly tree: string;
}

interface Keeping {
  readonly expectedHead: string;
  /** Makes a commit with such a tree and message, and answers its id. */
  readonly commit: (made: {
    readonly tree: string;
    readonly parent: string;
    readonly message: string;
  }) => Promise<string>;
}

/** Effects: objects. Null: they are no line on the expected head, or one holds what no worktree may; then they are folded. */
export async function keepCommits(
  git: PrivateGitDir,
  commits: readonly AgentCommit[],
  { expectedHead, commit }: Keeping,
): Promise<KeptCommits | null> {
  if (commits.length === 0 || !isLine(commits, expectedHead)) return null;
  const made: string[] = [];
  let parent = expectedHead;
  let before = await treeOf(git, expectedHead);
  for (const { sha, tree, message } of commits) {
    // It changed nothing.
    if (tree === before) continue;
    if (!(await isFit(git, { sha, tree, before }))) return null;
    parent = await commit({ tree, parent, message });
    knowThatFits(parent);
    made.push(parent);
    before = tree;
  }
  return made.length === 0 ? null : { made, tree: before };
}

function isLine(commits: readonly AgentCommit[], expectedHead: string): boolean {
  return commits.every(({ parents }, at) => {
    const before = at === 0 ? expectedHead : commits[at - 1]?.sha;
    return parents.length === 1 && parents[0] === before;
  });
}

interface Step {
  readonly sha: string;
  readonly tree: string;
  readonly before: string;
}

/** A size that a repository can have, names that git checks out, and nothing that is never staged. */
async function isFit(git: PrivateGitDir, { sha, tree, before }: Step): Promise<boolean> {
  try {
    await assertTreeFits(git, sha);
  } catch (error) {
    if (error instanceof TooLarge) return false;
    throw error;
  }
  if (!(await isTakenByIndex(git, tree))) return false;
  const { exitCode, stdout } = await git.try(['diff-tree', '-r', '-z', '--no-renames', before, tree]);
  if (exitCode !== 0) return false;
  // Each change is two fields: what it was and is, and its path.
  const fields = splitNul(stdout);
  if (fields.some((field, at) => at % 2 === 1 && git.isProtected(field))) return false;
  const blobs = fields.filter((_, at) => at % 2 === 0).map((change) => change.split(' ')[3] ?? '');
  return (
    (await sizeOf(
      git,
      blobs.filter((blob) => !/^0*$/.test(blob)),
    )) <= MAX_CHANGE_BYTES
  );
}

/** Unit: bytes; no number where one is not there. */
async function sizeOf(git: PrivateGitDir, blobs: readonly string[]): Promise<number> {
  if (blobs.length === 0) return 0;
  const sizes = await git.try(['cat-file', '--batch-check=%(objecttype) %(objectsize)'], {
    input: `${blobs.join('\n')}\n`,
  });
  const found = sizes.stdout.trim().split('\n');
  return found.reduce((sum, line) => sum + Number(/^(?:blob|commit) (\d+)$/.exec(line)?.[1] ?? Number.NaN), 0);
}

/** An index refuses names such as `.git` and `..`, and gives a tree back as git sorts it. */
async function isTakenByIndex(git: PrivateGitDir, tree: string): Promise<boolean> {
  const index = join(git.gitDir, `index.${randomUUID()}`);
  try {
    const env = { GIT_INDEX_FILE: index };
    // With a prefix the index remembers no tree of it, so that what is written is made from its entries.
    const read = await git.try(['read-tree', '--prefix=', tree], { env });
    if (read.exitCode !== 0) return false;
    const written = await git.try(['write-tree'], { env });
    return written.exitCode === 0 && written.stdout.trim() === tree;
  } finally {
    rmSync(index, { force: true });
  }
}

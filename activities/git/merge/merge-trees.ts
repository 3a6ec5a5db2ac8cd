/**
 * Merges two commits into a tree, without a checkout: `merge-tree` in a private git dir, which knows no merge driver (the repository's own config would start one), with
 * the attributes that a merge in a checkout of `ours` would read. It writes objects and no ref.
 */
import { cutMiddle, wholeHead } from '../../../config/system/cut-middle.js';
import { FALLBACK_IDENTITY } from '../inspect/config-snapshot.js';
import type { PrivateGitDir } from '../inspect/private-git-dir.js';
import { commitEnv } from '../run/commit.js';
import { decodeBytes } from '../start/byte-path.js';
import { GitError, splitNul } from '../start/run-git.js';
import { TooLarge } from '../start/too-large.js';
import { placeAttributes } from './base-attributes.js';
import { type MergeTreeOutput, parseMergeTree } from './merge-tree-output.js';

export interface MergeRequest {
  /** Where it is to land: its attributes count. */
  readonly ours: string;
  readonly theirs: string;
  /** A commit whose tree is the base of the merge, whatever the history says; null: git finds the base. */
  readonly madeOn: string | null;
}

export interface Conflict {
  readonly kind: 'conflict';
  /** For people, by name: at most `MAX_FILES`, each cut. */
  readonly files: readonly string[];
  /** Of all. */
  readonly fileCount: number;
  /** What git says of the first one. */
  readonly why: string;
}

export type TreeMerge =
  | { readonly kind: 'merged'; readonly tree: string }
  | Conflict
  /** Nothing that both come from is known here: another history, or one that a shallow clone cuts off. */
  | { readonly kind: 'unrelated' };

const MAX_FILES = 50;

/** Unit: bytes of a name, and of what git says of it. */
const MAX_NAME_BYTES = 200;
const MAX_WHY_BYTES = 500;

/** Some 200 bytes for each file that both sides changed. */
const LIMITS = { maxBytes: 64 * 1024 * 1024, limitMs: 5 * 60_000 };

/** Drivers that git has built in, and what it says of a path without one (gitattributes.txt). Any other it takes for text where its config names no program. */
const OF_GIT: ReadonlySet<string> = new Set(['unspecified', 'set', 'unset', 'text', 'binary', 'union']);

/** So that the same three commits come out again. */
const AT = '1970-01-01T00:00:00Z';

/** Errors: `TooLarge`; `GitError` for what git cannot read, such as objects that a partial clone left behind. */
export async function mergeTrees(git: PrivateGitDir, request: MergeRequest): Promise<TreeMerge> {
  const read = await readMerge(git, request);
  if (read.kind === 'unrelated') return read;
  const { output, isClean, place } = read;
  if (!isClean) return conflictOf(output.conflicted, output.complaint ?? 'git names a conflict');
  return (await findDriver(git, output, place)) ?? { kind: 'merged', tree: output.tree };
}

export type ReadMerge =
  | { readonly kind: 'unrelated' }
  | { readonly kind: 'read'; readonly isClean: boolean; readonly output: MergeTreeOutput; readonly place: MergePlace };

interface MergePlace {
  readonly cwd: string;
  readonly workTree: string;
  readonly encoding: 'latin1';
}

/** What git itself makes of it, with conflicts as markers in the tree. Errors: as of `mergeTrees`. */
export async function readMerge(git: PrivateGitDir, request: MergeRequest): Promise<ReadMerge> {
  const folder = await placeAttributes(git, request.ours);
  const { ours, theirs } = request.madeOn === null ? request : await stateBase(git, request, request.madeOn);
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ours, theirs];
  const place = { cwd: folder, workTree: folder, encoding: 'latin1' } as const;
  const result = await git.try(args, { ...place, limits: LIMITS });
  if (result.limit === 'output')
    throw new TooLarge(`git says more than ${LIMITS.maxBytes} bytes of the merge of ${ours} and ${theirs}`);
  if (result.exitCode > 1) {
    if (await areUnrelated(git, ours, theirs)) return { kind: 'unrelated' };
    throw new GitError(args, result);
  }
  const output = parseMergeTree(result.stdout);
  if (output === null) throw new Error('git merge-tree printed what it prints of no merge');
  return { kind: 'read', isClean: result.exitCode === 0, output, place };
}

/** Git before 2.40 cannot be told the base of a merge, but finds that of two commits. */
async function stateBase(git: PrivateGitDir, { ours, theirs }: MergeRequest, madeOn: string) {
  const env = commitEnv({ identity: FALLBACK_IDENTITY, claimedAt: AT });
  const commit = async (of: string, ...parents: readonly string[]) =>
    (await git.run(['commit-tree', `${of}^{tree}`, ...parents, '-m', 'base of a merge'], { env })).trim();
  const base = await commit(madeOn);
  const [one, other] = await Promise.all([ours, theirs].map((of) => commit(of, '-p', base)));
  if (one === undefined || other === undefined) throw new Error('two commits were asked for');
  return { ours: one, theirs: other };
}

/** Exit 1 says so; it also says it, but not silently, where a commit in between cannot be read. */
async function areUnrelated(git: PrivateGitDir, ours: string, theirs: string): Promise<boolean> {
  const { exitCode, stderr } = await git.try(['merge-base', ours, theirs]);
  return exitCode === 1 && stderr === '';
}

/** A file that both sides changed, and that only a program of the person's can merge. */
async function findDriver(
  git: PrivateGitDir,
  { contentMerged }: MergeTreeOutput,
  place: MergePlace,
): Promise<Conflict | null> {
  if (contentMerged.length === 0) return null;
  const input = contentMerged.map((path) => `${path}\0`).join('');
  const fields = splitNul(await git.run(['check-attr', '-z', '--stdin', 'merge'], { ...place, input }));
  const foreign = contentMerged.filter((_, index) => !OF_GIT.has(fields[index * 3 + 2] ?? ''));
  if (foreign.length === 0) return null;
  const driver = fields[contentMerged.indexOf(foreign[0] ?? '') * 3 + 2] ?? '';
  return conflictOf(foreign, `only the merge driver ${JSON.stringify(driver)} merges it, which is not started here`);
}

function conflictOf(paths: readonly string[], why: string): Conflict {
  const files = [...new Set(paths)].sort();
  return {
    kind: 'conflict',
    files: files.slice(0, MAX_FILES).map(nameOf),
    fileCount: files.length,
    why: cutMiddle(decodeBytes(why), MAX_WHY_BYTES),
  };
}

/** Cut in its middle it would have two lines. */
function nameOf(path: string): string {
  if (path.length <= MAX_NAME_BYTES) return decodeBytes(path);
  return `${wholeHead(Buffer.from(path, 'latin1').subarray(0, MAX_NAME_BYTES))}…`;
}

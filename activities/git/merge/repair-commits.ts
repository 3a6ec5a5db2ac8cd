/**
 * The commits of a repair. It begins at what a base and a head come to, conflicts as markers in the files: a merge commit, so that the change of the run that begins there is against the
 * base. What lands of it is made anew from its tree with the parents of that merge: no commit with markers reaches the base, and the head that was repaired is in its history.
 */
import type { PrivateGitDir } from '../inspect/private-git-dir.js';
import { commitEnv } from '../run/commit.js';
import { decodeBytes } from '../start/byte-path.js';
import { splitNul } from '../start/run-git.js';
import { type MergeRequest, readMerge } from './merge-trees.js';

export type RepairStart =
  | { readonly kind: 'start'; readonly commit: string; readonly conflicted: readonly string[] }
  | { readonly kind: 'unrelated' };

type Sides = Pick<MergeRequest, 'ours' | 'theirs'>;

/** ISO; `at` makes the same commit come out again. Errors: as of `mergeTrees`. */
export async function makeRepairStart(git: PrivateGitDir, { ours, theirs }: Sides, at: string): Promise<RepairStart> {
  const read = await readMerge(git, { ours, theirs, madeOn: null });
  if (read.kind === 'unrelated') return read;
  const { tree, conflicted } = read.output;
  const args = ['commit-tree', tree, '-p', ours, '-p', theirs, '-m', 'What both sides come to, before it is repaired'];
  const commit = await git.run(args, { env: commitEnv({ identity: git.identity, claimedAt: at }) });
  return { kind: 'start', commit: commit.trim(), conflicted };
}

/** The head itself, where the run did not begin at such a merge. `message`: of the commit that lands. */
export async function remakeHead(
  git: PrivateGitDir,
  { head, start, message, at }: { head: string; start: string | null; message: string; at: string },
): Promise<string> {
  const parents = start === null ? [] : await parentsOf(git, start);
  return parents.length === 2 ? commitAnew(git, { head, parents, message, at }) : head;
}

/** The tree of a head with other parents. The same request makes the same commit. */
export async function commitAnew(
  git: PrivateGitDir,
  { head, parents, message, at }: { head: string; parents: readonly string[]; message: string; at: string },
): Promise<string> {
  const args = ['commit-tree', `${head}^{tree}`, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  const env = commitEnv({ identity: git.identity, claimedAt: at });
  return (await git.run(args, { input: message, env })).trim();
}

async function parentsOf(git: PrivateGitDir, commit: string): Promise<readonly string[]> {
  const line = await git.run(['rev-list', '--parents', '--max-count=1', commit, '--']);
  return line.trim().split(' ').slice(1);
}

/** `why` is one clause. */
export interface Unresolved {
  readonly why: string;
  readonly files: readonly string[];
}

/** An attribute, `conflict-marker-size`, may make them longer. */
const MARKERS = /^(?:<{7,}|>{7,}|\|{7,})(?: |$)/m;

/** What of a resolved conflict a person must look at; null: nothing. Errors: as of `mergeTrees`. */
export async function findUnresolved(
  git: PrivateGitDir,
  { start, head }: { readonly start: string; readonly head: string },
): Promise<Unresolved | null> {
  const [ours, theirs] = await parentsOf(git, start);
  if (ours === undefined || theirs === undefined) return null;
  const read = await readMerge(git, { ours, theirs, madeOn: null });
  if (read.kind === 'unrelated' || read.isClean) return null;
  const conflicted = new Set(read.output.conflicted);
  const changed = await changedBetween(git, start, head);
  const others = [...changed.keys()].filter((path) => !conflicted.has(path));
  if (others.length > 0) return { why: 'it changed files that were not in conflict', files: others.map(decodeBytes) };
  const marked: string[] = [];
  for (const path of conflicted) if (await hasMarkers(git, changed.get(path))) marked.push(path);
  if (marked.length > 0) return { why: 'conflict markers are left', files: marked.map(decodeBytes) };
  const [fromOurs, fromTheirs] = [await changedBetween(git, ours, head), await changedBetween(git, theirs, head)];
  const oneSided = [...conflicted].filter((path) => !fromOurs.has(path) || !fromTheirs.has(path));
  return oneSided.length > 0 ? { why: 'nothing of one side is left', files: oneSided.map(decodeBytes) } : null;
}

/** What is there now, by path; null: nothing. Names are as git has them, a character a byte. */
async function changedBetween(
  git: PrivateGitDir,
  from: string,
  to: string,
): Promise<ReadonlyMap<string, string | null>> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to];
  const fields = splitNul(await git.run(args, { encoding: 'latin1' }));
  const changed = new Map<string, string | null>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const blob = (fields[at] ?? '').split(' ')[3] ?? '';
    changed.set(fields[at + 1] ?? '', /^0+$/.test(blob) ? null : blob);
  }
  return changed;
}

/** Undefined: it is as it was, with its markers. */
async function hasMarkers(git: PrivateGitDir, blob: string | null | undefined): Promise<boolean> {
  if (blob === undefined) return true;
  return blob !== null && MARKERS.test(await git.run(['cat-file', 'blob', blob], { encoding: 'latin1' }));
}

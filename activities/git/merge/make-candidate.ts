/**
 * Makes the commit that takes a head to its base: the head itself, a merge commit, or one or more on the base. It writes objects and no ref; the same request makes the same commit, so that a
 * second attempt may ask again. What the repository does not give, as a shallow or partial clone, is an answer too.
 */
import type { LandingMethod } from '../../../protocol/run/landing-policy.js';
import type { PrivateGitDir } from '../inspect/private-git-dir.js';
import { isSha } from '../refs/read-ref.js';
import { assertTreeFits, isKnownToFit, knowThatFits } from '../refs/tree-size.js';
import { commitEnv } from '../run/commit.js';
import type { Identity } from '../start/contract.js';
import { lastingTrouble } from '../start/lasting-trouble.js';
import { GitError } from '../start/run-git.js';
import { placeAttributes } from './base-attributes.js';
import { type MergeRequest, mergeTrees, type TreeMerge } from './merge-trees.js';
import { replayCommits } from './replay-commits.js';

export interface CandidateRequest extends MergeRequest {
  /** `squash`: one commit, with `ours` as its only parent. `rebase`: a line of commits on `ours`, or where that cannot be, one. */
  readonly method: LandingMethod;
  /** `theirs` is a merge commit that the engine itself made for it. */
  readonly isMade: boolean;
  readonly message: string;
  /** ISO; both times of a merge commit. */
  readonly claimedAt: string;
  readonly identity: Identity;
}

export type Candidate =
  | {
      readonly kind: 'made';
      readonly how: 'fast_forward' | LandingMethod;
      readonly commit: string;
      readonly tree: string;
    }
  /** `theirs` is an ancestor of `ours`, or `ours` itself. */
  | { readonly kind: 'present' }
  /** The merge has the tree of `ours`. */
  | { readonly kind: 'nothing' }
  | Exclude<TreeMerge, { readonly kind: 'merged' }>
  /** Trying again changes nothing: objects that are not there, or more than anybody's files. `why` is one clause. */
  | { readonly kind: 'refused'; readonly why: string };

/** Errors: those that may pass with time (lasting-trouble.ts). */
export async function makeCandidate(git: PrivateGitDir, request: CandidateRequest): Promise<Candidate> {
  // A name would be another commit by the next attempt, and may be an option.
  for (const id of [request.ours, request.theirs, request.madeOn])
    if (id !== null && !isSha(id)) return { kind: 'refused', why: `${JSON.stringify(id)} is no commit id` };
  try {
    return await make(git, request);
  } catch (error) {
    const why = lastingTrouble(error);
    if (why === null) throw error;
    return { kind: 'refused', why };
  }
}

async function make(git: PrivateGitDir, request: CandidateRequest): Promise<Candidate> {
  const { ours, theirs } = request;
  await assertTreeFits(git, theirs);
  const names = [`${ours}^{tree}`, `${theirs}^{tree}`, `${theirs}^@`];
  // The merge finds its attributes placed, or meets what kept them from it.
  const placed = placeAttributes(git, ours).catch(() => null);
  const [treeOfOurs, treeOfTheirs, first, ...more] = lines(await git.run(['rev-parse', ...names]));
  await placed;
  if (treeOfOurs === undefined || treeOfTheirs === undefined) throw new Error('two trees were asked for');
  // One commit on the base; or a merge that was made for it, of this very base and its head.
  const isWanted = more.length === 0 || (request.method === 'merge' && request.isMade);
  if (first === ours && isWanted)
    return treeOfTheirs === treeOfOurs
      ? { kind: 'nothing' }
      : { kind: 'made', how: 'fast_forward', commit: theirs, tree: treeOfTheirs };
  const merge = await mergeTrees(git, request);
  if (merge.kind !== 'merged') return merge;
  // What `ours` contains comes to its tree, and most of what comes here is new: only then is it looked for.
  if (merge.tree === treeOfOurs) return { kind: (await contains(git, request)) ? 'present' : 'nothing' };
  if (request.method === 'rebase') {
    const last = await replayCommits(git, { ...request, treeOfOurs, merged: merge.tree });
    if (last !== null)
      return { kind: 'made', how: last === theirs ? 'fast_forward' : 'rebase', commit: last, tree: merge.tree };
  }
  const how = request.method === 'merge' ? 'merge' : 'squash';
  const parents = how === 'squash' ? ['-p', ours] : ['-p', ours, '-p', theirs];
  const args = ['commit-tree', merge.tree, ...parents, '-F', '-'];
  const commit = await git.run(args, { input: request.message, env: commitEnv(request) });
  // Nothing else came to the base meanwhile: the next of it need not be asked how large it is.
  if (merge.tree === treeOfTheirs && isKnownToFit(theirs)) knowThatFits(commit.trim());
  return { kind: 'made', how, commit: commit.trim(), tree: merge.tree };
}

async function contains(git: PrivateGitDir, { ours, theirs }: MergeRequest): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', theirs, ours];
  const asked = await git.try(args);
  if (asked.exitCode > 1) throw new GitError(args, asked);
  return asked.exitCode === 0;
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

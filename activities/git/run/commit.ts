/**
 * Makes the engine's commit of a write turn: everything in the worktree, on the expected head, whatever the agent committed itself, or on the agent's own commits, made anew.
 * Its times come from the claim and its text from the caller and the agent's own commits, so that a second attempt makes the same
 * commit, byte for byte. It writes objects and the private index, no ref.
 */

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { printable } from '../../../protocol/text/printable.js';
import { SHAPES_ONLY } from '../../../protocol/text/value-redactor.js';
import { assertCommittable } from '../inspect/change-size.js';
import type { PrivateGitDir } from '../inspect/private-git-dir.js';
import { followRef, type HeadReading, readRef } from '../refs/read-ref.js';
import { knowTree, treeOf } from '../refs/tree-of.js';
import { knowThatFits } from '../refs/tree-size.js';
import type { Change, CommitRequest, FoldedCommit, Identity, PlannedCommit } from '../start/contract.js';
import { GitError, splitNul } from '../start/run-git.js';
import { WorktreeViolation } from '../start/worktree-violation.js';
import { hasStoodAt, type OwnWorktree, readOwnHead } from '../worktree/worktree-own-state.js';
import { listChanges } from './changes.js';
import { type AgentCommit, keepCommits } from './keep-commits.js';
import { outwaitSetBack } from './outwait-set-back.js';

/** More commits than a turn of an agent makes; a branch of somebody else's that it checked out may have thousands. */
const MAX_FOLDED = 50;

/** Whatever the agent's commits are (300 000 parents, a message of gigabytes), its turn does not wait longer for what they say; then none is folded. */
const LOG_LIMITS = { maxBytes: 4 * 1024 * 1024, limitMs: 60_000 };

/** Bytes of one folded message that go into the body. */
const MAX_MESSAGE_LENGTH = 2000;

const ADD_ALL = ['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'];

/** Null: the tree is that of the expected head; then nothing is to be published. */
export async function planCommit(
  git: PrivateGitDir,
  own: OwnWorktree,
  request: CommitRequest,
): Promise<PlannedCommit | null> {
  const changes = request.changes ?? (await listChanges(git));
  if (changes.length === 0) return null;
  await assertCommittable(git.workTree, changes);
  await outwaitSetBack(git.workTree, changes);
  await stage(git, changes);
  const [tree, headTree, agentWork] = await Promise.all([
    git.run(['write-tree']),
    treeOf(git, request.expectedHead),
    findAgentWork(git, own, request),
  ]);
  if (tree.trim() === headTree) return null;
  const { branchAt, commits } = agentWork;
  const kept = request.keeps === true ? await keepThem(git, commits, request) : null;
  const listed = commits.map(({ sha, message }) => ({ sha, message }));
  const folded = kept === null ? listed : [];
  const planned = { tree: tree.trim(), branchAt, folded, kept: kept === null ? [] : listed };
  const last = kept?.made.at(-1);
  // The agent committed all that there is.
  if (kept !== null && last !== undefined && kept.tree === planned.tree)
    return { ...planned, commit: last, parent: kept.made.at(-2) ?? request.expectedHead, made: kept.made };
  const parent = last ?? request.expectedHead;
  const commit = await makeCommit(git, request, { tree: planned.tree, parent, message: messageOf(request, folded) });
  knowThatFits(commit);
  return { ...planned, commit, parent, made: [...(kept?.made ?? []), commit] };
}

interface NewCommit {
  readonly tree: string;
  readonly parent: string;
  readonly message: string;
}

async function makeCommit(
  git: PrivateGitDir,
  request: Pick<CommitRequest, 'identity' | 'claimedAt'>,
  { tree, parent, message }: NewCommit,
): Promise<string> {
  const env = commitEnv({ identity: git.identity, ...request });
  const commit = (await git.run(['commit-tree', tree, '-p', parent, '-F', '-'], { input: message, env })).trim();
  knowTree(commit, tree);
  return commit;
}

function keepThem(git: PrivateGitDir, commits: readonly AgentCommit[], request: CommitRequest) {
  const { expectedHead, trailers = [] } = request;
  const commit = ({ message, ...made }: NewCommit) =>
    makeCommit(git, request, {
      ...made,
      message: textOf([message === '' ? 'no message' : message, trailers.join('\n')]),
    });
  return keepCommits(git, commits, { expectedHead, commit });
}

/** What decoding leaves of bytes that are no UTF-8. */
const LOST_BYTES = '\ufffd';

async function stage(git: PrivateGitDir, changes: readonly Change[]): Promise<void> {
  // Such a name cannot be given back: `--remove` would take it for a file that is gone, and the change would be lost. Git finds it itself.
  const hasLost = changes.some(({ path }) => path.includes(LOST_BYTES));
  const args = hasLost ? ADD_ALL : ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
  const names = hasLost ? [':/', ...git.protectedPathspecs()] : changes.map(({ path }) => path);
  const result = await git.try(args, { input: names.map((name) => `${name}\0`).join('') });
  if (result.exitCode === 0) return;
  // Git lists a nested repository as one folder and can stage it only once it has a commit (`git init` alone is enough for this).
  const nested = await firstFolder(git.workTree, changes);
  if (nested === null) throw new GitError(args, result);
  throw new WorktreeViolation(
    `${JSON.stringify(nested)} is a nested repository without a commit, whose files the run does not see`,
    [nested],
  );
}

async function firstFolder(workTree: string, changes: readonly Change[]): Promise<string | null> {
  for (const { path } of changes) {
    const found = await lstat(join(workTree, path)).catch(() => null);
    if (found?.isDirectory() === true) return path;
  }
  return null;
}

interface AgentWork {
  readonly branchAt: string | null;
  readonly commits: readonly AgentCommit[];
}

async function findAgentWork(git: PrivateGitDir, own: OwnWorktree, request: CommitRequest): Promise<AgentWork> {
  const { expectedHead } = request;
  const { commonDir } = own.repository;
  const [branch, head] = await Promise.all([readRef(commonDir, own.branchRef), readOwnHead(own)]);
  const movedHere = branch === null || branch === expectedHead || (await hasStoodAt(own, branch));
  // Only an agent makes its own branch a symbolic ref; git compares the value behind it.
  const branchAt = movedHere ? (branch ?? (await followRef(commonDir, own.branchRef))) : expectedHead;
  const headAt = await otherHead(own, head);
  const tips = [...new Set([branchAt, headAt])].filter((sha): sha is string => sha !== null && sha !== expectedHead);
  return { branchAt, commits: tips.length === 0 ? [] : await commitsSince(git, tips, request) };
}

/** A HEAD that the agent moved off the run's branch. */
async function otherHead({ repository, branchRef }: OwnWorktree, head: HeadReading): Promise<string | null> {
  if (head.kind === 'detached') return head.sha;
  return head.kind === 'branch' && head.ref !== branchRef ? readRef(repository.commonDir, head.ref) : null;
}

/** Oldest first. A tip that is no commit (an agent can write anything into its HEAD) has none. */
async function commitsSince(
  git: PrivateGitDir,
  tips: readonly string[],
  { expectedHead, claimedAt, redactor = SHAPES_ONLY }: CommitRequest,
): Promise<AgentCommit[]> {
  const limits = ['--topo-order', '--reverse', `--max-count=${MAX_FOLDED}`];
  const { exitCode, stdout } = await git.try(
    ['log', '-z', '--format=%H %T %ct %P%n%B', ...limits, ...tips, '--not', expectedHead, '--'],
    {
      limits: LOG_LIMITS,
    },
  );
  if (exitCode !== 0) return [];
  const claimed = epochSeconds(claimedAt);
  return splitNul(stdout).flatMap((record) => {
    const end = record.indexOf('\n');
    const [sha = '', tree = '', committed = '', ...parents] = record.slice(0, end).trim().split(' ');
    // Redacted before it is cut: half a token has no shape.
    const message = redactor.text(record.slice(end + 1).trim()).slice(0, MAX_MESSAGE_LENGTH);
    return Number(committed) < claimed ? [] : [{ sha, tree, parents, message }];
  });
}

function messageOf({ subject, body, trailers = [] }: CommitRequest, folded: readonly FoldedCommit[]): string {
  const parts = [subject.replace(/\s+/g, ' ').trim(), body.trim()];
  if (folded.length > 0)
    parts.push('Commits of the agent that are part of this one:', ...folded.map(({ message }) => message));
  parts.push(trailers.join('\n'));
  return textOf(parts);
}

/** Whoever reads it in a terminal is steered by nothing of it. */
function textOf(parts: readonly string[]): string {
  const text = parts.filter((part) => part !== '').join('\n\n');
  return `${printable(text.replaceAll('\0', ''))}\n`;
}

/** Whose name and times a commit bears. */
export function commitEnv({
  identity,
  claimedAt,
}: {
  readonly identity: Identity;
  /** ISO. */
  readonly claimedAt: string;
}): Record<string, string> {
  const date = `@${epochSeconds(claimedAt)} +0000`;
  return {
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
    GIT_COMMITTER_DATE: date,
  };
}

function epochSeconds(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}

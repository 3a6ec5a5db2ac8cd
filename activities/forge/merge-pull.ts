/**
 * Merges a pull request that was looked at, or gives it to the forge's own queue. What came of it is read back and told by its state alone: an error may come after the work, and one
 * status has several meanings.
 */
import type { PullDecision } from '../../protocol/actors/decide-pull.js';
import type { ForgeTrouble, PullState } from '../../protocol/actors/forge.js';
import type { LandingMethod } from '../../protocol/run/landing-policy.js';
import { type AtForge, write } from './at-forge.js';
import type { ForgeAnswer } from './forge-client.js';
import { lookUntil, type Seen } from './look-at-pull.js';
import { findObstacle } from './pull-stand.js';

const ENQUEUE = `mutation Enqueue($id: ID!, $head: GitObjectID!) {
  done: enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { mergeQueueEntry { position } }
}`;

const DEQUEUE = `mutation Dequeue($id: ID!) {
  done: dequeuePullRequest(input: { id: $id }) { mergeQueueEntry { position } }
}`;

interface PullMerge {
  readonly head: string;
  readonly base: string;
  readonly method: LandingMethod;
  /** Of the commit that the forge makes: a title, an empty line, the rest. */
  readonly message: string;
}

type MergedPull =
  | { readonly kind: 'merged'; readonly pull: PullState }
  /** It is not what may be merged, or the forge's own queue merges it. */
  | { readonly kind: 'not_ready'; readonly pull: PullState; readonly obstacle: PullDecision }
  | ForgeTrouble;

export async function mergePull(
  at: AtForge,
  seen: Extract<Seen, { readonly kind: 'seen' }>,
  merge: PullMerge,
): Promise<MergedPull> {
  const { number } = seen.pull;
  // What it has not worked out yet the forge refuses.
  const before = seen.pull.mergeable === 'unknown' ? await lookUntil(at, number, isWorkedOut) : seen;
  if (before.kind !== 'seen') return before;
  const ended = endOf(before.pull, merge);
  if (ended !== null) return ended;
  if (!isWorkedOut(before.pull)) return UNKNOWN;
  const said = await write(at, () =>
    before.pull.queue === 'off' ? askToMerge(at, number, merge) : enqueue(at, before.nodeId, merge.head),
  );
  const isDone = said.kind === 'answer';
  const after = await lookUntil(at, number, (now) => !isDone || endOf(now, merge) !== null);
  if (after.kind !== 'seen') return isDone ? after : said;
  const now = endOf(after.pull, merge);
  if (now !== null) return now;
  return isDone ? NOT_SHOWN : said;
}

const UNKNOWN: ForgeTrouble = {
  kind: 'unreachable',
  why: 'the forge has not worked out yet whether it merges',
};

const NOT_SHOWN: ForgeTrouble = {
  kind: 'unreachable',
  why: 'the forge said that it was done, and shows nothing of it',
};

function isWorkedOut({ state, mergeable }: PullState): boolean {
  return state !== 'open' || mergeable !== 'unknown';
}

/** Null: it may be merged, and is not. */
function endOf(pull: PullState, merge: PullMerge): MergedPull | null {
  const obstacle = findObstacle(pull, merge);
  if (obstacle === null) return null;
  return obstacle.kind === 'merged' ? { kind: 'merged', pull } : { kind: 'not_ready', pull, obstacle };
}

function askToMerge({ client, owner, name: repo }: AtForge, number: number, merge: PullMerge): Promise<ForgeAnswer> {
  const route = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge';
  const [title = '', ...rest] = merge.message.trim().split('\n');
  const message = { commit_title: title, commit_message: rest.join('\n').trim() };
  const asked = { owner, repo, pull_number: number, sha: merge.head, merge_method: merge.method, ...message };
  return client.rest(route, asked);
}

function enqueue({ client }: AtForge, id: string, head: string): Promise<ForgeAnswer> {
  return client.graphql(ENQUEUE, { id, head });
}

/** Takes one back that the forge's own queue has; answers it as it is without that. Idempotency: what is not there is left alone. */
export async function dequeue(at: AtForge, number: number): Promise<Seen> {
  const seen = await lookUntil(at, number, () => true);
  if (seen.kind !== 'seen') return seen;
  if (seen.pull.queue !== 'in') return seen;
  const { nodeId } = seen;
  const said = await write(at, () => at.client.graphql(DEQUEUE, { id: nodeId }));
  const isDone = said.kind === 'answer';
  const after = await lookUntil(at, number, ({ queue }) => !isDone || queue !== 'in');
  if (after.kind !== 'seen') return isDone ? after : said;
  if (after.pull.queue !== 'in') return after;
  return isDone ? NOT_SHOWN : said;
}

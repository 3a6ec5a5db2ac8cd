/**
 * Merges a pull request where it is what may be merged, or gives it to the forge's own queue. What came of it is read back and told by its state alone: an error may come after the work, and one
 * status has several meanings. Idempotency: what is merged or queued already is answered so.
 */
import { decidePull } from '../../protocol/actors/decide-pull.js';
import type { MergePullInput, MergePullResult, PullState } from '../../protocol/actors/forge.js';
import { type AtForge, atForge, type ForgeDeps, write } from './at-forge.js';
import type { ForgeAnswer } from './forge-client.js';
import { lookUntil } from './look-at-pull.js';

const ENQUEUE = `mutation Enqueue($id: ID!, $head: GitObjectID!) {
  done: enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { mergeQueueEntry { position } }
}`;

export function createMergePull(deps: ForgeDeps): (input: MergePullInput) => Promise<MergePullResult> {
  return (input) => atForge<MergePullResult>(deps, input, (at) => mergePull(at, input));
}

async function mergePull(at: AtForge, input: MergePullInput): Promise<MergePullResult> {
  const before = await lookUntil(at, input.number, () => true);
  if (before.kind !== 'seen') return before;
  const { pull, nodeId } = before;
  const ended = endOf(pull);
  if (ended !== null) return ended;
  const { head, base } = input;
  // Whether checks are late is nobody's question here.
  const never = { since: '1970-01-01T00:00:00Z', now: '1970-01-01T00:00:00Z', checksTimeoutMs: 1 };
  if (decidePull(pull, { head, base, ...never }).kind !== 'ready') return { kind: 'not_ready', pull };
  const said = await write(at, () => (pull.queue === 'off' ? merge(at, input) : enqueue(at, nodeId, head)));
  const isDone = said.kind === 'answer';
  const after = await lookUntil(at, input.number, (now) => !isDone || endOf(now) !== null);
  if (after.kind !== 'seen') return isDone ? after : said;
  const now = endOf(after.pull);
  if (now !== null) return now;
  if (after.pull.head !== head || after.pull.state !== 'open') return { kind: 'not_ready', pull: after.pull };
  return isDone ? { kind: 'unreachable', why: 'the forge said that it was done, and shows nothing of it' } : said;
}

function endOf(pull: PullState): MergePullResult | null {
  if (pull.state === 'merged') return { kind: 'merged', commit: pull.mergeCommit };
  return pull.state === 'open' && pull.queue === 'in' ? { kind: 'queued' } : null;
}

function merge({ client, owner, name: repo }: AtForge, { number, head, method }: MergePullInput): Promise<ForgeAnswer> {
  const route = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge';
  return client.rest(route, { owner, repo, pull_number: number, sha: head, merge_method: method });
}

function enqueue({ client }: AtForge, id: string, head: string): Promise<ForgeAnswer> {
  return client.graphql(ENQUEUE, { id, head });
}

/**
 * Makes true that the head of a run is on its branch of the forge and that one pull request shows it. Found before it is made: by its number, else by its head, compared with branch and repository,
 * since a filter can answer others. Idempotency: a repeat finds what the first made, whatever became of its answers. A person's branch, title and text stay.
 */

import { join } from 'node:path';
import type { EnsurePullInput, EnsurePullResult, ForgeTrouble, PullState } from '../../protocol/actors/forge.js';
import { baseRefOf } from '../../protocol/actors/merge-queue.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import { pushedRefOf } from '../../protocol/names.js';
import { type Fields, fieldsOf, nameIn, timeIn } from '../../protocol/text/fields.js';
import { fetchBranch, pushBranch, readRemoteBranch } from '../git/forge/forge-git.js';
import type { PrivateGitDir } from '../git/inspect/private-git-dir.js';
import { openQueueGit } from '../git/merge/open-queue-git.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { readRef } from '../git/refs/read-ref.js';
import { moveRefs } from '../git/refs/run-branch.js';
import { landingOf } from '../landing/find-base.js';
import { ownTitle } from '../landing/landing-message.js';
import { commonWith, headToLand, mendedToLand } from '../landing/plan-repair.js';
import { readRunOfQueue } from '../landing/queue-place.js';
import type { RunOnHost } from '../unit/run-record.js';
import { answerReviews } from './answer-reviews.js';
import { type AtForge, askAgain, atForge, type ForgeDeps, isSince, write } from './at-forge.js';
import { addressIn } from './pull-query.js';
import { pullBody, pullTitle, type ToldRun } from './pull-text.js';
import { tellOfRun } from './told-run.js';

/** One as REST shows it. */
interface ListedPull {
  readonly number: number;
  readonly nodeId: string;
  readonly url: string;
  readonly head: string;
  readonly base: string | null;
  readonly state: PullState['state'];
  readonly isDraft: boolean;
  readonly body: string;
  readonly labels: readonly string[];
  readonly updatedAt: string;
}

type Shown = Extract<EnsurePullResult, { readonly kind: 'pull' }>;

type Found = { readonly kind: 'found'; readonly pull: ListedPull | null } | ForgeTrouble;

/** What was pushed, and how old an answer may be. */
interface Known extends Pick<EnsurePullInput, 'notBefore'> {
  readonly head: string;
}

type Made = { readonly kind: 'found'; readonly pull: ListedPull } | ForgeTrouble;

/** Says what the forge cannot show otherwise. */
const DRAFT_LABEL = 'draft';

const MARK_READY = `mutation MarkReady($id: ID!) {
  done: markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

export function createEnsurePull(deps: ForgeDeps): (input: EnsurePullInput) => Promise<EnsurePullResult> {
  return (input) => atForge<EnsurePullResult>(deps, input, (at) => ensurePull(at, input));
}

async function ensurePull(at: AtForge, input: EnsurePullInput): Promise<EnsurePullResult> {
  const { run, remote } = at;
  // Somebody else's commit is only there, and lands from here.
  const isTheirs = input.head !== null && input.head === input.pushed;
  const head = isTheirs ? input.head : await headOf(at, input);
  if (head === null) return { kind: 'refused', why: `the run ${input.headRunId} has no change that could be shown` };
  const { branch, repository } = run.record;
  const git = await forgeGitOf(run);
  // Of an empty repository what is pushed first would be its default branch.
  if (input.number === null && input.pushed === null) {
    const base = await readRemoteBranch(git, remote, input.base);
    if (base.kind !== 'read') return base;
    if (base.at === null) return { kind: 'gone', why: `there is no branch ${input.base} in ${remote.repo}` };
  }
  if (isTheirs) {
    const fetched = await fetchBranch(git, remote, { branch, have: run.record.baseSha });
    if (fetched.kind !== 'fetched') return fetched;
    if (fetched.at !== head) return { kind: 'pushed_by_other', at: fetched.at };
    await moveRefs(repository, [{ ref: pushedRefOf(input.headRunId), to: head }], { identity: null });
  }
  const from = input.pushed === null ? await readFormer(at, git, head) : ({ kind: 'read', at: input.pushed } as const);
  if (from.kind !== 'read') return from;
  const pushed = await pushBranch(git, remote, { branch, from: from.at, to: head });
  if (pushed.kind === 'moved_by_other') return { kind: 'pushed_by_other', at: pushed.at };
  if (pushed.kind !== 'pushed') return pushed;
  const result = await show(at, input, head);
  return result.kind === 'pull' ? result : { ...result, pushed: head };
}

/** What a former run of the task left on the branch; null: nothing that may be replaced. A fast-forward loses nobody's commit, whoever pushed it. */
async function readFormer(
  { remote, run }: AtForge,
  git: PrivateGitDir,
  head: string,
): Promise<Awaited<ReturnType<typeof readRemoteBranch>>> {
  const { branch, repository } = run.record;
  const tip = await readRemoteBranch(git, remote, branch);
  if (tip.kind !== 'read' || tip.at === null) return tip;
  return (await readAncestry(repository, tip.at, head)) === 'ancestor' ? tip : { kind: 'read', at: null };
}

async function show(at: AtForge, input: EnsurePullInput, head: string): Promise<Shown | ForgeTrouble> {
  const made = await findOrMake(at, input, head);
  if (made.kind !== 'found') return made;
  if (made.pull.state !== 'open') return shown(made.pull, head);
  const told = await tellAndLabel(at, input, made.pull);
  if (told.kind !== 'found') return told;
  const marked = await mark(at, input, told.pull);
  if (marked.kind !== 'found') return marked;
  const { headRunId, repoKey, answers } = input;
  const unanswered = await answerReviews(at, { headRunId, repoKey, answers, number: marked.pull.number, head });
  return unanswered ?? { ...shown(marked.pull, head), isDraft: input.isDraft && marked.pull.isDraft };
}

function shown({ number, url, state, isDraft, updatedAt }: ListedPull, head: string): Shown {
  return { kind: 'pull', number, url, head, state, isDraft, updatedAt };
}

/** A git dir of this run's own. */
function forgeGitOf({ record, stateDir }: RunOnHost): Promise<PrivateGitDir> {
  return openQueueGit({ repository: record.repository, folder: join(stateDir, 'forge') });
}

/** By the server's word, as that of any head that lands; what a repair made, or somebody mended of it, is shown as it lands. */
async function headOf(at: AtForge, input: EnsurePullInput): Promise<string | null> {
  const { run, policy } = at;
  const git = await forgeGitOf(run);
  const { record, source } = await answeredHead(at, input);
  const head = source?.head ?? null;
  if (input.head === null) return head === null ? null : headToLand(git, record, head);
  const queue = { repoKey: policy.repo.toLowerCase(), branch: input.base };
  const on = await readRef(record.repository.commonDir, baseRefOf(queue));
  const base = on === null ? null : await commonWith(git, on, input.head);
  return head === null || base === null ? null : mendedToLand(git, record, { named: input.head, head, base });
}

/** `source` null: it ended without an answer. */
async function answeredHead({ deps, run, source, verdict }: AtForge, { repoKey, runId, headRunId }: EnsurePullInput) {
  if (headRunId === runId) return { record: run.record, source, verdict };
  const { record } = readRunOfQueue(deps.home, { repoKey, runId: headRunId });
  const answer = await deps.readAnswer(record.workflowId);
  const told = answer.kind === 'answer' ? answer.result : { source: null, verdict: null };
  return { record, source: told.source, verdict: told.verdict };
}

/** Of the head that lands, which a repair may have made. */
async function tellOfHead(at: AtForge, input: EnsurePullInput): Promise<ToldRun> {
  const { source, verdict } = await answeredHead(at, input);
  return tellOfRun(source === null ? at : { ...at, source, verdict });
}

async function findOrMake(at: AtForge, input: EnsurePullInput, head: string): Promise<Made> {
  const { number, notBefore } = input;
  const there = await askAgain<Found>(at, {
    ask: () => (number === null ? find(at, input, head) : read(at, number)),
    isNews: (answer) => answer.kind !== 'found' || isNewsOf(answer.pull, { head, notBefore }),
  });
  if (there.kind !== 'found') return there;
  if (isBehind(there.pull, head)) return { kind: 'unreachable', why: 'the forge does not show yet what was pushed' };
  if (there.pull !== null) return { kind: 'found', pull: there.pull };
  const made = await make(at, input, input.isDraft);
  if (made.kind !== 'refused') return made;
  // It is there and the list was of before, or there is another reason that asking again does not change.
  const now = await askAgain<Found>(at, {
    ask: () => find(at, input, head),
    isNews: (answer) => answer.kind !== 'found' || answer.pull !== null,
  });
  if (now.kind !== 'found') return now;
  if (now.pull !== null) return { kind: 'found', pull: now.pull };
  if (!input.isDraft) return made;
  const ready = await make(at, input, false);
  // The first refusal says why; what may pass is waited for.
  return ready.kind === 'refused' ? made : ready;
}

function isNewsOf(pull: ListedPull | null, { head, notBefore }: Known): boolean {
  return !isBehind(pull, head) && (pull === null || isSince(pull.updatedAt, notBefore));
}

/** A forge takes note of a push a while later; by what it shows until then somebody else would have pushed our former head. */
function isBehind(pull: ListedPull | null, head: string): boolean {
  return pull !== null && pull.state === 'open' && pull.head !== head;
}

/** An open one of our branch, else the newest that ended with this very head at this very base: merged elsewhere, it is not here. */
async function find(
  { client, owner, name: repo, policy, run }: AtForge,
  { base }: EnsurePullInput,
  head: string,
): Promise<Found> {
  const { branch } = run.record;
  const asked = { owner, repo, head: `${owner}:${branch}`, state: 'all', per_page: 100 };
  const answer = await client.rest('GET /repos/{owner}/{repo}/pulls', asked);
  if (answer.kind !== 'answer') return answer;
  const all = (Array.isArray(answer.data) ? answer.data : []).map(fieldsOf).filter((fields) => {
    const { ref, repo: from } = fieldsOf(fields['head']);
    const name = nameIn(fieldsOf(from), 'full_name') ?? '';
    return ref === branch && name.toLowerCase() === policy.repo.toLowerCase();
  });
  const pulls = all.map(readListed).filter((pull) => pull !== null);
  const open = pulls.find(({ state }) => state === 'open');
  return { kind: 'found', pull: open ?? pulls.find((pull) => pull.head === head && pull.base === base) ?? null };
}

async function read({ client, owner, name: repo }: AtForge, number: number): Promise<Found> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  return pullIn(await client.rest(route, { owner, repo, pull_number: number }));
}

async function make(at: AtForge, input: EnsurePullInput, draft: boolean): Promise<Made> {
  const { base, runId: id, headRunId } = input;
  const { client, owner, name: repo, run } = at;
  const { branch } = run.record;
  const plain = titleOf(run.record.input);
  const title = pullTitle(ownTitle(landingOf(run.record).title, { id, title: plain, run: headRunId }) || plain);
  const body = pullBody('', await tellOfHead(at, input));
  const asked = { owner, repo, title, head: branch, base, body, draft };
  return pullIn(await write(at, () => client.rest('POST /repos/{owner}/{repo}/pulls', asked)));
}

/** Only what differs is written. */
async function tellAndLabel(at: AtForge, input: EnsurePullInput, pull: ListedPull): Promise<Made> {
  const { client, owner, name: repo, policy } = at;
  const body = pullBody(pull.body, await tellOfHead(at, input));
  let now = pull;
  if (body !== pull.body) {
    const route = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';
    const asked = { owner, repo, pull_number: pull.number, body };
    const changed = pullIn(await write(at, () => client.rest(route, asked)));
    if (changed.kind !== 'found') return changed;
    now = changed.pull;
  }
  const isUnmarked = input.isDraft && !pull.isDraft && input.wasDraft === null;
  const wanted = isUnmarked ? [...policy.labels, DRAFT_LABEL] : policy.labels;
  const labels = wanted.filter((label) => !pull.labels.some((has) => has.toLowerCase() === label.toLowerCase()));
  if (labels.length === 0) return { kind: 'found', pull: now };
  const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
  const asked = { owner, repo, issue_number: pull.number, labels };
  const answer = await write(at, () => client.rest(route, asked));
  return answer.kind === 'answer' ? { kind: 'found', pull: now } : answer;
}

/** After a look: what is ready needs no word, and a repeat would be refused. A draft that a person made of it stays one; nothing that is ready is made a draft, for only a person can have made it ready. */
async function mark(at: AtForge, input: EnsurePullInput, pull: ListedPull): Promise<Made> {
  if (input.isDraft || !pull.isDraft || input.wasDraft === false) return { kind: 'found', pull };
  const answer = await write(at, () => at.client.graphql(MARK_READY, { id: pull.nodeId }));
  const now = await read(at, pull.number);
  if (now.kind !== 'found') return now;
  if (now.pull === null) return { kind: 'gone', why: `there is no pull request ${pull.number}` };
  return !now.pull.isDraft || answer.kind === 'answer' ? { kind: 'found', pull: now.pull } : answer;
}

function pullIn(answer: { readonly kind: 'answer'; readonly data: unknown } | ForgeTrouble): Made {
  if (answer.kind !== 'answer') return answer;
  const pull = readListed(fieldsOf(answer.data));
  return pull === null
    ? { kind: 'unreachable', why: 'the forge answered what is no pull request' }
    : { kind: 'found', pull };
}

function readListed(fields: Fields): ListedPull | null {
  const [nodeId, url] = [nameIn(fields, 'node_id'), addressIn(fields, 'html_url')];
  const head = nameIn(fieldsOf(fields['head']), 'sha');
  const updatedAt = timeIn(fields, 'updated_at');
  const { number, state, body, draft, labels } = fields;
  if (nodeId === null || url === null || head === null || updatedAt === null || typeof number !== 'number') return null;
  // A list says when it was merged, one alone whether.
  const isMerged = fields['merged'] === true || nameIn(fields, 'merged_at') !== null;
  return {
    number,
    nodeId,
    url,
    head,
    updatedAt,
    isDraft: draft === true,
    base: nameIn(fieldsOf(fields['base']), 'ref'),
    state: isMerged ? 'merged' : state === 'open' ? 'open' : 'closed',
    body: typeof body === 'string' ? body : '',
    labels: (Array.isArray(labels) ? labels : []).flatMap((label) => nameIn(fieldsOf(label), 'name') ?? []),
  };
}

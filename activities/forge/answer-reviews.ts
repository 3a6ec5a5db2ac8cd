/**
 * Tells a review, once, that a run took it up, and what that run says of it: one comment with a mark of its own, found before it is made. What a forge did twice of one request is taken
 * back, and that it lets nobody write there holds up no landing.
 */
import { join } from 'node:path';
import { readForeignFileSync, textOf } from '../../config/system/foreign-file.js';
import type { DueAnswer, EnsurePullInput, ForgeTrouble } from '../../protocol/actors/forge.js';
import { fieldsOf, nameIn } from '../../protocol/text/fields.js';
import { readRunOfQueue } from '../landing/queue-place.js';
import { redactorOf } from '../unit/run-redactor.js';
import { type AtForge, write } from './at-forge.js';
import { nodesOf } from './pull-query.js';
import { answerMark, answerText } from './pull-text.js';

const PULL_ANSWERS = `query PullAnswers($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { comments(last: 100) { nodes { id body viewerDidAuthor } } }
  }
}`;

const DROP_COMMENT = `mutation DropComment($id: ID!) {
  done: deleteIssueComment(input: { id: $id }) { clientMutationId }
}`;

interface Answer {
  readonly id: string;
  readonly body: string;
}

type Seen = { readonly kind: 'seen'; readonly answers: readonly Answer[] } | ForgeTrouble;

interface ToAnswer extends Pick<EnsurePullInput, 'headRunId' | 'repoKey' | 'answers'> {
  readonly number: number;
  readonly head: string;
}

/** Null: all are answered, as far as the forge lets us. */
export async function answerReviews(at: AtForge, due: ToAnswer): Promise<ForgeTrouble | null> {
  if (due.answers.length === 0) return null;
  const trouble = await answerAll(at, due);
  return trouble?.kind === 'limited' || trouble?.kind === 'unreachable' ? trouble : null;
}

async function answerAll(at: AtForge, due: ToAnswer): Promise<ForgeTrouble | null> {
  const { client, owner, name: repo } = at;
  const before = await seeAnswers(at, due.number);
  if (before.kind !== 'seen') return before;
  const missing = due.answers.filter((one) => answersTo(before.answers, one).length === 0);
  const told = missing.length === 0 ? null : readResponses(at, due);
  for (const { key, by } of missing) {
    const body = answerText({ key, by, runId: due.headRunId, head: due.head, told });
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const said = await write(at, () => client.rest(route, { owner, repo, issue_number: due.number, body }));
    if (said.kind !== 'answer') return said;
  }
  return dropSurplus(at, due);
}

/** A proxy may have sent a request twice, or an answer was lost and asked for again. */
async function dropSurplus(at: AtForge, { number, answers }: ToAnswer): Promise<ForgeTrouble | null> {
  const after = await seeAnswers(at, number);
  if (after.kind !== 'seen') return after;
  for (const { id } of answers.flatMap((one) => answersTo(after.answers, one).slice(1))) {
    const dropped = await write(at, () => at.client.graphql(DROP_COMMENT, { id }));
    if (dropped.kind !== 'answer') return dropped;
  }
  return null;
}

/** The oldest first. */
function answersTo(answers: readonly Answer[], { key }: DueAnswer): readonly Answer[] {
  return answers.filter(({ body }) => body.startsWith(answerMark(key)));
}

/** Only our own: anybody can write a mark. */
async function seeAnswers({ client, owner, name }: AtForge, number: number): Promise<Seen> {
  const answer = await client.graphql(PULL_ANSWERS, { owner, name, number });
  if (answer.kind !== 'answer') return answer;
  const pull = fieldsOf(fieldsOf(fieldsOf(answer.data)['repository'])['pullRequest']);
  const answers = nodesOf(pull['comments']).flatMap((comment): readonly Answer[] => {
    const [id, body] = [nameIn(comment, 'id'), comment['body']];
    return comment['viewerDidAuthor'] === true && id !== null && typeof body === 'string' ? [{ id, body }] : [];
  });
  return { kind: 'seen', answers };
}

const MAX_RESPONSES_BYTES = 64 * 1024;

/** What the run says to each finding; null: nothing. */
function readResponses({ deps }: AtForge, { repoKey, headRunId }: ToAnswer): string | null {
  const run = readRunOfQueue(deps.home, { repoKey, runId: headRunId });
  const file = join(run.record.runDir, 'rounds', '1', 'finding-responses.md');
  const text = textOf(readForeignFileSync(file, { maxBytes: MAX_RESPONSES_BYTES }));
  // An agent without a sandbox may have written it.
  return text === null ? null : redactorOf(run).text(text);
}

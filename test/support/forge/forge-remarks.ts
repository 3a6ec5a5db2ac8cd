/** What a fake forge shows of reviews and comments of a pull request. */
import { type GraphqlAnswer, shownChecks } from './forge-answers.js';
import type { FakePull, FakeReview, ForgeState } from './forge-state.js';

/** Whose token it is. */
export const TOKEN_OWNER = 'sluice-user';

type Variables = Readonly<Record<string, unknown>>;

export function pullRemarks(state: ForgeState, { number, after }: Variables): GraphqlAnswer {
  return withPull(state, number, (pull) => {
    const head = state.headOf(pull);
    const rollup = { contexts: shownChecks(state, head, after) };
    return {
      latestOpinionatedReviews: { nodes: pull.reviews.map(shownReview) },
      commits: { nodes: [{ commit: { oid: head, statusCheckRollup: rollup } }] },
    };
  });
}

function shownReview(review: FakeReview, index: number): unknown {
  const { author, state, commit, body = '', association = 'MEMBER', isBot = false, lines = [] } = review;
  const who = (login: string) => ({ __typename: isBot ? 'Bot' : 'User', login });
  return {
    id: `PRR_${index}`,
    url: `https://forge.example/review/${index}`,
    state,
    body,
    commit: { oid: commit },
    authorAssociation: association,
    author: who(author),
    comments: {
      nodes: lines.map((line) => ({
        path: line.path,
        line: line.line,
        body: line.body,
        authorAssociation: line.association ?? association,
        author: who(line.author ?? author),
      })),
    },
  };
}

export function pullAnswers(state: ForgeState, { number }: Variables): GraphqlAnswer {
  return withPull(state, number, ({ comments }) => ({
    comments: {
      nodes: comments
        .slice(-100)
        .map(({ id, author, body }) => ({ id, body, viewerDidAuthor: author === TOKEN_OWNER })),
    },
  }));
}

export function dropComment(state: ForgeState, { id }: Variables): GraphqlAnswer {
  for (const pull of state.pulls) pull.comments = pull.comments.filter((comment) => comment.id !== id);
  return { data: { done: { clientMutationId: null } } };
}

function withPull(state: ForgeState, number: unknown, show: (pull: FakePull) => unknown): GraphqlAnswer {
  const pull = state.pulls.find((one) => one.number === number);
  return pull === undefined
    ? { data: null, errors: [{ type: 'NOT_FOUND', message: `no pull request ${String(number)}` }] }
    : { data: { repository: { pullRequest: show(pull) } } };
}

/** The GraphQL operations of a fake forge, by their names: it does not read the query, so what a query asks for is held against the product's own text by its test. */
import { type GraphqlAnswer, shownChecks } from './forge-answers.js';
import { dropComment, pullAnswers, pullRemarks } from './forge-remarks.js';
import type { FakePull, ForgeState } from './forge-state.js';

type Variables = Readonly<Record<string, unknown>>;

export function answerGraphql(state: ForgeState, operation: string, variables: Variables): GraphqlAnswer {
  switch (operation) {
    case 'PullState':
      return pullState(state, variables);
    case 'PullRemarks':
      return pullRemarks(state, variables);
    case 'PullAnswers':
      return pullAnswers(state, variables);
    case 'DropComment':
      return dropComment(state, variables);
    case 'BaseRules':
      return baseRules(state, variables);
    case 'MarkReady':
      return changeDraft(state, variables, false);
    case 'ConvertToDraft':
      return changeDraft(state, variables, true);
    case 'Dequeue':
      return dequeue(state, variables);
    case 'Enqueue':
      return enqueue(state, variables);
    default:
      return { data: null, errors: [{ message: `the fake forge knows no operation ${operation}` }] };
  }
}

function pullState(state: ForgeState, variables: Variables): GraphqlAnswer {
  const { owner, name, number } = variables;
  const known = `${String(owner)}/${String(name)}`;
  if (known !== state.name && known !== state.formerName) return notFound(`Could not resolve to ${known}.`);
  const pull = state.pulls.find((one) => one.number === number);
  if (pull === undefined) return notFound(`Could not resolve to a PullRequest with the number of ${String(number)}.`);
  return {
    data: {
      repository: {
        nameWithOwner: state.name,
        isArchived: state.isArchived,
        pullRequest: shown(state, pull, variables),
      },
    },
  };
}

function baseRules(state: ForgeState, { owner, name, branch }: Variables): GraphqlAnswer {
  if (`${String(owner)}/${String(name)}` !== state.name) return notFound('Could not resolve to a Repository.');
  const { rules } = state;
  const isThere = state.tip(String(branch)) !== null;
  const ref = { ...rulesOf(state), refUpdateRule: rules.needsPull ? classicRules(state) : null };
  const mergeQueue = rules.hasQueue ? { id: 'MQ_1' } : null;
  return { data: { repository: { ref: isThere ? ref : null, mergeQueue } } };
}

function classicRules({ rules }: ForgeState): unknown {
  return {
    requiredStatusCheckContexts: rules.classicChecks,
    requiredApprovingReviewCount: rules.approvals,
    requiresLinearHistory: rules.isLinear,
    requiresSignatures: rules.isSigned,
  };
}

function rulesOf({ rules }: ForgeState): { readonly rules: unknown } {
  return {
    rules: {
      nodes: rules.requiredChecks.map(({ context, app }) => ({
        type: 'REQUIRED_STATUS_CHECKS',
        parameters: { requiredStatusChecks: [{ context, integrationId: app }] },
      })),
    },
  };
}

function shown(state: ForgeState, pull: FakePull, { after }: Variables): unknown {
  const head = state.headOf(pull);
  const { rules } = state;
  const isApproved = pull.reviews.filter(({ state: said }) => said === 'APPROVED').length >= rules.approvals;
  return {
    number: pull.number,
    id: pull.nodeId,
    url: `https://forge.example/${state.name}/pull/${pull.number}`,
    state: pull.merged !== null ? 'MERGED' : pull.state.toUpperCase(),
    isDraft: pull.isDraft,
    headRefOid: head,
    headRefName: pull.headBranch,
    baseRefName: pull.base,
    mergeable: pull.state === 'open' ? state.mergeability(pull) : 'UNKNOWN',
    reviewDecision: rules.approvals === 0 ? null : isApproved ? 'APPROVED' : 'REVIEW_REQUIRED',
    isInMergeQueue: pull.isQueued,
    isMergeQueueEnabled: rules.hasQueue,
    mergeCommit: pull.merged === null ? null : { oid: pull.merged.commit },
    updatedAt: new Date(pull.updatedAt).toISOString(),
    baseRef: {
      refUpdateRule: rules.needsPull ? classicRules(state) : null,
      ...rulesOf(state),
    },
    latestOpinionatedReviews: {
      nodes: pull.reviews.map((review) => ({ state: review.state, commit: { oid: review.commit } })),
    },
    commits: {
      nodes: [
        {
          commit: {
            oid: head,
            statusCheckRollup: {
              contexts: shownChecks(state, head, after),
            },
          },
        },
      ],
    },
  };
}

function changeDraft(state: ForgeState, { id }: Variables, isDraft: boolean): GraphqlAnswer {
  const pull = state.pulls.find((one) => one.nodeId === id);
  if (pull === undefined) return notFound('Could not resolve to a node');
  if (isDraft && !state.takesDrafts) return unprocessable('Draft pull requests are not supported in this repository.');
  if (pull.isDraft === isDraft) return unprocessable(`Pull request is already ${isDraft ? 'a draft' : 'ready'}.`);
  pull.isDraft = isDraft;
  state.touch(pull);
  return { data: { done: { pullRequest: { isDraft } } } };
}

function dequeue(state: ForgeState, { id }: Variables): GraphqlAnswer {
  const pull = state.pulls.find((one) => one.nodeId === id);
  if (pull === undefined) return notFound('Could not resolve to a node');
  if (!pull.isQueued) return unprocessable('Pull request is not in the queue.');
  pull.isQueued = false;
  state.touch(pull);
  return { data: { done: { mergeQueueEntry: { position: 1 } } } };
}

function enqueue(state: ForgeState, { id, head }: Variables): GraphqlAnswer {
  const pull = state.pulls.find((one) => one.nodeId === id);
  if (pull === undefined) return notFound('Could not resolve to a node');
  if (!state.rules.hasQueue) return unprocessable('The branch has no merge queue.');
  if (pull.isQueued) return unprocessable('Pull request is already in the queue.');
  if (head !== state.headOf(pull)) return unprocessable('The head is not the expected one.');
  pull.isQueued = true;
  state.touch(pull);
  return { data: { done: { mergeQueueEntry: { position: 1 } } } };
}

function notFound(message: string): GraphqlAnswer {
  return { data: null, errors: [{ type: 'NOT_FOUND', message }] };
}

function unprocessable(message: string): GraphqlAnswer {
  return { data: null, errors: [{ type: 'UNPROCESSABLE', message }] };
}

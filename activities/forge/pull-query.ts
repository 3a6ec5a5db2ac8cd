/** The one query by which a pull request is looked at, and what its answer says. Pure. Never `mergeStateStatus`: it depends on who asks. */
import type { CheckState, PullState } from '../../protocol/actors/forge.js';
import { type Fields, fieldsOf, nameIn, timeIn, wordIn } from '../../protocol/text/fields.js';
import { isSha } from '../git/refs/read-ref.js';
import type { PullCheck, RequiredCheck } from './judge-checks.js';

/** Of each list that a look brings. */
const MAX_CHECKS = 100;

/** Of a pull request with hundreds of checks. */
export const MAX_CHECK_PAGES = 10;

export const PULL_STATE = `query PullState($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    nameWithOwner
    isArchived
    pullRequest(number: $number) {
      number id url state isDraft headRefOid headRefName baseRefName mergeable reviewDecision
      isInMergeQueue isMergeQueueEnabled updatedAt
      mergeCommit { oid }
      baseRef {
        refUpdateRule { requiredStatusCheckContexts }
        rules(first: ${MAX_CHECKS}) {
          nodes {
            type
            parameters {
              ... on RequiredStatusChecksParameters { requiredStatusChecks { context integrationId } }
            }
          }
        }
      }
      latestOpinionatedReviews(first: ${MAX_CHECKS}, writersOnly: true) { nodes { state commit { oid } } }
      commits(last: 1) {
        nodes {
          commit {
            oid
            statusCheckRollup {
              contexts(first: ${MAX_CHECKS}, after: $after) {
                pageInfo { hasNextPage endCursor }
                nodes {
                  __typename
                  ... on CheckRun {
                    name status conclusion startedAt isRequired(pullRequestNumber: $number)
                    checkSuite { app { databaseId } }
                  }
                  ... on StatusContext { context state createdAt isRequired(pullRequestNumber: $number) }
                }
              }
            }
          }
        }
      }
    }
  }
}`;

/** What the forge needs to change it. */
export interface SeenPull {
  readonly pull: Omit<PullState, 'checks'>;
  /** Of this page: of one check of an app more may be said on another. */
  readonly checks: readonly SaidCheck[];
  readonly required: readonly RequiredCheck[];
  readonly nodeId: string;
  readonly headBranch: string;
  /** `owner/name`, as the forge has it now. */
  readonly repo: string;
  readonly isArchived: boolean;
  /** Where the rest of its checks begins; null: these are all. */
  readonly next: string | null;
}

export interface SaidCheck extends PullCheck {
  /** When it was begun, by the forge's clock. */
  readonly at: string;
}

const PASSED: readonly unknown[] = ['SUCCESS', 'NEUTRAL', 'SKIPPED'];

/** Null: this is no answer of that query. */
export function readPull(data: unknown): SeenPull | null {
  const repository = fieldsOf(fieldsOf(data)['repository']);
  const fields = fieldsOf(repository['pullRequest']);
  const names = ['id', 'headRefOid', 'headRefName', 'baseRefName'];
  const [nodeId, head, headBranch, base] = names.map((name) => nameIn(fields, name));
  const url = addressIn(fields, 'url');
  const state = wordIn(fields, 'state', ['OPEN', 'CLOSED', 'MERGED']);
  const updatedAt = timeIn(fields, 'updatedAt');
  const number = fields['number'];
  if (nodeId == null || url === null || head == null || headBranch == null || base == null) return null;
  if (state === null || updatedAt === null || typeof number !== 'number') return null;
  const { checks, next } = readChecks(fields, head);
  const rules = fieldsOf(fields['baseRef']);
  const pull: SeenPull['pull'] = {
    number,
    url,
    head,
    base,
    updatedAt,
    isDraft: fields['isDraft'] === true,
    state: ({ OPEN: 'open', CLOSED: 'closed', MERGED: 'merged' } as const)[state],
    mergeable: mergeableOf(fields),
    review: reviewOf(fields, head),
    lacksReview: fields['reviewDecision'] === 'REVIEW_REQUIRED' || fields['reviewDecision'] === 'CHANGES_REQUESTED',
    queue: fields['isInMergeQueue'] === true ? 'in' : fields['isMergeQueueEnabled'] === true ? 'out' : 'off',
    hasRules:
      fieldsOf(rules['refUpdateRule'])['requiredStatusCheckContexts'] !== undefined ||
      nodesOf(rules['rules']).length > 0,
    mergeCommit: commitOf(fields['mergeCommit']),
  };
  const repo = nameIn(repository, 'nameWithOwner') ?? '';
  const isArchived = repository['isArchived'] === true;
  return { pull, checks, required: readRequired(rules), nodeId, headBranch, repo, isArchived, next };
}

/** It is asked for in git by this name. */
function commitOf(value: unknown): string | null {
  const oid = nameIn(fieldsOf(value), 'oid');
  return oid !== null && isSha(oid) ? oid : null;
}

function mergeableOf(fields: Fields): PullState['mergeable'] {
  const word = wordIn(fields, 'mergeable', ['MERGEABLE', 'CONFLICTING', 'UNKNOWN']);
  return ({ MERGEABLE: 'yes', CONFLICTING: 'conflict', UNKNOWN: 'unknown' } as const)[word ?? 'UNKNOWN'];
}

/** The newest of each reviewer, as the forge lists them. */
function reviewOf(fields: Fields, head: string): PullState['review'] {
  const states = nodesOf(fields['latestOpinionatedReviews'])
    .filter((review) => fieldsOf(review['commit'])['oid'] === head)
    .map((review) => review['state']);
  if (states.includes('CHANGES_REQUESTED')) return 'changes_requested';
  return states.includes('APPROVED') ? 'approved' : 'none';
}

/** Of the two kinds of rules that a base can have, a `Ref`; one that both name counts once. */
export function readRequired(rules: Fields): readonly RequiredCheck[] {
  const contexts = fieldsOf(rules['refUpdateRule'])['requiredStatusCheckContexts'];
  const classic = listOf(contexts).flatMap((name) => (typeof name === 'string' ? [{ name, app: null }] : []));
  const sets = nodesOf(rules['rules']).flatMap(({ parameters }) =>
    listOf(fieldsOf(parameters)['requiredStatusChecks']).flatMap((one) => {
      const name = nameIn(fieldsOf(one), 'context');
      return name === null ? [] : [{ name, app: numberIn(fieldsOf(one), 'integrationId') }];
    }),
  );
  const all = [...sets, ...classic];
  return all.filter((one, index) => all.findIndex(({ name, app }) => name === one.name && app === one.app) === index);
}

function readChecks(
  fields: Fields,
  head: string,
): { readonly checks: readonly SaidCheck[]; readonly next: string | null } {
  const [node] = nodesOf(fields['commits']);
  const commit = fieldsOf(node?.['commit']);
  // Of a head that was pushed a moment ago the commits may be those of before.
  if (commit['oid'] !== head) return { checks: [], next: null };
  const contexts = fieldsOf(fieldsOf(commit['statusCheckRollup'])['contexts']);
  return { checks: nodesOf(contexts).flatMap(readCheck), next: nextOf(contexts) };
}

/** Where the rest of a list begins; null: this is all. */
export function nextOf(connection: Fields): string | null {
  const page = fieldsOf(connection['pageInfo']);
  return page['hasNextPage'] === true ? nameIn(page, 'endCursor') : null;
}

function readCheck(fields: Fields): readonly SaidCheck[] {
  const isRun = fields['__typename'] === 'CheckRun';
  const name = nameIn(fields, isRun ? 'name' : 'context');
  if (name === null) return [];
  const at = timeIn(fields, isRun ? 'startedAt' : 'createdAt') ?? '';
  const app = numberIn(fieldsOf(fieldsOf(fields['checkSuite'])['app']), 'databaseId');
  return [
    {
      name,
      app,
      at,
      state: isRun ? stateOfRun(fields) : stateOfStatus(fields),
      isRequired: fields['isRequired'] === true,
    },
  ];
}

function stateOfRun({ status, conclusion }: Fields): CheckState {
  if (status !== 'COMPLETED') return 'pending';
  return PASSED.includes(conclusion) ? 'passed' : 'failed';
}

function stateOfStatus({ state }: Fields): CheckState {
  if (state === 'SUCCESS') return 'passed';
  return state === 'FAILURE' || state === 'ERROR' ? 'failed' : 'pending';
}

/** Of the same name and app: what was begun again counts, in its place. `said`: of all pages. */
export function newestOf(said: readonly SaidCheck[]): readonly PullCheck[] {
  const newest = new Map<string, SaidCheck>();
  for (const one of said) {
    const key = `${one.app} ${one.name}`;
    const known = newest.get(key);
    if (known === undefined || one.at >= known.at) newest.set(key, one);
  }
  const counted = new Set(newest.values());
  return said.filter((one) => counted.has(one)).map(({ at: _at, ...check }) => check);
}

/** For people to open, in terminals and pages. Null: it is none. */
export function addressIn(fields: Fields, field: string): string | null {
  const text = nameIn(fields, field);
  if (text === null || !URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

export function nodesOf(connection: unknown): readonly Fields[] {
  return listOf(fieldsOf(connection)['nodes']).map(fieldsOf);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberIn(fields: Fields, name: string): number | null {
  const value = fields[name];
  return typeof value === 'number' ? value : null;
}

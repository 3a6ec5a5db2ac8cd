/** What a fake forge answers to GraphQL, and how it shows a check. */
import type { FakeCheck, ForgeState } from './forge-state.js';

export interface GraphqlAnswer {
  readonly data: unknown;
  readonly errors?: readonly { readonly type?: string; readonly message: string }[];
}

/** Of each list that a look brings. */
const MAX_LISTED = 100;

/** The checks of a commit, from where the last page ended. */
export function shownChecks(state: ForgeState, head: string, after: unknown): unknown {
  const from = typeof after === 'string' ? Number(after) : 0;
  const all = state.checks.get(head) ?? [];
  const end = from + MAX_LISTED;
  const isMore = all.length > end;
  return {
    pageInfo: { hasNextPage: isMore, endCursor: isMore ? String(end) : null },
    nodes: all.slice(from, end).map((check) => shownCheck(state, check)),
  };
}

function shownCheck({ rules }: ForgeState, { name, app, conclusion, startedAt, title, summary }: FakeCheck): unknown {
  const isRequired = rules.requiredChecks.some((one) => one.context === name && (one.app ?? app) === app);
  const said = { title: title ?? null, summary: summary ?? null };
  if (app === null)
    return {
      description: said.title,
      __typename: 'StatusContext',
      context: name,
      state: conclusion ?? 'PENDING',
      createdAt: startedAt,
      isRequired,
    };
  const status = conclusion === null ? 'IN_PROGRESS' : 'COMPLETED';
  const suite = { app: { databaseId: app } };
  return { __typename: 'CheckRun', name, status, conclusion, startedAt, isRequired, checkSuite: suite, ...said };
}

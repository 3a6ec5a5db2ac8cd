/** What a fake forge answers to GraphQL, and how it shows a check. */
import type { FakeCheck, ForgeState } from './forge-state.js';

export interface GraphqlAnswer {
  readonly data: unknown;
  readonly errors?: readonly { readonly type?: string; readonly message: string }[];
}

export function shownCheck(
  { rules }: ForgeState,
  { name, app, conclusion, startedAt, title, summary }: FakeCheck,
): unknown {
  const isRequired = rules.requiredChecks.some((one) => one.context === name && (one.app ?? app) === app);
  const said = { title: title ?? null, summary: summary ?? null };
  if (app === null)
    return {
      ...{ description: said.title },
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

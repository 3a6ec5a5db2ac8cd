/** Looks at a forge once, for `sluice doctor`: with which token, what that may do, and which rules the base has. Effects: none. The answer has no token in it. */
import { findForgeToken } from '../../../config/home/forge-token.js';
import { forgeAddress } from '../../../config/keys/forge-address.js';
import type { ForgeTrouble } from '../../../protocol/actors/forge.js';
import type { BaseRules, ForgeQuestion, ForgeReport, ForgeSays } from '../../../protocol/actors/forge-report.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import type { LandingMethod } from '../../../protocol/run/landing-policy.js';
import { amountIn, type Fields, fieldsOf, nameIn } from '../../../protocol/text/fields.js';
import type { Json } from '../../../protocol/text/json.js';
import { createValueRedactor } from '../../../protocol/text/value-redactor.js';
import { type ForgeClient, openForgeClient } from '../forge-client.js';
import { nodesOf, readRequired } from '../pull-query.js';

export interface ReportOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stop: AbortSignal;
}

/** `refUpdateRule` is what of the older kind of rules anybody may see who can write. */
const BASE_RULES = `query BaseRules($owner: String!, $name: String!, $ref: String!, $branch: String!) {
  repository(owner: $owner, name: $name) {
    ref(qualifiedName: $ref) {
      refUpdateRule { requiredStatusCheckContexts requiredApprovingReviewCount requiresLinearHistory requiresSignatures }
      rules(first: 100) {
        nodes {
          type
          parameters {
            ... on RequiredStatusChecksParameters { requiredStatusChecks { context integrationId } }
            ... on PullRequestParameters { requiredApprovingReviewCount }
          }
        }
      }
    }
    mergeQueue(branch: $branch) { id }
  }
}`;

/** Errors: the reason of `stop`. */
export async function reportForge(question: ForgeQuestion, { environment, stop }: ReportOptions): Promise<ForgeReport> {
  const address = forgeAddress(question.apiUrl);
  if (address === null) throw new Error(`${question.apiUrl} is no address of a forge`);
  const found = await findForgeToken({ environment, host: address.host, forbidden: question.forbidden });
  if (found.kind === 'none') return { tokenSource: null, scopes: null, said: { kind: 'unauthorized', why: found.why } };
  const { token, source: tokenSource } = found;
  const client = await openForgeClient({ apiUrl: address.apiUrl, token, stop, failpoint: noFailpoint });
  const report: ForgeReport = { tokenSource, ...(await look(client, question)) };
  // Strings become strings, so that it is what it was.
  return createValueRedactor([token]).json(report as unknown as Json) as unknown as ForgeReport;
}

async function look(client: ForgeClient, question: ForgeQuestion): Promise<Omit<ForgeReport, 'tokenSource'>> {
  const [owner = '', repo = ''] = question.repo.split('/');
  const answer = await client.rest('GET /repos/{owner}/{repo}', { owner, repo });
  if (answer.kind !== 'answer') return { scopes: null, said: answer };
  const repository = fieldsOf(answer.data);
  const scopes = answer.headers['x-oauth-scopes'];
  const branch = question.branch ?? nameIn(repository, 'default_branch') ?? 'main';
  const rules = await readRules(client, { owner, name: repo, branch });
  return {
    scopes: typeof scopes === 'string' && scopes !== '' ? scopes.split(',').map((scope) => scope.trim()) : null,
    said: rules.kind === 'rules' ? { ...saidOf(repository), branch, rules: rules.rules } : rules,
  };
}

function saidOf(repository: Fields): Omit<ForgeSays, 'branch' | 'rules'> {
  const allowed = { merge: 'allow_merge_commit', squash: 'allow_squash_merge', rebase: 'allow_rebase_merge' };
  return {
    kind: 'said',
    repo: nameIn(repository, 'full_name') ?? '',
    isArchived: repository['archived'] === true,
    mayPush: fieldsOf(repository['permissions'])['push'] === true,
    // To whom may not push it does not say.
    methods: Object.entries(allowed).flatMap(([method, field]) =>
      repository[field] === false ? [] : [method as LandingMethod],
    ),
  };
}

interface WhichBase {
  readonly owner: string;
  readonly name: string;
  readonly branch: string;
}

async function readRules(
  client: ForgeClient,
  { branch, ...repository }: WhichBase,
): Promise<{ readonly kind: 'rules'; readonly rules: BaseRules | null } | ForgeTrouble> {
  const answer = await client.graphql(BASE_RULES, { ...repository, branch, ref: `refs/heads/${branch}` });
  if (answer.kind !== 'answer') return answer;
  const { ref, mergeQueue } = fieldsOf(fieldsOf(answer.data)['repository']);
  if (typeof ref !== 'object' || ref === null) return { kind: 'rules', rules: null };
  const hasQueue = typeof mergeQueue === 'object' && mergeQueue !== null;
  return { kind: 'rules', rules: rulesOf(fieldsOf(ref), hasQueue) };
}

function rulesOf(ref: Fields, hasQueue: boolean): BaseRules {
  const classic = fieldsOf(ref['refUpdateRule']);
  const sets = nodesOf(ref['rules']);
  const has = (type: string) => sets.some((rule) => rule['type'] === type);
  const approvals = [classic, ...sets.map(({ parameters }) => fieldsOf(parameters))].map(
    (rule) => amountIn(rule, 'requiredApprovingReviewCount') ?? 0,
  );
  return {
    isProtected: Object.keys(classic).length > 0 || sets.length > 0,
    requiredChecks: readRequired(ref).map(({ name }) => name),
    approvals: Math.max(...approvals),
    isLinear: classic['requiresLinearHistory'] === true || has('REQUIRED_LINEAR_HISTORY'),
    isSigned: classic['requiresSignatures'] === true || has('REQUIRED_SIGNATURES'),
    hasQueue: hasQueue || has('MERGE_QUEUE'),
  };
}

/** The REST interface of a fake forge: the few routes that the product uses, with the answers of the real one to what it does not take. */
import { TOKEN_OWNER } from './forge-remarks.js';
import type { FakePull, ForgeState } from './forge-state.js';

export interface RestRequest {
  readonly method: string;
  /** Below the repository: `pulls/3/merge`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
}

const METHODS = ['merge', 'squash', 'rebase'] as const;

/** Null: there is no such route. */
export function answerRest(state: ForgeState, request: RestRequest): RestAnswer | null {
  const { method, path } = request;
  const [room, number, part] = path.split('/');
  if (path === '' && method === 'GET') return ok(repositoryOf(state));
  if (room === 'rules' && number === 'branches') return ok(rulesOf(state));
  if (path === 'pulls' && method === 'GET') return ok(listed(state, request.query).map((one) => shown(state, one)));
  if (path === 'pulls' && method === 'POST') return create(state, request.body);
  const pull = state.pulls.find((one) => String(one.number) === number);
  if (pull === undefined) return number === undefined ? null : { status: 404, body: { message: 'Not Found' } };
  if (room === 'pulls' && part === undefined && method === 'GET') return ok(shown(state, pull));
  if (room === 'pulls' && part === undefined && method === 'PATCH') return change(state, pull, request.body);
  if (room === 'pulls' && part === 'merge' && method === 'PUT') return merge(state, pull, request.body);
  if (room === 'issues' && part === 'labels' && method === 'POST') return label(state, pull, request.body);
  if (room === 'issues' && part === 'comments' && method === 'POST')
    return ok({ node_id: state.comment(pull, TOKEN_OWNER, String(request.body['body'])).id }, 201);
  return null;
}

function repositoryOf({ name, isArchived, permissions, methods }: ForgeState): unknown {
  return {
    full_name: name,
    archived: isArchived,
    default_branch: 'main',
    permissions,
    allow_merge_commit: methods.includes('merge'),
    allow_squash_merge: methods.includes('squash'),
    allow_rebase_merge: methods.includes('rebase'),
  };
}

/** Of several, the name of the route: what a fault is armed for. */
export function routeOf({ method, path }: Pick<RestRequest, 'method' | 'path'>): string {
  return `${method} ${path === '' ? 'repository' : path.replace(/\/\d+/, '/N').replace(/^rules\/.*/, 'rules')}`;
}

function ok(body: unknown, status = 200): RestAnswer {
  return { status, body };
}

/** The newest first. A filter that is no `owner:branch` filters nothing. */
function listed(state: ForgeState, query: URLSearchParams): readonly FakePull[] {
  const [owner, branch] = (query.get('head') ?? '').split(':');
  const wanted = query.get('state') ?? 'open';
  return [...state.pulls]
    .reverse()
    .filter((pull) => wanted === 'all' || pull.state === wanted)
    .filter((pull) => branch === undefined || (pull.headBranch === branch && pull.headRepo.startsWith(`${owner}/`)))
    .slice(0, Number(query.get('per_page') ?? 30));
}

function create(state: ForgeState, body: RestRequest['body']): RestAnswer {
  const [headBranch, base] = [String(body['head']), String(body['base'])];
  const headOid = state.tip(headBranch);
  if (headOid === null || state.tip(base) === null) return refused('head or base is invalid');
  if (body['draft'] === true && !state.takesDrafts)
    return refused('Draft pull requests are not supported in this repository.');
  if (state.pulls.some((one) => one.state === 'open' && one.headBranch === headBranch && one.headRepo === state.name))
    return refused(`A pull request already exists for ${state.name.split('/')[0]}:${headBranch}.`);
  if (state.git('rev-list', '--count', `refs/heads/${base}..refs/heads/${headBranch}`) === '0')
    return refused(`No commits between ${base} and ${headBranch}`);
  const number = state.pulls.length + 1;
  const pull: FakePull = {
    number,
    nodeId: `PR_${number}`,
    title: String(body['title']),
    body: typeof body['body'] === 'string' ? body['body'] : '',
    headRepo: state.name,
    headBranch,
    headOid,
    base,
    state: 'open',
    isDraft: body['draft'] === true,
    labels: [],
    merged: null,
    reviews: [],
    comments: [],
    isQueued: false,
    updatedAt: state.now(),
  };
  state.pulls.push(pull);
  return ok(shown(state, pull), 201);
}

function refused(message: string): RestAnswer {
  return { status: 422, body: { message: 'Validation Failed', errors: [{ code: 'custom', message }] } };
}

function change(state: ForgeState, pull: FakePull, body: RestRequest['body']): RestAnswer {
  if (typeof body['body'] === 'string' && body['body'].length > 65_536) return refused('body is too long');
  if (typeof body['title'] === 'string') pull.title = body['title'];
  if (typeof body['body'] === 'string') pull.body = body['body'];
  if (typeof body['base'] === 'string') pull.base = body['base'];
  if (body['state'] === 'closed') state.close(pull);
  if (body['state'] === 'open' && pull.merged === null) pull.state = 'open';
  state.touch(pull);
  return ok(shown(state, pull));
}

function label(state: ForgeState, pull: FakePull, body: RestRequest['body']): RestAnswer {
  const labels = Array.isArray(body['labels']) ? body['labels'].map(String) : [];
  pull.labels = [...new Set([...pull.labels, ...labels])];
  for (const name of labels) state.labels.add(name);
  state.touch(pull);
  return ok(pull.labels.map((name) => ({ name })));
}

function merge(state: ForgeState, pull: FakePull, body: RestRequest['body']): RestAnswer {
  const not = (status: number, message: string) => ({ status, body: { message } });
  if (pull.merged !== null || pull.state === 'closed') return not(405, 'Pull Request is not mergeable');
  if (body['sha'] !== undefined && body['sha'] !== state.headOf(pull))
    return not(409, 'Head branch was modified. Review and try the merge again.');
  if (pull.isDraft) return not(405, 'Pull Request is still a draft');
  if (state.rules.hasQueue) return not(405, 'Changes must be made through the merge queue');
  const green = (name: string) =>
    state.checks.get(state.headOf(pull))?.some((check) => check.name === name && check.conclusion === 'SUCCESS') ===
    true;
  const { requiredChecks, classicChecks } = state.rules;
  const missing = [...requiredChecks.map(({ context }) => context), ...classicChecks].find((name) => !green(name));
  if (missing !== undefined) return not(405, `Required status check "${missing}" is expected.`);
  const method = METHODS.find((one) => one === body['merge_method']) ?? 'merge';
  if (!state.methods.includes(method)) return not(405, `The merge method ${method} is not allowed on this repository.`);
  if (state.rules.isLinear && method === 'merge') return not(405, 'This branch must not contain merge commits.');
  if (state.rules.isSigned && method !== 'squash') return not(405, 'Commits must have verified signatures.');
  const message = [body['commit_title'], body['commit_message']]
    .filter((part) => typeof part === 'string')
    .join('\n\n');
  const sha = state.merge(pull, 'sluice', { method, ...(message === '' ? {} : { message }) });
  return sha === null ? not(405, 'Pull Request is not mergeable') : ok({ sha, merged: true });
}

function rulesOf({ rules }: ForgeState): unknown {
  const checks = rules.requiredChecks.map(({ context }) => ({ context }));
  return [
    ...(rules.needsPull ? [{ type: 'pull_request' }] : []),
    ...(rules.hasQueue ? [{ type: 'merge_queue' }] : []),
    ...(checks.length > 0 ? [{ type: 'required_status_checks', parameters: { required_status_checks: checks } }] : []),
  ];
}

export function shown(state: ForgeState, pull: FakePull): unknown {
  const { number, nodeId, title, body, isDraft, base } = pull;
  return {
    number,
    node_id: nodeId,
    title,
    body,
    state: pull.state,
    draft: isDraft,
    merged: pull.merged !== null,
    html_url: `https://forge.example/${state.name}/pull/${number}`,
    head: { ref: pull.headBranch, sha: state.headOf(pull), repo: { full_name: pull.headRepo } },
    base: { ref: base },
    labels: pull.labels.map((name) => ({ name })),
    updated_at: new Date(pull.updatedAt).toISOString(),
  };
}

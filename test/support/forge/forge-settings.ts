/** What people do on a fake forge by its REST interface, beside pull requests: branches, labels, the word of a check, and rules of a base. */
import type { RestAnswer, RestRequest } from './forge-rest.js';
import type { ForgeState } from './forge-state.js';

/** Null: there is no such route. */
export function answerSettings(state: ForgeState, request: RestRequest): RestAnswer | null {
  const { method, path, body } = request;
  const [room = '', ...rest] = path.split('/');
  const name = decodeURIComponent(rest.join('/'));
  switch (`${method} ${room}`) {
    case 'DELETE git':
      return removeBranch(state, name.replace(/^refs\/heads\//, ''));
    case 'GET git':
      return readCommit(state, name.replace(/^commits\//, ''));
    case 'GET labels':
      return state.labels.has(name) ? { status: 200, body: { name } } : NOT_FOUND;
    case 'DELETE labels':
      return removeLabel(state, name);
    case 'POST statuses':
      return sayStatus(state, name, body);
    case 'PUT branches':
    case 'DELETE branches':
      return protect(state, name, method === 'PUT' ? body : null);
    default:
      return null;
  }
}

const NOT_FOUND: RestAnswer = { status: 404, body: { message: 'Not Found' } };

function removeBranch(state: ForgeState, branch: string): RestAnswer {
  if (state.tip(branch) === null) return { status: 422, body: { message: 'Reference does not exist' } };
  for (const pull of state.pulls.filter((one) => [one.base, one.headBranch].includes(branch) && one.state === 'open'))
    state.close(pull);
  state.git('update-ref', '-d', `refs/heads/${branch}`);
  return { status: 204, body: null };
}

function readCommit(state: ForgeState, sha: string): RestAnswer {
  const parents = state.git('log', '-1', '--format=%P', sha).split(' ');
  return { status: 200, body: { sha, parents: parents.filter((one) => one !== '').map((one) => ({ sha: one })) } };
}

function removeLabel(state: ForgeState, name: string): RestAnswer {
  if (!state.labels.delete(name)) return NOT_FOUND;
  for (const pull of state.pulls) pull.labels = pull.labels.filter((label) => label !== name);
  return { status: 204, body: null };
}

function sayStatus(state: ForgeState, sha: string, body: RestRequest['body']): RestAnswer {
  const status = {
    name: String(body['context']),
    app: null,
    conclusion: String(body['state']).toUpperCase(),
    startedAt: new Date(state.now()).toISOString(),
  };
  state.checks.set(sha, [...(state.checks.get(sha) ?? []), status]);
  return { status: 201, body: {} };
}

/** `rules` null: none any more. */
function protect(state: ForgeState, path: string, rules: RestRequest['body'] | null): RestAnswer {
  const branch = path.replace(/\/protection$/, '');
  if (state.tip(branch) === null) return NOT_FOUND;
  const { contexts } = Object(rules?.['required_status_checks']) as { readonly contexts?: unknown };
  state.protect(...(rules === null ? [] : [branch]));
  state.rules.classicChecks = Array.isArray(contexts) ? contexts.map(String) : [];
  return rules === null ? { status: 204, body: null } : { status: 200, body: {} };
}

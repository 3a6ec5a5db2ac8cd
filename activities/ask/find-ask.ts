/** Where an ask works on a host: a folder of its item, with the policy that the repository's config has by now. It has no branch, and its tree is thrown away. */
import { join } from 'node:path';
import { type AskInput, askPlaceName } from '../../protocol/actors/ask.js';
import { isItemId } from '../../protocol/actors/item-id.js';
import { DEFAULT_CONTEXT_BYTES } from '../../protocol/limits.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import type { Policy } from '../../protocol/run/policy.js';
import { captureEnvironment } from '../agent/environment/environment.js';
import { repoKeyOf } from '../git/refs/find-repository.js';
import { resolveBase } from '../git/refs/resolve-base.js';
import { checkAgents } from '../opening/check-agents.js';
import { withPassedEnvironment } from '../opening/pass-environment.js';
import { resolveRunPolicy } from '../policy/resolve-run-policy.js';
import { servedRepository } from '../policy/served-repository.js';
import { chooseSandbox } from '../sandbox/choose-sandbox.js';
import { hiddenPlaces } from '../sandbox/enter-sandbox.js';
import type { HostDeps } from '../unit/host-deps.js';
import { inputOfItem, readItemRecord } from '../unit/item-record.js';
import type { PlaceOwner } from '../unit/once-at-place.js';
import { badInput } from '../unit/run-failures.js';
import type { Candidate } from './ask-prompt.js';
import { type AskedTree, askTree } from './ask-tree.js';

export interface AskOwner extends PlaceOwner {
  /** The ask is its only stage. */
  readonly record: { readonly policy: Policy };
  readonly task: string;
  readonly title: string;
  /** The tasks that it is compared with. */
  readonly candidates: readonly Candidate[];
  /** Of the commit that its task would begin at by now. */
  readonly tree: AskedTree;
  /** Absolute: `<home>/items/<repoKey>/<id>`. */
  readonly itemDir: string;
}

/** The stage that an ask is for whatever reads of a policy who works: one that may look and nothing else. */
export const ASKED_AS = 'planning';

/** Effects: none. Errors: BadInput where this host has not the task that is meant; RepositoryNotServed, BadRepository; BadConfig, NotTrusted, BadAgent. */
export async function findAsk(
  deps: HostDeps,
  { item, ask, owner, rounds, candidates = [] }: AskInput,
): Promise<AskOwner> {
  const repository = await servedRepository(deps, item.repo);
  const repoKey = repoKeyOf(deps.hostId, repository.commonDir);
  if (repoKey !== item.repoKey) throw badInput('repo', `${item.repo} is another repository than that of the task`);
  const run = inputOfItem(deps.home, { run: { task: '', repo: repository.root }, item: { ...item, rounds }, repoKey });
  const { sha: baseSha } = await resolveBase(repository, run.base);
  const resolved = await resolveRunPolicy(deps, { run, repository, baseSha });
  const policy = withPassedEnvironment(policyOfAsk(resolved.policy, ask), deps.environment);
  const itemDir = join(deps.home.itemsDir(repoKey), item.id);
  const stateDir = join(itemDir, 'asks', ask);
  const [env, checkout] = [captureEnvironment(deps.environment), askTree(stateDir)];
  checkAgents(policy, { env, repository, worktree: checkout });
  const forbidden = [repository.root, checkout];
  const hidden = hiddenPlaces(deps.home.root, { repository });
  const sandbox = await chooseSandbox({ policy, env, forbidden, hidden });
  const group = `${repoKey}/${askPlaceName({ id: item.id, ask })}`;
  const workplace = { group, owner, repository, policy, sandbox, env, stateDir, checkout, git: null };
  return {
    record: { policy },
    stateDir,
    workplace,
    task: run.task,
    title: titleOf(run),
    itemDir,
    tree: { ask, baseSha, keptDir: deps.home.treesDir(repoKey) },
    candidates: candidates.flatMap((id) => textOf(deps.home.itemsDir(repoKey), id)),
  };
}

/** None: its folder is gone. */
function textOf(dir: string, id: string): readonly Candidate[] {
  const record = isItemId(id) ? readItemRecord(join(dir, id)) : null;
  return record === null ? [] : [{ id, task: record.run.task }];
}

function policyOfAsk(policy: Policy, ask: AskName): Policy {
  const own = { ...policy.asks[ask], tools: 'read', contextBytes: DEFAULT_CONTEXT_BYTES } as const;
  return {
    ...policy,
    stages: [ASKED_AS],
    stagePolicies: { ...policy.stagePolicies, [ASKED_AS]: own },
    permissions: 'read-only',
  };
}

/** The policy of a run, from the base commit's config or a trusted text, the host's user config and the run input. Never from a worktree. */
import { join } from 'node:path';
import { readCommand } from '../../config/home/command-store.js';
import { PROJECT_CONFIG, userConfigPath } from '../../config/home/home.js';
import { trustOf } from '../../config/home/trust.js';
import { type PolicySources, type ProjectText, resolvePolicy } from '../../config/resolve/resolve-policy.js';
import { type NotTrusted, selectProjectConfig } from '../../config/resolve/select-config.js';
import { ConfigError, problem } from '../../config/system/config-error.js';
import { type PlacedText, readConfigFile } from '../../config/system/config-text.js';
import { LastFew } from '../../config/system/last-few.js';
import type { RunInput } from '../../protocol/messages/messages.js';
import type { Policy } from '../../protocol/run/policy.js';
import { readFileAt } from '../git/refs/read-file-at.js';
import type { Repository } from '../git/start/contract.js';
import { lastingTrouble } from '../git/start/lasting-trouble.js';
import type { HostDeps } from '../unit/host-deps.js';
import { withConfigRefusals } from '../unit/run-failures.js';

type PolicyDeps = Pick<HostDeps, 'home' | 'environment'>;

export interface PolicyRequest {
  readonly run: RunInput;
  readonly repository: Repository;
  readonly baseSha: string;
}

export interface ResolvedRunPolicy {
  readonly policy: Policy;
  /** SHA-256 of the project's config text, if it counted as trusted: whoever takes the policy over asks for trust in it again. */
  readonly trustedConfig: string | null;
}

/** Errors: BadConfig, BadInput, BadAgent, NotTrusted, each with place, rule and mend. */
export function resolveRunPolicy(deps: PolicyDeps, request: PolicyRequest): Promise<ResolvedRunPolicy> {
  return withConfigRefusals(async () => {
    const { project, trustedConfig } = await projectConfig(deps, request);
    const { run } = request;
    const policy = policyOf({
      runInput: {
        ...(run.preset === undefined ? {} : { preset: run.preset }),
        ...(run.policy === undefined ? {} : { policy: run.policy }),
      },
      project,
      user: userConfig(deps),
      storedCommand: run.commandHash === undefined ? null : readCommand(deps.home.root, run.commandHash),
    });
    return { policy: run.item?.plan === undefined ? policy : withoutPlanning(policy), trustedConfig };
  });
}

/** A run whose plan was made, and agreed to, before it plans nothing itself. Where a plan is all that a run makes, it makes it again. Source: S-38. */
function withoutPlanning(policy: Policy): Policy {
  const stages = policy.stages.filter((stage) => stage !== 'planning');
  return stages.length === 0 ? policy : { ...policy, stages };
}

/** By all that it comes from: runs, asks and steps of a project mostly come from the same texts. */
const resolved = new LastFew<Policy>(16);

function policyOf(sources: PolicySources): Policy {
  const name = JSON.stringify(sources);
  return resolved.get(name) ?? resolved.keep(name, resolvePolicy(sources).policy);
}

/**
 * What a base itself says at one of its commits, under the user's config: no run and no checkout has a word in it. Null: the commit has no config. Errors: as above, but for
 * NotTrusted, which is an answer.
 */
export function resolveBasePolicy(
  deps: PolicyDeps,
  { repository, baseSha }: Omit<PolicyRequest, 'run'>,
): Promise<Policy | NotTrusted | null> {
  return withConfigRefusals(async () => {
    const baseText = await baseTextAt(repository, baseSha);
    const trust = trustOf(deps.home.root, repository.root);
    const choice = selectProjectConfig({ baseText, workingText: null, trust });
    if (choice.kind === 'none') return null;
    if (choice.kind === 'not_trusted') return choice;
    const project = { text: choice.text, name: PROJECT_CONFIG, isTrusted: choice.isTrusted };
    return policyOf({ project, user: userConfig(deps), toLook: true });
  });
}

function userConfig({ environment }: PolicyDeps): PlacedText | null {
  const path = userConfigPath(environment);
  return readConfigFile(path, path);
}

interface ProjectConfig extends Pick<ResolvedRunPolicy, 'trustedConfig'> {
  readonly project: ProjectText | null;
}

async function projectConfig(deps: PolicyDeps, { run, repository, baseSha }: PolicyRequest): Promise<ProjectConfig> {
  const choice = selectProjectConfig({
    ...(await textsOf(repository, baseSha)),
    ...(run.configHash === undefined ? {} : { requestedHash: run.configHash }),
    trust: trustOf(deps.home.root, repository.root),
  });
  switch (choice.kind) {
    case 'none':
      return { project: null, trustedConfig: null };
    case 'chosen':
      return {
        project: { text: choice.text, name: PROJECT_CONFIG, isTrusted: choice.isTrusted },
        trustedConfig: choice.isTrusted ? choice.hash : null,
      };
    case 'not_trusted':
      throw choice.error;
  }
}

function baseTextAt(repository: Repository, baseSha: string): Promise<string | null> {
  return readFileAt(repository, baseSha, PROJECT_CONFIG).catch((error: unknown) => {
    const found = lastingTrouble(error);
    if (found === null) throw error;
    throw new ConfigError([
      problem('BadConfig', PROJECT_CONFIG, { found, rule: 'must be a file that git can read at the base commit' }),
    ]);
  });
}

/** Errors: ConfigError where the text that counts cannot be read: a folder, a FIFO, a link to a device, a file of any size. */
async function textsOf(repository: Repository, baseSha: string) {
  const baseText = await baseTextAt(repository, baseSha);
  try {
    return {
      baseText,
      workingText: readConfigFile(join(repository.root, PROJECT_CONFIG), PROJECT_CONFIG)?.text ?? null,
    };
  } catch (error) {
    if (baseText !== null && error instanceof ConfigError) return { baseText, workingText: null };
    throw error;
  }
}

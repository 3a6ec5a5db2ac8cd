/**
 * Where commands work on a host: a repository, a checkout of the engine's own, what is set up and checked there, and within which limits. A run has one with
 * a branch and a worktree, in which its agents write; without a branch trees are checked and nothing is written.
 */
import type { HomePaths } from '../../config/home/home.js';
import type { Policy } from '../../protocol/run/policy.js';
import type { OpenRunGitInput } from '../git/run/open-run-git.js';
import type { Repository } from '../git/start/contract.js';
import type { SandboxChoice } from '../sandbox/choose-sandbox.js';

export interface Workplace {
  /** Of its processes: `<repoKey>/<name>`. */
  readonly group: string;
  /** The first execution of the workflow whose checkout it is. */
  readonly owner: string;
  readonly repository: Repository;
  readonly policy: Pick<Policy, 'checks' | 'worktree' | 'limits' | 'sandbox'>;
  readonly sandbox: SandboxChoice;
  readonly env: Readonly<Record<string, string>>;
  /** `<home>/state/<repoKey>/<name>`. */
  readonly stateDir: string;
  /** Where checks run. Absolute. */
  readonly checkout: string;
  /** Null: there is no branch, and no worktree. */
  readonly git: BranchGit | null;
}

/** Of a run: agents write in its worktree. */
export interface RunWorkplace extends Workplace {
  readonly git: BranchGit;
}

export interface BranchGit extends OpenRunGitInput {
  readonly baseBranch: string;
}

type GivenToWorkplace = Pick<Workplace, 'owner' | 'repository' | 'policy' | 'sandbox' | 'env'> & {
  readonly repoKey: string;
  /** Of its folders: a run id, or a name that no run has. */
  readonly name: string;
};

/** Without a branch. Effects: none; folders are made by what runs there first. */
export function openWorkplace(home: HomePaths, { repoKey, name, ...given }: GivenToWorkplace): Workplace {
  const { owner, repository, policy, sandbox, env } = given;
  return {
    group: `${repoKey}/${name}`,
    owner,
    repository,
    policy,
    sandbox,
    env,
    stateDir: home.stateDir(repoKey, name),
    checkout: home.validationWorktree(repoKey, name),
    git: null,
  };
}

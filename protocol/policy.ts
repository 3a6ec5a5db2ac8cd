/**
 * The policy of a run as resolved from files and flags (config/ makes it) and frozen into the run's folder on its host.
 * Programs and commands stay on the host: the workflow sees only `RunPolicy`.
 */
import type { Stage, StageListName, TurnStage } from './lifecycle.js';

export const ADAPTERS = ['command', 'scripted'] as const;
export type Adapter = (typeof ADAPTERS)[number];

export interface AgentConfig {
  readonly adapter: Adapter;
  /** Program and leading arguments; the program is a name on PATH or an absolute path. Null for `scripted`. */
  readonly command: readonly [string, ...string[]] | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly model: string | null;
}

export interface StagePolicy {
  readonly agent: string;
  readonly model: string | null;
  readonly effort: string | null;
  readonly timeoutMs: number;
  readonly instructions: string | null;
}

export interface WorktreePolicy {
  /** Shell command lines, run by `/bin/sh -c`. */
  readonly setup: readonly string[];
  /** Globs and paths below the person's checkout. */
  readonly copy: readonly string[];
  readonly link: readonly string[];
  /** Globs; set-up of the validation checkout runs again when one of them changed. */
  readonly setupInputs: readonly string[];
  readonly setupTimeoutMs: number;
}

export interface ValidationPolicy {
  readonly commands: readonly string[];
  readonly timeoutMs: number;
  readonly baseFailures: 'fix' | 'ignore';
}

export interface LimitsPolicy {
  readonly turnMs: number;
  readonly stallMs: number;
  readonly killGraceMs: number;
  readonly orphanGraceMs: number;
  readonly heartbeatMs: number;
  readonly outputBytes: number;
}

/** Everything, on the host only. */
export interface Policy {
  readonly version: 1;
  readonly preset: string;
  readonly stageList: StageListName | 'custom';
  readonly stages: readonly Stage[];
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly stagePolicies: Readonly<Record<TurnStage, StagePolicy>>;
  readonly worktree: WorktreePolicy;
  readonly validation: ValidationPolicy;
  /** Globs over changed paths: a hit needs a person. */
  readonly guardedPaths: readonly string[];
  /** Globs over changed paths and `/regex/` over added lines: a hit ends the run. */
  readonly block: readonly string[];
  readonly limits: LimitsPolicy;
  /** Relative to the repository. */
  readonly runsDir: string;
  readonly durability: 'process' | 'power';
}

export interface StageAgent {
  readonly agent: string;
  readonly adapter: Adapter;
  readonly model: string | null;
  readonly timeoutMs: number;
}

/** What the workflow needs of it, JSON-safe and free of programs. */
export interface RunPolicy {
  readonly preset: string;
  readonly stages: readonly Stage[];
  readonly agentOf: Readonly<Record<TurnStage, StageAgent>>;
  readonly validationCommands: number;
  /** Upper bound of one validation without set-up, in ms. */
  readonly validationBudgetMs: number;
  readonly setupBudgetMs: number;
  readonly heartbeatMs: number;
  readonly killGraceMs: number;
  /** Fix rounds; 0 until rounds exist. */
  readonly rounds: number;
}

export function runPolicyOf(policy: Policy): RunPolicy {
  const agentOf = (stage: TurnStage): StageAgent => {
    const { agent, model, timeoutMs } = policy.stagePolicies[stage];
    const config = policy.agents[agent];
    return { agent, adapter: config?.adapter ?? 'command', model: model ?? config?.model ?? null, timeoutMs };
  };
  return {
    preset: policy.preset,
    stages: policy.stages,
    agentOf: {
      planning: agentOf('planning'),
      architecting: agentOf('architecting'),
      executing: agentOf('executing'),
      reviewing: agentOf('reviewing'),
      fixing: agentOf('fixing'),
      verifying: agentOf('verifying'),
    },
    validationCommands: policy.validation.commands.length,
    validationBudgetMs: policy.validation.commands.length * policy.validation.timeoutMs,
    setupBudgetMs: policy.worktree.setup.length === 0 ? 0 : policy.worktree.setupTimeoutMs,
    heartbeatMs: policy.limits.heartbeatMs,
    killGraceMs: policy.limits.killGraceMs,
    rounds: 0,
  };
}

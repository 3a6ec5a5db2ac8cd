/**
 * The policy of a run as resolved from files and run input (config/ makes it) and frozen into the run's folder on its host.
 * Programs and commands stay on the host: the workflow sees only `RunPolicy`.
 */

import type { AdmissionPolicy, AskName } from './admission-policy.js';
import type { BacklogTerms } from './backlog-policy.js';
import type { BudgetLimits } from './budget-limits.js';
import type { DedupPolicy } from './dedup-policy.js';
import type { ExecutePolicy } from './execute-policy.js';
import type { ForgePolicy } from './forge-policy.js';
import type { ListedGate } from './gate.js';
import type { LandingMode, LandingPolicy } from './landing-policy.js';
import { mayWrite, type Stage, type StageListName, type TurnStage } from './stages.js';

export const ADAPTERS = ['command', 'scripted', 'claude-code', 'codex', 'opencode', 'acp', 'model'] as const;
export type Adapter = (typeof ADAPTERS)[number];

export const MODEL_PROVIDERS = ['anthropic', 'openai', 'openai-compatible'] as const;
/** Whose protocol an agent with the adapter `model` speaks. */
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

export const TOOL_LEVELS = ['read', 'edit', 'run'] as const;
/** What an agent may do by its own tools, each with what stands before it: look, change files, run programs. */
export type ToolLevel = (typeof TOOL_LEVELS)[number];

export interface AgentConfig {
  readonly adapter: Adapter;
  /** Program and leading arguments; the program is a name on PATH or an absolute path. Null for `scripted`; a coding CLI has a name of its own. */
  readonly command: readonly [string, ...string[]] | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that are taken from the worker's environment when a run opens. Where it is missing: none. */
  readonly passEnv?: readonly string[];
  readonly model: string | null;
  /** What works where a turn is too long for `model`. Where it is missing: nothing does. */
  readonly extendedModel?: string;
  /** Name of the agent that is tried once where this one fails (V-125). */
  readonly fallback: string | null;
  /** Absolute path of the folder that holds this agent's login and settings. Where it is missing: the person's own. */
  readonly configDir?: string;
  /** Names the account whose usage limit it works under; where it is missing: the only one of its provider. */
  readonly account?: string;
  /** Of the adapter `model`, and only of it. */
  readonly provider?: ModelProvider;
  /** Where its provider is asked, without a final slash. Where it is missing: at the provider's own address. */
  readonly baseUrl?: string;
  /** Below HOME: what the agent may use there inside a sandbox. Missing where nobody said what it needs. */
  readonly home?: readonly string[];
}

export interface StagePolicy {
  readonly agent: string;
  readonly model: string | null;
  readonly effort: string | null;
  readonly timeoutMs: number;
  readonly instructions: string | null;
  readonly tools: ToolLevel;
  /** A template instead of the opening and sections of the stage's prompt. Null: the built-in ones. */
  readonly prompt: string | null;
  /** Unit: bytes of UTF-8 of one prompt. */
  readonly contextBytes: number;
}

/** Of an ask, which may read and nothing else. */
export type AskPolicy = Omit<StagePolicy, 'tools' | 'contextBytes'>;

export interface WorktreePolicy {
  /** Shell command lines, run by `/bin/sh -c`. */
  readonly setup: readonly string[];
  /** Globs and paths below the person's checkout. */
  readonly copy: readonly string[];
  readonly link: readonly string[];
  /** Globs; set-up of the validation checkout runs again when one of them changed. */
  readonly setupInputs: readonly string[];
  /** Patterns of gitignore(5): what checks left there stays for the next tree. */
  readonly keep: readonly string[];
  readonly setupTimeoutMs: number;
  /** How long the worktree of a closed run stays. Unit: ms; null: until somebody removes it. */
  readonly keptMs: number | null;
}

/** Commands that the engine itself runs on a commit. */
export interface CheckSet {
  readonly commands: readonly string[];
  /** Of each. */
  readonly timeoutMs: number;
  /** What a command counts for that is red on the base commit too. */
  readonly baseFailures: 'fix' | 'ignore';
}

export interface ValidationPolicy extends CheckSet {
  /** `review`: red checks go to the reviewer and cap the end at `blocked` (V-27). */
  readonly onFailure: 'fix' | 'review';
}

/** Source: V-42, V-47, V-49. */
export interface GatesPolicy {
  readonly stages: readonly ListedGate[];
  /** How often a person may request changes at one gate. */
  readonly maxChangeRounds: number;
  /** Unit: ms; null: never. */
  readonly remindMs: number | null;
  readonly escalateMs: number | null;
  readonly expireMs: number | null;
  /** Of a run that nobody attends; 0: at once. */
  readonly unattendedExpireMs: number;
}

export const PERMISSION_MODES = ['read-only', 'ask', 'accept-edits', 'auto'] as const;
/** Source: V-129. */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** Failed attempts count; minutes are those of agents at work, not of waiting. Source: V-130. */
export interface BudgetPolicy extends BudgetLimits {
  readonly onLimit: 'stop' | 'pause';
  /** Of all runs of the project together; null: none. */
  readonly day: DayBudgetPolicy | null;
}

/** Source: V-130. */
export type DayBudgetPolicy = BudgetLimits;

/** Source: V-124. */
export interface UsageLimitPolicy {
  readonly action: 'wait' | 'fallback' | 'stop';
  readonly maxWaitMs: number;
  readonly maxWaits: number;
}

/** Who is told; the host delivers `command` and `webhook`, an attached terminal shows `desktop`. Source: V-134. */
export type NotifySink =
  | { readonly kind: 'desktop' }
  | { readonly kind: 'command'; readonly command: readonly [string, ...string[]] }
  /** `secretEnv` names the worker's environment variable that signs the request; null: unsigned. */
  | { readonly kind: 'webhook'; readonly url: string; readonly secretEnv: string | null };

/** Strictest first. */
export const SANDBOX_USES = ['required', 'auto', 'off'] as const;
export type SandboxUse = (typeof SANDBOX_USES)[number];

/** Strictest first. `proxy`: only the hosts of a list, through a proxy of the sandbox. */
export const NETWORK_USES = ['off', 'proxy', 'on'] as const;
export type NetworkUse = (typeof NETWORK_USES)[number];

export interface SandboxPolicy {
  readonly use: SandboxUse;
  /** Counts inside a sandbox only. */
  readonly network: NetworkUse;
  /** Hosts beside the built-in ones, as a config file writes them. */
  readonly allow: readonly string[];
  /** Below HOME: what agents, set-up and validation commands may use there. */
  readonly home: readonly string[];
}

export interface LimitsPolicy {
  readonly turnMs: number;
  readonly stallMs: number;
  readonly killGraceMs: number;
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
  /** By name. `landing`: of what lands on a base that has this config. */
  readonly checks: { readonly validation: ValidationPolicy; readonly landing: CheckSet };
  /** Globs over changed paths: a hit needs a person. */
  readonly guardedPaths: readonly string[];
  /** Globs over changed paths and `/regex/` over added lines: a hit ends the run. */
  readonly block: readonly string[];
  readonly limits: LimitsPolicy;
  /** Relative to the repository. */
  readonly runsDir: string;
  readonly durability: 'process' | 'power';
  /** Fix rounds that the run may have, 0 to 20 (V-23). */
  readonly rounds: number;
  readonly gates: GatesPolicy;
  /** Null: nobody configured it, so the way of the start decides. */
  readonly attended: boolean | null;
  readonly holdAtCompletion: boolean;
  readonly permissions: PermissionMode;
  readonly budget: BudgetPolicy;
  readonly usageLimit: UsageLimitPolicy;
  readonly notify: readonly NotifySink[];
  readonly sandbox: SandboxPolicy;
  readonly landing: LandingPolicy;
  readonly forge: ForgePolicy;
  readonly backlog: BacklogTerms;
  readonly admission: AdmissionPolicy;
  readonly dedup: DedupPolicy;
  readonly asks: Readonly<Record<AskName, AskPolicy>>;
  readonly execute: ExecutePolicy;
  /** What the branches of its items begin with. */
  readonly branch: { readonly prefix: string };
  /** Null: its folder's. */
  readonly project: { readonly name: string | null };
}

export type CheckSetName = keyof Policy['checks'];

export interface StageAgent {
  readonly agent: string;
  readonly adapter: Adapter;
  readonly model: string | null;
  readonly timeoutMs: number;
  readonly fallback: string | null;
  /** Null: there is no fallback agent. */
  readonly fallbackAdapter: Adapter | null;
  /** Whose usage limit it works under, `<provider>/<account>`. */
  readonly account: string;
  /** Null: there is none. */
  readonly extendedModel: string | null;
}

/** What of it the workflow is told as it stands. */
export const TOLD = [
  'preset',
  'stages',
  'gates',
  'attended',
  'holdAtCompletion',
  'permissions',
  'budget',
  'usageLimit',
] as const satisfies readonly (keyof Policy)[];

/** What the workflow needs of it, JSON-safe and free of programs. `rounds`: 0 where the stages have no fixing. */
export interface RunPolicy extends Pick<Policy, (typeof TOLD)[number] | 'rounds'> {
  /** Null: nobody works in the stage, which is none of the run's. */
  readonly agentOf: Readonly<Record<TurnStage, StageAgent | null>>;
  readonly validationCommands: number;
  /** Upper bound of one validation without set-up, in ms. */
  readonly validationBudgetMs: number;
  readonly setupBudgetMs: number;
  readonly heartbeatMs: number;
  readonly killGraceMs: number;
  readonly onValidationFailure: 'fix' | 'review';
  /** Kinds of the sinks that the host delivers to, in the order of `Policy.notify`; `desktop` is none of them. */
  readonly sinks: readonly ('command' | 'webhook')[];
  readonly landing: LandingMode;
  /** Absent where the change is made by one turn. */
  readonly execute?: Pick<ExecutePolicy, 'until' | 'keepTree'> & Partial<Pick<ExecutePolicy, 'stepCheck'>>;
}

/** What a stage may do where nobody says so; one that may not write never gets more than this. */
export function defaultTools(stage: TurnStage): ToolLevel {
  return mayWrite(stage) ? 'run' : 'read';
}

/** The sinks that the host delivers to; `RunPolicy.sinks` and the activity count them alike. */
export function hostSinks(sinks: readonly NotifySink[]): readonly Exclude<NotifySink, { kind: 'desktop' }>[] {
  return sinks.filter((sink) => sink.kind !== 'desktop');
}

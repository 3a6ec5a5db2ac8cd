/**
 * The contract between a turn and the adapters that know one kind of agent each.
 * An adapter says what to run and how the result is read; it starts nothing, waits for nothing and never sleeps: processes belong
 * to the guard, retries to the workflow. Why `Agent.start` is split so: docs/decisions/0002-agent-adapters-describe-commands.md.
 */
import type { PermissionAnswer, TurnOutcome } from '../../protocol/run/outcomes.js';
import type { AgentConfig, PermissionMode, StagePolicy, ToolLevel } from '../../protocol/run/policy.js';
import type { TurnName } from '../../protocol/run/turn-name.js';
import type { JsonEvent } from './events/read-json-lines.js';

export interface TurnRequest {
  readonly stage: TurnName;
  readonly round: number;
  /** Of the plan, which the turn does; absent where it does none. */
  readonly step?: number;
  readonly ask: 'work' | 'decision';
  /** The whole text, as `composePrompt` made it. */
  readonly prompt: string;
  /** Absolute path of the worktree. */
  readonly cwd: string;
  readonly config: AgentConfig;
  readonly stagePolicy: StagePolicy;
  /** What the agent may do in this turn; never more than `read` where the turn may not write. */
  readonly tools: ToolLevel;
  /** Of the run: whether people decide what goes beyond changing files. */
  readonly permissions: PermissionMode;
  /** What people chose where earlier attempts of this turn asked for permission. */
  readonly permissionAnswers: readonly PermissionAnswer[];
  /** The conversation to go on with; null: a new one. */
  readonly resume: Conversation | null;
  /** The allowlisted base, as `captureEnvironment` made it at run start. */
  readonly env: Readonly<Record<string, string>>;
  /** Of this prompt; it never enters the environment, where it would outlive the prompt. */
  readonly decisionCode: string;
}

/** A conversation that a CLI keeps, and what it had used when a turn ended. */
export interface Conversation {
  /** The CLI's own name of it. */
  readonly id: string;
  /** As this CLI counts: some tell the sum over a conversation, and the turn is what was added. Null: not told yet. */
  readonly totals: TurnUsage;
}

export interface TurnCommand {
  readonly argv: readonly [string, ...string[]];
  /** Index in `argv` of a program that the command itself starts; it is looked for like the first. Missing where it starts none. */
  readonly starts?: number;
  /** The whole environment; the guard adds only the turn tag. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

/** How the process ended. Shape: `exitCode` and `signal` are both null where nobody saw the end. */
export interface AgentExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly reason: 'exited' | 'timed_out' | 'stalled' | 'aborted' | 'interrupted' | 'output_limit';
  /** ISO 8601, UTC. What it printed about times was meant then, however late it is read. */
  readonly endedAt: string;
  /** The disk of its output was full. */
  readonly diskFull?: boolean;
  /** Absolute paths of what it printed. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Of one turn. Unit: tokens, those read from a cache included; integer micro-dollars. Null: the agent does not say. */
export interface TurnUsage {
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costMicroUsd: number | null;
}

/** What a finished process meant. `why` and `text` may quote the agent: whoever lets them leave the host redacts them first. */
export interface TurnReading {
  /** `done` or a kind of failure; `no_change` and what the diff check finds are decided by the turn. */
  readonly outcome: TurnOutcome;
  /** The agent's final text, also of a failed turn; cut in the middle above `MAX_TEXT_BYTES`. */
  readonly text: string;
  readonly usage: TurnUsage;
  /** What a later turn can go on with, or null. */
  readonly conversation: Conversation | null;
  /** Tool calls that the agent was refused. */
  readonly denied: number;
}

export interface AgentCapabilities {
  /** Can go on with an earlier conversation. */
  readonly resume: boolean;
  /** Sees nothing but its prompt, so the repository must come with it. Other agents work in the worktree. */
  readonly promptOnly?: true;
}

/** What one line of an agent's output says to whoever watches. `piece`: of a text that comes in parts. */
export type Glance =
  | { readonly kind: 'said' | 'piece'; readonly text: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'command_ended' };

export interface AgentAdapter {
  readonly capabilities: AgentCapabilities;
  /** Errors: `BadAgent`, retried by nobody, if the config cannot name a command. */
  command(turn: TurnRequest): TurnCommand;
  /** Errors: those of reading the two files. Everything an agent can do is an outcome. */
  read(turn: TurnRequest, exit: AgentExit): Promise<TurnReading>;
  /** Of an agent that prints events; without it what it prints is text. Null: nothing to show. */
  readonly glance?: (event: JsonEvent) => Glance | null;
}

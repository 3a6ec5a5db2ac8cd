/** What a turn hands to its agent: the composed prompt and the command that the guard starts. */

import { resolveProgram } from '../../config/resolve-program.js';
import type { ArtifactRef } from '../../protocol/artifact.js';
import type { Finding } from '../../protocol/finding.js';
import type { CommandOutput, RunTurnInput } from '../../protocol/messages.js';
import type { ValidationReport } from '../../protocol/outcomes.js';
import { titleOf } from '../../protocol/run-input.js';
import { adapterOf } from '../agent/agent-adapters.js';
import type { AgentAdapter, TurnCommand, TurnRequest } from '../agent/contract.js';
import { composePrompt } from '../agent/prompts/compose-prompt.js';
import { toolLevelOf } from '../agent/tool-level.js';
import { stagePolicyOf } from '../agent/turn-agent.js';
import type { ArtifactStore } from '../journal/artifact-store.js';
import type { HostDeps } from './host-deps.js';
import { artifactsOf } from './run-projection.js';
import type { RunOnHost } from './run-record.js';
import { conversationAt } from './turn-conversation.js';
import { badAgent, programProblem } from './turn-failures.js';
import { readTurnText } from './turn-text.js';

export interface PreparedTurn {
  readonly request: TurnRequest;
  readonly adapter: AgentAdapter;
  readonly command: TurnCommand;
}

/** Errors: BadAgent, if the policy names none or its program cannot be run. */
export async function prepareTurn(deps: HostDeps, run: RunOnHost, input: RunTurnInput): Promise<PreparedTurn> {
  const { policy, worktree, repository } = run.record;
  const stagePolicy = stagePolicyOf(policy, input);
  const config = policy.agents[stagePolicy.agent];
  if (config === undefined) throw badAgent(`stage ${input.stage} names the agent "${stagePolicy.agent}", which is not configured`);
  const adapter = adapterOf(config, deps.scriptedEntry === undefined ? {} : { scriptedEntry: deps.scriptedEntry });
  const worker = { agent: stagePolicy.agent, adapter: config.adapter };
  const resume = input.continues === undefined ? null : conversationAt(deps.home, { run, place: input.continues }, worker);
  const request: TurnRequest = {
    stage: input.stage,
    round: input.round,
    ask: input.ask,
    prompt: await promptOf(deps, run, input),
    cwd: worktree,
    config,
    stagePolicy,
    tools: toolLevelOf(policy, input.stage, stagePolicy),
    permissions: policy.permissions,
    permissionAnswers: input.permissions ?? [],
    resume: adapter.capabilities.resume ? resume : null,
    env: run.env,
    decisionCode: input.decisionCode,
  };
  const command = adapter.command(request);
  const find = (name: string): string => {
    const program = resolveProgram(name, { path: command.env['PATH'] ?? '', forbidden: [repository.root, worktree] });
    if (program.kind === 'found') return program.path;
    throw badAgent(`the program of agent "${stagePolicy.agent}" cannot be run: ${programProblem(program)}`);
  };
  const [first, ...others] = command.argv;
  const args = others.map((argument, index) => (index + 1 === command.starts ? find(argument) : argument));
  return { request, adapter, command: { ...command, argv: [find(first), ...args] } };
}

async function promptOf(deps: HostDeps, run: RunOnHost, input: RunTurnInput): Promise<string> {
  const { record } = run;
  const artifacts = artifactsOf(deps, run);
  return composePrompt({
    stage: input.stage,
    ask: input.ask,
    task: record.input.task,
    title: titleOf(record.input),
    round: input.round,
    decisionCode: input.decisionCode,
    baseSha: record.baseSha,
    head: input.expectedHead,
    branch: record.branch,
    plan: await textOf(artifacts, input.context.plan),
    architecture: await textOf(artifacts, input.context.architecture),
    validation: await readReport(artifacts, input.context.validation),
    validationOutput: await readList<CommandOutput>(artifacts, input.context.validationOutput),
    review: await textOf(artifacts, input.context.review),
    findings: await readList<Finding>(artifacts, input.context.findings),
    notes: input.notes ?? [],
    readOnly: record.policy.permissions === 'read-only',
    instructions: record.policy.stagePolicies[input.stage].instructions,
    previousOutput: input.previousTurn === null ? null : readTurnText(deps.home, run, input.previousTurn),
  });
}

async function textOf(artifacts: ArtifactStore, ref: ArtifactRef | null): Promise<string | null> {
  return ref === null ? null : artifacts.get(ref);
}

async function readReport(artifacts: ArtifactStore, ref: ArtifactRef | null): Promise<ValidationReport | null> {
  // Stored by validate under its own hash, which get() checks.
  return ref === null ? null : (JSON.parse(await artifacts.get(ref)) as ValidationReport);
}

/**
 * A list that an activity of ours stored. Redaction of the whole text may have cut through its JSON: then it is empty, since a prompt without it
 * is better than a turn that can never start.
 */
export async function readList<Entry>(artifacts: ArtifactStore, ref: ArtifactRef | null | undefined): Promise<readonly Entry[]> {
  if (ref === null || ref === undefined) return [];
  const text = await artifacts.get(ref);
  try {
    const value: unknown = JSON.parse(text);
    // The hash of the reference vouches for the type.
    return Array.isArray(value) ? (value as Entry[]) : [];
  } catch {
    return [];
  }
}

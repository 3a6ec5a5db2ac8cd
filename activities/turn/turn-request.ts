/** What a turn hands to its agent: the composed prompt and the command that the guard starts. */

import type { CommandOutput, RunTurnInput } from '../../protocol/messages/messages.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import type { Finding } from '../../protocol/run/finding.js';
import type { ValidationReport } from '../../protocol/run/outcomes.js';
import type { AgentConfig, Policy, ToolLevel } from '../../protocol/run/policy.js';
import { adapterOf } from '../agent/agent-adapters.js';
import type { AgentAdapter, TurnCommand, TurnRequest } from '../agent/contract.js';
import { toolLevelOf } from '../agent/environment/tool-level.js';
import { stagePolicyOf } from '../agent/environment/turn-agent.js';
import { type ComposedPrompt, composePrompt } from '../agent/prompts/compose-prompt.js';
import { contextBytesOf } from '../agent/prompts/context-share.js';
import type { ArtifactStore } from '../journal/artifact-store.js';
import { readList } from '../journal/read-list.js';
import { stepPromptOf } from '../steps/step-prompt.js';
import type { HostDeps } from '../unit/host-deps.js';
import { artifactsOf } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';
import { repositoryText } from './repository-text.js';
import { conversationAt } from './turn-conversation.js';
import { badAgent } from './turn-failures.js';
import { readTurnText } from './turn-text.js';

export interface PreparedTurn {
  readonly request: TurnRequest;
  readonly adapter: AgentAdapter;
  readonly command: TurnCommand;
  /** The prompt leaves out some of what the turn was to be given. */
  readonly promptCut: boolean;
}

/** Errors: BadAgent, if the policy names none. */
export async function prepareTurn({
  deps,
  run,
  input,
  git,
}: Omit<TurnOnHost, 'place' | 'signals'>): Promise<PreparedTurn> {
  const { record } = run;
  const { policy, worktree } = record;
  const stagePolicy = stagePolicyOf(policy, input);
  const config = configOf(policy, stagePolicy.agent);
  const adapter = adapterOf(config, deps.scriptedEntry === undefined ? {} : { scriptedEntry: deps.scriptedEntry });
  const worker = { agent: stagePolicy.agent, adapter: config.adapter };
  const resume = input.continues === null ? null : conversationAt(deps.home, { run, place: input.continues }, worker);
  const tools = toolLevelOf(policy, input.stage, stagePolicy);
  const composed = await promptOf(deps, run, { input, tools });
  const prompt =
    adapter.capabilities.promptOnly === true ? await withRepository(composed, { git, run, input }) : composed;
  const request: TurnRequest = {
    stage: input.stage,
    round: input.round,
    ask: input.ask,
    prompt: prompt.text,
    cwd: worktree,
    config,
    stagePolicy,
    tools,
    permissions: policy.permissions,
    permissionAnswers: input.permissions,
    resume: adapter.capabilities.resume ? resume : null,
    env: run.workplace.env,
    decisionCode: input.decisionCode,
    ...(input.step === undefined ? {} : { step: input.step.seq }),
  };
  return { request, adapter, command: adapter.command(request), promptCut: prompt.cut };
}

async function promptOf(
  deps: HostDeps,
  run: RunOnHost,
  { input, tools }: { readonly input: RunTurnInput; readonly tools: ToolLevel },
): Promise<ComposedPrompt> {
  const { record } = run;
  const own = record.policy.stagePolicies[input.stage];
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
    notes: input.notes,
    readOnly: record.policy.permissions === 'read-only',
    tools,
    instructions: own.instructions,
    template: own.prompt,
    contextBytes: contextBytesOf(own, input.afterOverflow),
    afterOverflow: input.afterOverflow !== null,
    previousOutput: input.previousTurn === null ? null : readTurnText(deps.home, run, input.previousTurn),
    step: input.step === undefined ? null : await stepPromptOf(deps, run, input.step),
  });
}

async function withRepository(
  prompt: ComposedPrompt,
  { git, run, input }: Pick<TurnOnHost, 'git' | 'run' | 'input'>,
): Promise<ComposedPrompt> {
  const { policy, baseSha } = run.record;
  const contextBytes = contextBytesOf(policy.stagePolicies[input.stage], input.afterOverflow);
  const shown = await repositoryText(git, { baseSha, contextBytes, turn: input });
  return { text: `${prompt.text}${shown.text}`, cut: prompt.cut || shown.cut };
}

async function textOf(artifacts: ArtifactStore, ref: ArtifactRef | null): Promise<string | null> {
  return ref === null ? null : artifacts.get(ref);
}

async function readReport(artifacts: ArtifactStore, ref: ArtifactRef | null): Promise<ValidationReport | null> {
  // Stored by validate under its own hash, which get() checks.
  return ref === null ? null : (JSON.parse(await artifacts.get(ref)) as ValidationReport);
}

/** Errors: BadAgent. */
export function configOf({ agents }: Pick<Policy, 'agents'>, agent: string): AgentConfig {
  const config = agents[agent];
  if (config === undefined) throw badAgent(`a stage names the agent "${agent}", which is not configured`);
  return config;
}

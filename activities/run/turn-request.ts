/** What a turn hands to its agent: the composed prompt and the command that the guard starts. */

import { resolveProgram } from '../../config/resolve-program.js';
import type { ArtifactRef } from '../../protocol/artifact.js';
import type { RunTurnInput } from '../../protocol/messages.js';
import type { ValidationReport } from '../../protocol/outcomes.js';
import { titleOf } from '../../protocol/run-input.js';
import { adapterOf } from '../agent/agent-adapters.js';
import type { AgentAdapter, TurnCommand, TurnRequest } from '../agent/contract.js';
import { composePrompt } from '../agent/prompts/compose-prompt.js';
import type { ArtifactStore } from '../journal/artifact-store.js';
import type { HostDeps } from './host-deps.js';
import { artifactsOf } from './run-projection.js';
import type { RunOnHost } from './run-record.js';
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
  const stagePolicy = policy.stagePolicies[input.stage];
  const config = policy.agents[stagePolicy.agent];
  if (config === undefined) throw badAgent(`stage ${input.stage} names the agent "${stagePolicy.agent}", which is not configured`);
  const request: TurnRequest = {
    stage: input.stage,
    round: input.round,
    ask: input.ask,
    prompt: await promptOf(deps, run, input),
    cwd: worktree,
    config,
    stagePolicy,
    env: run.env,
    decisionCode: input.decisionCode,
  };
  const adapter = adapterOf(config, deps.scriptedEntry === undefined ? {} : { scriptedEntry: deps.scriptedEntry });
  const command = adapter.command(request);
  const [name, ...args] = command.argv;
  const program = resolveProgram(name, { path: command.env['PATH'] ?? '', forbidden: [repository.root, worktree] });
  if (program.kind !== 'found') throw badAgent(`the program of agent "${stagePolicy.agent}" cannot be run: ${programProblem(program)}`);
  return { request, adapter, command: { ...command, argv: [program.path, ...args] } };
}

async function promptOf(deps: HostDeps, run: RunOnHost, input: RunTurnInput): Promise<string> {
  const { record } = run;
  const artifacts = artifactsOf(deps, run);
  const validation = await readReport(artifacts, input.context.validation);
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
    validation,
    // Red commands end the run before any later prompt until fix rounds exist.
    validationOutput: [],
    review: await textOf(artifacts, input.context.review),
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

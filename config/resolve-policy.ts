/**
 * Files, run input and flags to the Policy of a run. Precedence: flags > run input > project > user > a project that nobody trusted >
 * preset > defaults; for limits the stricter wins. Pure: texts come in, nothing is read. Trust is decided before, in select-config.ts.
 */

import type { TurnStage } from '../protocol/lifecycle.js';
import type { RunInput } from '../protocol/messages.js';
import type { LimitsPolicy, Policy, ValidationPolicy, WorktreePolicy } from '../protocol/policy.js';
import { ConfigError, type Problem, refuse, shownValue } from './config-error.js';
import { type PlacedText, problem } from './config-text.js';
import type { KeyValue } from './keys.js';
import { defaultOf, firstOf, type Layers, type Sourced } from './layer-merge.js';
import { writingModels } from './model-agents.js';
import { type Layer, parseConfigFile, parseConfigValue } from './parse-config.js';
import { type PolicyReader, readPolicy } from './policy-reader.js';
import { PRESETS } from './presets.js';
import { resolveAgents, resolveStages } from './resolve-agents.js';
import { idleGates, resolveLifecycle, uncountedMoney } from './resolve-lifecycle.js';
import { resolveSandbox } from './resolve-sandbox.js';

export interface ProjectText extends PlacedText {
  /** A person trusted this text. Without that it only makes stricter, adds to lists, and chooses where nobody else does. */
  readonly isTrusted: boolean;
}

export interface PolicySources {
  /** In the shape of a config file, under the rules of run input. */
  readonly flags?: unknown;
  readonly runInput?: Pick<RunInput, 'preset' | 'policy'>;
  readonly project?: ProjectText;
  readonly user?: PlacedText;
  /** The command that the run's `commandHash` names; it becomes the agent `command`, and the run's agent if none is named. */
  readonly storedCommand?: readonly [string, ...string[]];
  /** To look at, not to run: a stage without an agent is no error and has the agent `none`. */
  readonly toLook?: boolean;
}

export interface ResolvedPolicy {
  readonly policy: Policy;
  /** Per dotted key: `flag`, `run input`, `file:line`, `preset X` or `default`. Agents are one key each. */
  readonly origin: Readonly<Record<string, string>>;
}

/**
 * **Errors** ConfigError with every problem of every source: BadInput names a field of the start input, BadAgent means that
 * nobody works in a stage, everything else is BadConfig.
 */
export function resolvePolicy(sources: PolicySources): ResolvedPolicy {
  const { layers, preset } = readLayers(sources);
  const read = readPolicy(layers);
  const choice = read.first('stageList');
  const table = resolveAgents(layers, sources.storedCommand ?? null);
  const turns = choice.stages.filter((stage): stage is TurnStage => stage !== 'validating');
  const stages = resolveStages(layers, table, sources.toLook === true ? [] : turns);
  refuse(table.problems);
  refuse(stages.problems);
  const workers = { agents: table.agents, stagePolicies: stages.stagePolicies };
  refuse([...idleGates(layers), ...writingModels(layers, workers, turns), ...uncountedMoney(layers, workers, turns)]);
  const policy: Policy = {
    version: 1,
    preset: read.note('preset', preset),
    stageList: choice.name,
    stages: choice.stages,
    agents: table.agents,
    stagePolicies: stages.stagePolicies,
    worktree: resolveWorktree(read),
    validation: resolveValidation(read),
    guardedPaths: read.union('guardedPaths'),
    block: read.union('block'),
    limits: resolveLimits(read),
    runsDir: read.first('runsDir'),
    durability: read.first('engine.durability'),
    ...resolveLifecycle(read),
    sandbox: resolveSandbox(read),
  };
  read.first('version');
  read.optional('agent');
  return { policy, origin: { ...read.origin, ...table.origins, ...stages.origins } };
}

function resolveWorktree(read: PolicyReader): WorktreePolicy {
  return {
    setup: read.first('worktree.setup'),
    copy: read.first('worktree.copy'),
    link: read.first('worktree.link'),
    setupInputs: read.union('worktree.setupInputs'),
    setupTimeoutMs: read.strictest('worktree.setupTimeout'),
  };
}

function resolveValidation(read: PolicyReader): ValidationPolicy {
  return {
    commands: read.first('validation.commands'),
    timeoutMs: read.strictest('validation.timeout'),
    baseFailures: read.first('validation.baseFailures'),
    onFailure: read.first('validation.onFailure'),
  };
}

function resolveLimits(read: PolicyReader): LimitsPolicy {
  return {
    turnMs: read.strictest('limits.turn'),
    stallMs: read.strictest('limits.stall'),
    killGraceMs: read.strictest('limits.killGrace'),
    orphanGraceMs: read.strictest('limits.orphanGrace'),
    heartbeatMs: read.strictest('limits.heartbeat'),
    outputBytes: read.strictest('limits.outputBytes'),
  };
}

interface ReadLayers {
  readonly layers: Layers;
  readonly preset: Sourced<KeyValue<'preset'>>;
}

/** Reads every source before it refuses, so that one look shows all that is wrong. */
function readLayers(sources: PolicySources): ReadLayers {
  const problems: Problem[] = [];
  const layers: Layer[] = [];
  const read = (make: () => Layer) => {
    try {
      layers.push(make());
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
    }
  };
  const { flags, runInput, project, user, storedCommand } = sources;
  if (flags !== undefined) read(() => parseConfigValue('flag', flags, 'flag'));
  read(() => parseConfigValue('run input', inputConfig(runInput, storedCommand !== undefined), 'policy'));
  if (project?.isTrusted === true) read(() => parseConfigFile('project', project));
  if (user !== undefined) read(() => parseConfigFile('user', user));
  if (project?.isTrusted === false) read(() => parseConfigFile('untrusted', project));
  refuse(problems);
  const preset = firstOf(layers, 'preset') ?? defaultOf('preset');
  const base = parseConfigValue('preset', PRESETS[preset.value], `preset ${preset.value}`);
  return { layers: [...layers, base], preset };
}

/** `preset` stands beside `policy` in a start input; both are one config. */
function inputConfig(input: PolicySources['runInput'], hasStoredCommand: boolean): unknown {
  const policy: unknown = input?.policy ?? {};
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) return policy;
  const named = 'preset' in policy ? policy.preset : undefined;
  if (input?.preset !== undefined && named !== undefined && named !== input.preset) {
    const found = `preset is ${shownValue(input.preset)} and policy.preset is ${shownValue(named)}`;
    const mend = 'Leave out one of the two in the start input';
    throw new ConfigError([problem('BadInput', 'run input', { key: 'preset', found, rule: 'a key must stand once', mend })]);
  }
  return {
    ...(hasStoredCommand && !('agent' in policy) ? { agent: 'command' } : {}),
    ...policy,
    ...(input?.preset === undefined ? {} : { preset: input.preset }),
  };
}

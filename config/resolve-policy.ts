/**
 * Files, run input and flags to the Policy of a run. Precedence: flags > run input > project > user > preset > defaults;
 * for limits the stricter wins. Pure: texts come in, nothing is read. Trust is decided before, in select-config.ts.
 */

import type { TurnStage } from '../protocol/lifecycle.js';
import type { RunInput } from '../protocol/messages.js';
import type { LimitsPolicy, Policy, ValidationPolicy, WorktreePolicy } from '../protocol/policy.js';
import { ConfigError, type Problem, refuse, shownValue } from './config-error.js';
import { type PlacedText, problem } from './config-text.js';
import type { KeyName, KeyValue } from './keys.js';
import { defaultOf, firstOf, type Layers, type Sourced, strictestOf, unionOf } from './layer-merge.js';
import { type Layer, parseConfigFile, parseConfigValue } from './parse-config.js';
import { PRESETS } from './presets.js';
import { resolveAgents, resolveStages } from './resolve-agents.js';

export interface PolicySources {
  /** In the shape of a config file, under the rules of run input. */
  readonly flags?: unknown;
  readonly runInput?: Pick<RunInput, 'preset' | 'policy'>;
  readonly project?: PlacedText;
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
  const origin: Record<string, string> = { preset: preset.origin };
  const note = <T>(key: string, sourced: Sourced<T>): T => {
    origin[key] = sourced.origin;
    return sourced.value;
  };
  const first = <K extends KeyName>(key: K): KeyValue<K> => note(key, firstOf(layers, key) ?? defaultOf(key));
  const limit = (key: LimitKey): number => note(key, strictestOf(layers, key, defaultOf(key)));
  const union = (key: 'guardedPaths' | 'block') => note(key, unionOf(layers, key) ?? defaultOf(key));
  const choice = first('stageList');
  const table = resolveAgents(layers, sources.storedCommand ?? null);
  const needed = choice.stages.filter((stage): stage is TurnStage => stage !== 'validating');
  const stages = resolveStages(layers, table, sources.toLook === true ? [] : needed);
  refuse(table.problems);
  refuse(stages.problems);
  origin['version'] = firstOf(layers, 'version')?.origin ?? 'default';
  origin['agent'] = firstOf(layers, 'agent')?.origin ?? 'default';
  const policy: Policy = {
    version: 1,
    preset: preset.value,
    stageList: choice.name,
    stages: choice.stages,
    agents: table.agents,
    stagePolicies: stages.stagePolicies,
    worktree: {
      setup: first('worktree.setup'),
      copy: first('worktree.copy'),
      link: first('worktree.link'),
      setupInputs: first('worktree.setupInputs'),
      setupTimeoutMs: limit('worktree.setupTimeout'),
    } satisfies WorktreePolicy,
    validation: {
      commands: first('validation.commands'),
      timeoutMs: limit('validation.timeout'),
      baseFailures: first('validation.baseFailures'),
    } satisfies ValidationPolicy,
    guardedPaths: union('guardedPaths'),
    block: union('block'),
    limits: resolveLimits(limit),
    runsDir: first('runsDir'),
    durability: first('engine.durability'),
  };
  return { policy, origin: { ...origin, ...table.origins, ...stages.origins } };
}

type LimitKey = Extract<KeyName, `limits.${string}`> | 'worktree.setupTimeout' | 'validation.timeout';

function resolveLimits(limit: (key: LimitKey) => number): LimitsPolicy {
  return {
    turnMs: limit('limits.turn'),
    stallMs: limit('limits.stall'),
    killGraceMs: limit('limits.killGrace'),
    orphanGraceMs: limit('limits.orphanGrace'),
    heartbeatMs: limit('limits.heartbeat'),
    outputBytes: limit('limits.outputBytes'),
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
  if (project !== undefined) read(() => parseConfigFile('project', project));
  if (user !== undefined) read(() => parseConfigFile('user', user));
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

/**
 * Files and run input to the Policy of a run. Precedence: run input > project > user > a project that nobody trusted >
 * preset > defaults; for limits the stricter wins. Pure: texts come in, nothing is read. Trust is decided before, in select-config.ts.
 */
import type { RunInput } from '../../protocol/messages/messages.js';
import { asksOf } from '../../protocol/run/admission-policy.js';
import { LISTED_GATES, type ListedGate } from '../../protocol/run/gate.js';
import type { CheckSet, Policy } from '../../protocol/run/policy.js';
import { listTurns } from '../agents/used-agents.js';
import { PRESETS } from '../keys/presets.js';
import type { Layers, Sourced } from '../layers/layer-merge.js';
import { type Layer, parseConfigFile, parseConfigValue } from '../layers/parse-config.js';
import { type KeyValues, type Placed, placeValues, readKey, readKeys } from '../layers/read-keys.js';
import { ConfigError, type Problem, problem, refuse, shownValue } from '../system/config-error.js';
import type { PlacedText } from '../system/config-text.js';
import { planningModels, writingModels } from './model-agents.js';
import { resolveAgents, resolveAsks, resolveStages } from './resolve-agents.js';
import { idleGates, landingModeBelow, uncountedMoney, unshownPulls } from './resolve-lifecycle.js';

export interface ProjectText extends PlacedText {
  /** A person trusted this text. Without that it only makes stricter, adds to lists, and chooses where nobody else does. */
  readonly isTrusted: boolean;
}

export interface PolicySources {
  readonly runInput?: Pick<RunInput, 'preset' | 'policy'>;
  readonly project?: ProjectText | null;
  readonly user?: PlacedText | null;
  /** The command that the run's `commandHash` names; it becomes the agent `command`, and the run's agent if none is named. */
  readonly storedCommand?: readonly [string, ...string[]] | null;
  /** To look at, not to run: a stage without an agent is no error and has the agent `none`. */
  readonly toLook?: boolean;
}

export interface ResolvedPolicy {
  readonly policy: Policy;
  /** Per dotted key, and where it comes from. Agents are one key each. */
  readonly values: Readonly<Record<string, Sourced<unknown>>>;
}

/**
 * **Errors** ConfigError with every problem of every source: BadInput names a field of the start input, BadAgent means that
 * nobody works in a stage, everything else is BadConfig.
 */
export function resolvePolicy(sources: PolicySources): ResolvedPolicy {
  const layers = readLayers(sources);
  const read = readKeys(layers, '');
  const forgeRepo = read['forge.repo'].value;
  const values = {
    ...read,
    'gates.stages': { ...read['gates.stages'], value: inOrder(read['gates.stages'].value) },
    'landing.mode': readKey(layers, 'landing.mode', { base: landingModeBelow(forgeRepo) }),
  };
  const { name: stageList, stages } = values.stageList.value;
  const table = resolveAgents(layers, sources.storedCommand ?? null);
  const execute = { until: values['execute.until'].value, stepCheck: values['execute.stepCheck'].value };
  const turns = listTurns({ stages, execute });
  const staged = resolveStages(layers, table, sources.toLook === true ? [] : turns);
  const asksNeeded = asksOf({ order: values['admission.order'].value }, { ask: values['dedup.ask'].value }).flat();
  const asked = resolveAsks(layers, table, sources.toLook === true ? [] : asksNeeded);
  refuse(table.problems);
  refuse([...staged.problems, ...asked.problems]);
  const { agents } = table;
  const { stagePolicies } = staged;
  const workers = { agents, stagePolicies };
  refuse([
    ...idleGates(layers, values['landing.mode'].value),
    ...unshownPulls(layers, { mode: values['landing.mode'].value, forgeRepo }),
    ...writingModels(layers, workers, turns),
    ...(asksNeeded.includes('plan') ? planningModels(layers, agents, asked.asks.plan) : []),
    ...uncountedMoney(layers, workers, turns),
  ]);
  const placed = placeValues(values);
  const policy: Policy = {
    ...placed,
    version: 1,
    stageList,
    stages,
    agents,
    stagePolicies,
    asks: asked.asks,
    budget: budgetOf(placed.budget),
    checks: { ...placed.checks, landing: landingChecks(placed) },
  };
  return { policy, values: { ...values, ...table.values, ...staged.values, ...asked.values } };
}

function inOrder(gated: readonly ListedGate[]): readonly ListedGate[] {
  return LISTED_GATES.filter((stage) => gated.includes(stage));
}

/** What is red on the base too is red: nothing that is red lands. */
function landingChecks({ checks, landing }: Pick<Placed<KeyValues<''>>, 'checks' | 'landing'>): CheckSet {
  const { commands, timeoutMs } = checks.validation;
  return { commands: [...new Set([...commands, ...landing.required])], timeoutMs, baseFailures: 'fix' };
}

/** Without a limit of the day there is none: such a run asks no ledger. */
function budgetOf(budget: Placed<KeyValues<''>>['budget']): Policy['budget'] {
  return { ...budget, day: Object.values(budget.day).every((limit) => limit === null) ? null : budget.day };
}

/** Reads every source before it refuses, so that one look shows all that is wrong. */
function readLayers(sources: PolicySources): Layers {
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
  const { runInput, project, user = null, storedCommand = null } = sources;
  read(() => parseConfigValue('run input', inputConfig(runInput, storedCommand !== null), 'policy'));
  if (project?.isTrusted === true) read(() => parseConfigFile('project', project));
  if (user !== null) read(() => parseConfigFile('user', user));
  if (project?.isTrusted === false) read(() => parseConfigFile('untrusted', project));
  refuse(problems);
  const preset = readKey(layers, 'preset').value;
  return [...layers, parseConfigValue('preset', PRESETS[preset], `preset ${preset}`)];
}

/** `preset` stands beside `policy` in a start input; both are one config. */
function inputConfig(input: PolicySources['runInput'], hasStoredCommand: boolean): unknown {
  const policy: unknown = input?.policy ?? {};
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) return policy;
  const named = 'preset' in policy ? policy.preset : undefined;
  if (input?.preset !== undefined && named !== undefined && named !== input.preset) {
    const found = `preset is ${shownValue(input.preset)} and policy.preset is ${shownValue(named)}`;
    const mend = 'Leave out one of the two in the start input';
    throw new ConfigError([
      problem('BadInput', 'run input', { key: 'preset', found, rule: 'a key must stand once', mend }),
    ]);
  }
  return {
    ...(hasStoredCommand && !('agent' in policy) ? { agent: 'command' } : {}),
    ...policy,
    ...(input?.preset === undefined ? {} : { preset: input.preset }),
  };
}

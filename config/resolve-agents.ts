/**
 * Who works in which stage, and the agents as the host starts them. An agent is taken whole from the highest layer that
 * defines its name: half of one program and half of another would be a third that nobody trusted.
 */
import { acpProgramOf, CONFIGURABLE_ACP_PROGRAMS } from '../protocol/acp-programs.js';
import type { TurnStage } from '../protocol/lifecycle.js';
import { type AgentConfig, defaultTools, type StagePolicy, type ToolLevel } from '../protocol/policy.js';
import { type Problem, printableLine } from './config-error.js';
import { problem } from './config-text.js';
import { defaultOf, firstOf, type Layers, type Placed, type Sourced, strictestOf } from './layer-merge.js';
import { modelKeys, modelKeyTrouble } from './model-keys.js';
import { problemOf, valueIn } from './parse-config.js';

export interface AgentTable {
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly origins: Readonly<Record<string, string>>;
  readonly problems: readonly Problem[];
}

export interface StageTable {
  readonly stagePolicies: Readonly<Record<TurnStage, StagePolicy>>;
  readonly origins: Readonly<Record<string, string>>;
  readonly problems: readonly Problem[];
}

const MEND_AGENT = [
  'Name one:  sluice run "<task>" --agent command -- <program> [arguments]',
  'Keep one:  sluice init --agent command -- <program> [arguments]',
].join('\n');

/** `stored` is the command of `sluice run --agent command -- …`, defined under the name `command`. */
export function resolveAgents(layers: Layers, stored: readonly [string, ...string[]] | null): AgentTable {
  const agents: Record<string, AgentConfig> = {};
  const origins: Record<string, string> = {};
  const problems: Problem[] = [];
  const definers = new Map<string, Layers[number]>();
  if (stored !== null) {
    agents['command'] = { adapter: 'command', command: stored, args: [], env: {}, model: null, fallback: null };
    origins['agents.command'] = 'flag';
  }
  for (const layer of layers) {
    for (const [name, place] of namesIn(layer)) {
      if (Object.hasOwn(agents, name)) continue;
      const made = makeAgent([layer], name, place);
      if (made.kind === 'bad') problems.push(made.problem);
      else agents[name] = made.agent;
      origins[`agents.${name}`] = place.replace(/:\d+$/, '');
      definers.set(name, layer);
    }
  }
  return { agents, origins, problems: [...problems, ...badFallbacks(agents, definers)] };
}

/** Stages outside the run's list get an agent too where one can be found; nobody asks for it. */
export function resolveStages(layers: Layers, table: AgentTable, needed: readonly TurnStage[]): StageTable {
  const origins: Record<string, string> = {};
  const problems: Problem[] = [];
  const names = Object.keys(table.agents);
  const isKnown = (chosen: Chosen | null) => chosen === null || Object.hasOwn(table.agents, chosen.value);
  const general = firstOf(layers, 'agent');
  if (general !== null && !isKnown(general)) problems.push(unknownAgent(general, names));
  const policyOf = (stage: TurnStage): StagePolicy => {
    const chosen = chosenAgent(layers, stage) ?? onlyAgent(table.agents, layers);
    if (chosen !== null && !isKnown(chosen)) problems.push(unknownAgent(chosen, names));
    if (chosen === null && needed.includes(stage)) problems.push(noAgent(names));
    const own = layers.slice(0, (chosen?.depth ?? layers.length) + 1);
    const model = firstOf(own, 'stages.<stage>.model', `stages.${stage}.model`);
    const effort = firstOf(own, 'stages.<stage>.effort', `stages.${stage}.effort`);
    const timeout = stageTimeout(layers, stage);
    const words = stageWords(layers, stage);
    const tools = stageTools(layers, stage);
    problems.push(...tooManyTools(layers, stage));
    const agentModel = chosen === null ? null : (table.agents[chosen.value]?.model ?? null);
    const say = (field: string, origin: string) => {
      origins[`stages.${stage}.${field}`] = origin;
    };
    say('agent', chosen?.origin ?? 'default');
    say('model', model?.origin ?? (agentModel === null ? 'default' : (table.origins[`agents.${chosen?.value}`] ?? 'default')));
    say('effort', effort?.origin ?? 'default');
    say('timeout', timeout.origin);
    for (const [field, origin] of Object.entries(words.origins)) say(field, origin);
    say('tools', tools?.origin ?? 'default');
    return {
      agent: chosen?.value ?? 'none',
      model: model?.value ?? agentModel,
      effort: effort?.value ?? null,
      timeoutMs: timeout.value,
      ...words.policy,
      ...(tools === null ? {} : { tools: tools.value }),
    };
  };
  const stagePolicies = {
    planning: policyOf('planning'),
    architecting: policyOf('architecting'),
    executing: policyOf('executing'),
    reviewing: policyOf('reviewing'),
    fixing: policyOf('fixing'),
    verifying: policyOf('verifying'),
  };
  return { stagePolicies, origins, problems: onePerText(problems) };
}

type Chosen = Placed<string>;

/** Layer by layer, the stage's own name before the general one: `--agent x` is meant for every stage. */
export function chosenAgent(layers: Layers, stage: TurnStage): Chosen | null {
  const own = firstOf(layers, 'stages.<stage>.agent', `stages.${stage}.agent`);
  const general = firstOf(layers, 'agent');
  if (own === null || general === null) return own ?? general;
  return own.depth <= general.depth ? own : general;
}

function onlyAgent(agents: AgentTable['agents'], layers: Layers): Chosen | null {
  const [only, ...others] = Object.keys(agents);
  return only === undefined || others.length > 0 ? null : { value: only, origin: 'default', place: 'default', depth: layers.length };
}

/** `limits.turn` holds over a stage's own time only where somebody wrote it; run input never raises what files say. */
function stageTimeout(layers: Layers, stage: TurnStage): Sourced<number> {
  const turn = strictestOf(layers, { pattern: 'limits.turn' }, defaultOf('limits.turn'));
  const own = strictestOf(layers, { pattern: 'stages.<stage>.timeout', key: `stages.${stage}.timeout` }, turn);
  return turn.origin !== 'default' && turn.value < own.value ? turn : own;
}

interface StageWords {
  readonly policy: Pick<StagePolicy, 'instructions' | 'prompt' | 'contextBytes'>;
  readonly origins: Readonly<Record<string, string>>;
}

/** What people say about a stage's prompt. */
function stageWords(layers: Layers, stage: TurnStage): StageWords {
  const key = `stages.${stage}`;
  const instructions = firstOf(layers, 'stages.<stage>.instructions', `${key}.instructions`);
  const prompt = firstOf(layers, 'stages.<stage>.prompt', `${key}.prompt`);
  const pattern = 'stages.<stage>.contextBytes';
  const context = strictestOf(layers, { pattern, key: `${key}.contextBytes` }, defaultOf(pattern));
  return {
    policy: {
      instructions: instructions?.value ?? null,
      ...(prompt === null ? {} : { prompt: prompt.value }),
      ...(context.origin === 'default' ? {} : { contextBytes: context.value }),
    },
    origins: {
      instructions: instructions?.origin ?? 'default',
      prompt: prompt?.origin ?? 'default',
      contextBytes: context.origin,
    },
  };
}

function stageTools(layers: Layers, stage: TurnStage): Sourced<ToolLevel> | null {
  return strictestOf(layers, { pattern: 'stages.<stage>.tools', key: `stages.${stage}.tools` }, null);
}

/** What a stage that may not write changes is rolled back, so tools for it are a mistake and not a wish. */
function tooManyTools(layers: Layers, stage: TurnStage): Problem[] {
  if (defaultTools(stage) !== 'read') return [];
  const key = `stages.${stage}.tools`;
  return layers.flatMap((layer) => {
    const level = valueIn(layer, 'stages.<stage>.tools', key)?.value ?? 'read';
    if (level === 'read') return [];
    const rule = `must be read, since ${stage} may change nothing`;
    return [problemOf(layer, 'stages.<stage>.tools', { key, found: `${key} is ${level}`, rule })];
  });
}

function namesIn(layer: Layers[number]): Map<string, string> {
  const names = new Map<string, string>();
  for (const [key, { place }] of layer.entries) {
    const [section, name] = key.split('.');
    if (section === 'agents' && name !== undefined && !names.has(name)) names.set(name, place);
  }
  return names;
}

type Made = { readonly kind: 'ok'; readonly agent: AgentConfig } | { readonly kind: 'bad'; readonly problem: Problem };

function makeAgent(own: Layers, name: string, place: string): Made {
  const key = `agents.${name}`;
  const adapter = (firstOf(own, 'agents.<name>.adapter', `${key}.adapter`) ?? defaultOf('agents.<name>.adapter')).value;
  const command = firstOf(own, 'agents.<name>.command', `${key}.command`)?.value ?? null;
  const bad = (found: string, rule: string): Made => ({
    kind: 'bad',
    problem: problem('BadConfig', place, { key: `${key}.command`, found, rule }),
  });
  if (adapter === 'command' && command === null)
    return bad(`${key} has no command`, 'the adapter command needs a program: command: [prog, arg]');
  if (adapter === 'acp' && command === null)
    return bad(`${key} has no command`, 'the adapter acp needs a program that speaks the Agent Client Protocol: command: [gemini, --acp]');
  if (adapter === 'scripted' && command !== null)
    return bad(`${key}.command is set`, 'the adapter scripted starts its own program; remove command');
  const configDir = firstOf(own, 'agents.<name>.configDir', `${key}.configDir`)?.value ?? null;
  if (configDir !== null && (adapter === 'command' || adapter === 'scripted' || adapter === 'model')) {
    const rule = `the adapter ${adapter} has no login of its own; give the program what it needs in env`;
    return { kind: 'bad', problem: problem('BadConfig', place, { key: `${key}.configDir`, found: `${key}.configDir is set`, rule }) };
  }
  if (configDir !== null && adapter === 'acp' && acpProgramOf(command)?.configVariable == null) {
    const rule = `of programs behind the adapter acp it is known for ${CONFIGURABLE_ACP_PROGRAMS.join(' and ')} alone; give others what they need in env`;
    return { kind: 'bad', problem: problem('BadConfig', place, { key: `${key}.configDir`, found: `${key}.configDir is set`, rule }) };
  }
  const args = (firstOf(own, 'agents.<name>.args', `${key}.args`) ?? defaultOf('agents.<name>.args')).value;
  const env = (firstOf(own, 'agents.<name>.env', `${key}.env`) ?? defaultOf('agents.<name>.env')).value;
  const model = firstOf(own, 'agents.<name>.model', `${key}.model`)?.value ?? null;
  const extendedModel = firstOf(own, 'agents.<name>.extendedModel', `${key}.extendedModel`)?.value;
  const fallback = firstOf(own, 'agents.<name>.fallback', `${key}.fallback`)?.value ?? null;
  const passEnv = firstOf(own, 'agents.<name>.passEnv', `${key}.passEnv`)?.value ?? [];
  const asked = modelKeys(own, name);
  const trouble = modelKeyTrouble({ key, adapter, command, args, model, ...asked });
  if (trouble !== null) return { kind: 'bad', problem: problem('BadConfig', place, trouble) };
  const twice = passEnv.find((variable) => Object.hasOwn(env, variable));
  if (twice !== undefined) return bad(`${key} has ${twice} in env and in passEnv`, 'a variable has one source');
  const home = firstOf(own, 'agents.<name>.home', `${key}.home`)?.value;
  const account = firstOf(own, 'agents.<name>.account', `${key}.account`)?.value;
  const agent = {
    ...{ adapter, command, args, env, model, fallback },
    ...(extendedModel === undefined ? {} : { extendedModel }),
    ...(passEnv.length === 0 ? {} : { passEnv }),
    ...(configDir === null ? {} : { configDir }),
    ...asked,
    ...(home === undefined ? {} : { home }),
    ...(account === undefined ? {} : { account }),
  };
  return { kind: 'ok', agent };
}

/** An agent defined nowhere, or the agent itself. */
function badFallbacks(agents: AgentTable['agents'], definers: ReadonlyMap<string, Layers[number]>): Problem[] {
  return [...definers].flatMap(([name, layer]) => {
    const key = `agents.${name}.fallback`;
    const fallback = firstOf([layer], 'agents.<name>.fallback', key);
    if (fallback === null || (fallback.value !== name && Object.hasOwn(agents, fallback.value))) return [];
    const others = Object.keys(agents).filter((other) => other !== name);
    const rule =
      others.length === 0 ? 'must be another agent of agents, which has no other' : `must be another agent of agents: ${others.join(', ')}`;
    return [problem('BadConfig', fallback.place, { key, found: `${key} is ${printableLine(fallback.value)}`, rule })];
  });
}

function unknownAgent(chosen: Chosen, known: readonly string[]): Problem {
  const rule = known.length === 0 ? 'no agent is configured' : `must be an agent of agents: ${known.join(', ')}`;
  const found = `agent is ${printableLine(chosen.value)}`;
  return problem('BadAgent', chosen.place, { key: 'agent', found, rule, mend: MEND_AGENT });
}

function noAgent(known: readonly string[]): Problem {
  const found =
    known.length === 0
      ? 'no agent is configured and none is named'
      : `several agents are configured (${known.join(', ')}) and none is named`;
  return problem('BadAgent', 'config', { key: 'agent', found, rule: 'every stage with a turn needs an agent', mend: MEND_AGENT });
}

function onePerText(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((each) => [`${each.place}\n${each.found}`, each])).values()];
}

/**
 * Who works in which stage, and the agents as the host starts them. An agent is taken whole from the highest layer that
 * defines its name: half of one program and half of another would be a third that nobody trusted.
 */
import { type AskName, forAsks } from '../../protocol/run/admission-policy.js';
import { type AgentConfig, type AskPolicy, defaultTools, type StagePolicy } from '../../protocol/run/policy.js';
import { forTurnStages, type TurnStage } from '../../protocol/run/stages.js';
import { gemini } from '../agents/gemini.js';
import { ACP_KINDS, findKind } from '../agents/kinds.js';
import { type KeyTrouble, modelKeyTrouble } from '../keys/model-keys.js';
import { firstOf, type Layers, type Placed, type Sourced } from '../layers/layer-merge.js';
import { problemOf, valueIn } from '../layers/parse-config.js';
import { fillPattern, patternsOf, placeValues, readKey, readKeys } from '../layers/read-keys.js';
import { type Problem, printableLine, problem } from '../system/config-error.js';

export interface AgentTable {
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly values: Readonly<Record<string, Sourced<AgentConfig>>>;
  readonly problems: readonly Problem[];
}

interface Worked {
  readonly values: Readonly<Record<string, Sourced<unknown>>>;
  readonly problems: readonly Problem[];
}

export interface StageTable extends Worked {
  readonly stagePolicies: Readonly<Record<TurnStage, StagePolicy>>;
}

export interface AskTable extends Worked {
  readonly asks: Readonly<Record<AskName, AskPolicy>>;
}

/** Who works in a stage of a config that is only looked at. */
const NOBODY = 'none';

const NONE = { value: null, origin: 'default' };

/** Programs behind `adapter: acp` that can be led to a folder of a login. */
const MOVABLE = ACP_KINDS.flatMap(({ program, configVariables }) => (configVariables === null ? [] : [program]));

const MEND_AGENT = [
  'Name one:  sluice run "<task>" --agent command -- <program> [arguments]',
  'Keep one:  sluice init --agent command -- <program> [arguments]',
].join('\n');

/** `stored` is the command of `sluice run --agent command -- …`, defined under the name `command`. */
export function resolveAgents(layers: Layers, stored: readonly [string, ...string[]] | null): AgentTable {
  const agents: Record<string, AgentConfig> = {};
  const values: Record<string, Sourced<AgentConfig>> = {};
  const problems: Problem[] = [];
  const definers = new Map<string, Layers[number]>();
  const define = (name: string, value: AgentConfig, origin: string) => {
    agents[name] = value;
    values[`agents.${name}`] = { value, origin };
  };
  if (stored !== null)
    define(
      'command',
      { adapter: 'command', command: stored, args: [], env: {}, model: null, fallback: null },
      'run input',
    );
  for (const layer of layers) {
    for (const [name, place] of namesIn(layer)) {
      if (Object.hasOwn(agents, name)) continue;
      definers.set(name, layer);
      const agent = readAgent(layer, name);
      const trouble = agentTrouble(`agents.${name}`, agent);
      if (trouble === null) define(name, agent, place.replace(/:\d+$/, ''));
      else problems.push(problem('BadConfig', place, trouble));
    }
  }
  return { agents, values, problems: [...problems, ...badFallbacks(agents, definers)] };
}

/** Stages outside the run's list get an agent too where one can be found; nobody asks for it. */
export function resolveStages(layers: Layers, table: AgentTable, needed: readonly TurnStage[]): StageTable {
  const values: Record<string, Sourced<unknown>> = {};
  const problems: Problem[] = [];
  const general = firstOf(layers, 'agent');
  if (general !== null && !Object.hasOwn(table.agents, general.value))
    problems.push(unknownAgent(general, Object.keys(table.agents)));
  const policyOf = (stage: TurnStage): StagePolicy => {
    const worker = workerOf(layers, table, chosenAgent(layers, 'stages.<stage>.agent', stage));
    problems.push(...troubleOf(worker, table, needed.includes(stage)), ...tooManyTools(layers, stage));
    const read = readStage(layers, stage, worker);
    for (const pattern of patternsOf('stages.<stage>')) values[fillPattern(pattern, stage)] = read[pattern];
    return placeValues(read);
  };
  const stagePolicies = forTurnStages(policyOf);
  return { stagePolicies, values, problems: onePerText(problems) };
}

/** Nobody waits long to be told that a task is there already. Unit: ms. Source: S-17. */
const DEDUP_ASK_MS = 60_000;

/** Who is asked what; asks that nobody needs get an agent too where one can be found. */
export function resolveAsks(layers: Layers, table: AgentTable, needed: readonly AskName[]): AskTable {
  const values: Record<string, Sourced<unknown>> = {};
  const problems: Problem[] = [];
  const workerFor = (ask: AskName) => workerOf(layers, table, chosenAgent(layers, 'asks.<ask>.agent', ask));
  /** Whoever compares is asked by the model of the classifier, where both are the same agent. */
  const judgingModel = (worker: ChosenWorker, ask: 'dedup' | 'classify'): Sourced<string | null> => {
    const small = smallModelOf(worker, table);
    if (ask === 'classify') return small;
    const classifier = workerFor('classify');
    if (classifier.chosen?.value !== worker.chosen?.value) return small;
    return readKey(classifier.own, 'asks.<ask>.model', { key: 'asks.classify.model', base: small });
  };
  const policyOf = (ask: AskName): AskPolicy => {
    const worker = workerFor(ask);
    problems.push(...troubleOf(worker, table, needed.includes(ask)));
    const key = (name: string) => `asks.${ask}.${name}`;
    const base = ask === 'plan' ? worker.model : judgingModel(worker, ask);
    const limit = ask === 'dedup' ? { base: { value: DEDUP_ASK_MS, origin: 'default' as const } } : {};
    const read = {
      ...readKeys(layers, 'asks.<ask>', ask),
      'asks.<ask>.agent': worker.chosen ?? { value: NOBODY, origin: 'default' },
      'asks.<ask>.model': readKey(worker.own, 'asks.<ask>.model', { key: key('model'), base }),
      'asks.<ask>.effort': readKey(worker.own, 'asks.<ask>.effort', { key: key('effort') }),
      'asks.<ask>.timeout': withTurnLimit(
        layers,
        readKey(layers, 'asks.<ask>.timeout', { key: key('timeout'), ...limit }),
      ),
    };
    for (const pattern of patternsOf('asks.<ask>')) values[fillPattern(pattern, ask)] = read[pattern];
    return placeValues(read);
  };
  const asks = forAsks(policyOf);
  return { asks, values, problems: onePerText(problems) };
}

/** Judging needs little: the cheap model of its kind, unless somebody names one. Source: S-23. */
function smallModelOf({ chosen, model }: ChosenWorker, { agents }: AgentTable): Sourced<string | null> {
  // Anybody can name one that every object has, such as `constructor`.
  const agent = chosen !== null && Object.hasOwn(agents, chosen.value) ? agents[chosen.value] : undefined;
  const small = agent === undefined ? undefined : findKind(agent).smallModel;
  return small === undefined ? model : { value: small, origin: 'default' };
}

/** Of one stage or ask. */
interface ChosenWorker {
  readonly chosen: Chosen | null;
  /** The layers that may say something of its agent's model: what a lower one says is meant for another. */
  readonly own: Layers;
  /** The agent's own. */
  readonly model: Sourced<string | null>;
}

function workerOf(layers: Layers, table: AgentTable, named: Chosen | null): ChosenWorker {
  const chosen = named ?? onlyAgent(table.agents, layers);
  const own = layers.slice(0, (chosen?.depth ?? layers.length) + 1);
  const agent = chosen === null ? undefined : table.values[`agents.${chosen.value}`];
  const model =
    agent === undefined || agent.value.model === null ? NONE : { value: agent.value.model, origin: agent.origin };
  return { chosen, own, model };
}

function troubleOf({ chosen }: ChosenWorker, { agents }: AgentTable, isNeeded: boolean): readonly Problem[] {
  const names = Object.keys(agents);
  if (chosen === null) return isNeeded ? [noAgent(names)] : [];
  return names.includes(chosen.value) ? [] : [unknownAgent(chosen, names)];
}

/** Every key of a stage by its own row, but for those that hang on the agent or on another key. */
function readStage(layers: Layers, stage: TurnStage, { chosen, own, model }: ChosenWorker) {
  const key = (name: string) => `stages.${stage}.${name}`;
  return {
    ...readKeys(layers, 'stages.<stage>', stage),
    'stages.<stage>.agent': chosen ?? { value: NOBODY, origin: 'default' },
    'stages.<stage>.model': readKey(own, 'stages.<stage>.model', { key: key('model'), base: model }),
    'stages.<stage>.effort': readKey(own, 'stages.<stage>.effort', { key: key('effort') }),
    'stages.<stage>.timeout': stageTimeout(layers, key('timeout')),
    'stages.<stage>.tools': readKey(layers, 'stages.<stage>.tools', {
      key: key('tools'),
      base: { value: defaultTools(stage), origin: 'default' },
    }),
  };
}

type Chosen = Placed<string>;

/** Layer by layer, the own name of the stage or ask before the general one: `--agent x` is meant for all of them. */
export function chosenAgent(
  layers: Layers,
  pattern: 'stages.<stage>.agent' | 'asks.<ask>.agent',
  name: TurnStage | AskName,
): Chosen | null {
  const own = firstOf(layers, pattern, fillPattern(pattern, name));
  const general = firstOf(layers, 'agent');
  if (own === null || general === null) return own ?? general;
  return own.depth <= general.depth ? own : general;
}

function onlyAgent(agents: AgentTable['agents'], layers: Layers): Chosen | null {
  const [only, ...others] = Object.keys(agents);
  return only === undefined || others.length > 0
    ? null
    : { value: only, origin: 'default', place: 'default', depth: layers.length };
}

/** `limits.turn` holds over a stage's own time only where somebody wrote it; run input never raises what files say. */
function stageTimeout(layers: Layers, key: string): Sourced<number> {
  const turn = readKey(layers, 'limits.turn');
  return withTurnLimit(layers, readKey(layers, 'stages.<stage>.timeout', { key, base: turn }));
}

function withTurnLimit(layers: Layers, own: Sourced<number>): Sourced<number> {
  const turn = readKey(layers, 'limits.turn');
  return turn.origin !== 'default' && turn.value < own.value ? turn : own;
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

function readAgent(layer: Layers[number], name: string): AgentConfig {
  const { adapter, command, args, env, model, fallback, ...others } = placeValues(
    readKeys([layer], 'agents.<name>', name),
  );
  return { adapter, command, args, env, model, fallback, ...withoutNulls(others) };
}

/** Null: its keys fit together. */
function agentTrouble(key: string, agent: AgentConfig): KeyTrouble | null {
  const { adapter, command, configDir, env, passEnv = [] } = agent;
  const bad = (found: string, rule: string) => ({ key: `${key}.command`, found, rule });
  if (adapter === 'command' && command === null)
    return bad(`${key} has no command`, 'the adapter command needs a program: command: [prog, arg]');
  if (adapter === 'acp' && command === null)
    return bad(
      `${key} has no command`,
      `the adapter acp needs a program that speaks the Agent Client Protocol: command: [${gemini.command.join(', ')}]`,
    );
  if (adapter === 'scripted' && command !== null)
    return bad(`${key}.command is set`, 'the adapter scripted starts its own program; remove command');
  if (configDir !== undefined && findKind(agent).configVariables === null) {
    const rule =
      adapter === 'acp'
        ? `of programs behind the adapter acp it is known for ${MOVABLE.join(' and ')} alone; give others what they need in env`
        : `the adapter ${adapter} has no login of its own; give the program what it needs in env`;
    return { key: `${key}.configDir`, found: `${key}.configDir is set`, rule };
  }
  const trouble = modelKeyTrouble(key, agent);
  if (trouble !== null) return trouble;
  const twice = passEnv.find((variable) => Object.hasOwn(env, variable));
  return twice === undefined ? null : bad(`${key} has ${twice} in env and in passEnv`, 'a variable has one source');
}

/** What nobody says is no field of an agent. */
function withoutNulls<T extends object>(fields: T): { readonly [K in keyof T]?: NonNullable<T[K]> } {
  const said = Object.entries(fields).filter(([, value]) => value !== null);
  // The same fields, but for those that are null.
  return Object.fromEntries(said) as { readonly [K in keyof T]?: NonNullable<T[K]> };
}

/** An agent defined nowhere, or the agent itself. */
function badFallbacks(agents: AgentTable['agents'], definers: ReadonlyMap<string, Layers[number]>): Problem[] {
  return [...definers].flatMap(([name, layer]) => {
    const key = `agents.${name}.fallback`;
    const fallback = firstOf([layer], 'agents.<name>.fallback', key);
    if (fallback === null || (fallback.value !== name && Object.hasOwn(agents, fallback.value))) return [];
    const others = Object.keys(agents).filter((other) => other !== name);
    const rule =
      others.length === 0
        ? 'must be another agent of agents, which has no other'
        : `must be another agent of agents: ${others.join(', ')}`;
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
  return problem('BadAgent', 'config', {
    key: 'agent',
    found,
    rule: 'every stage with a turn needs an agent',
    mend: MEND_AGENT,
  });
}

function onePerText(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((each) => [`${each.place}\n${each.found}`, each])).values()];
}

/** The `.sluice/config.yaml` that says what Skep was told, and what of it this version cannot say. Pure: it is given what was read and what is seen in the repository. */
import { stringify } from 'yaml';
import type { DetectedProject } from '../init/detect-project.js';
import { ConfigError, printableLine } from '../system/config-error.js';
import { lookUpKey, type Taking } from './look-up-key.js';
import { faultOf, type SkepConfig, type Told } from './read-skep.js';
import { agentOf, DEFAULT_LLM, isComing, type Setting } from './skep-keys.js';

/** What Skep was told and the config does not say. */
export interface NotTaken {
  /** The key of Skep, or the variable. */
  readonly name: string;
  /** Keys of sluice that this version has not, or not there. Empty: nothing of sluice is like it. */
  readonly keys: readonly string[];
  readonly why: string;
}

export interface MadeConfig {
  readonly text: string;
  readonly notTaken: readonly NotTaken[];
}

interface Import {
  /** How a person finds the file. */
  readonly from: string;
  readonly skep: SkepConfig;
  readonly detected: Pick<DetectedProject, 'setup' | 'validation' | 'seen'>;
}

/** Of names that nobody knows; the file may have thousands. */
const MAX_UNKNOWN = 20;

type LookUp = (one: Setting) => Taking;

/** `lookUp`: which keys there are. **Errors** ConfigError where a key of sluice refuses what Skep was told. */
export function makeConfig({ from, skep, detected }: Import, lookUp: LookUp = lookUpKey): MadeConfig {
  const { told, unknown } = skep;
  const named = told.find(({ name }) => name === 'llm')?.value;
  const llm = typeof named === 'string' ? named : DEFAULT_LLM;
  const preset = { key: 'preset', value: 'skep' };
  const hasPreset = lookUp(preset).kind === 'taken';
  const taken: Setting[] = [{ key: 'version', value: 1 }, ...(hasPreset ? [preset] : [])];
  const notTaken: NotTaken[] = hasPreset
    ? []
    : [{ name: 'its preset', keys: ['preset'], why: 'this version has no preset skep' }];
  if (named === undefined) taken.push(...agentOf(llm), { key: 'agent', value: llm });
  for (const one of told) {
    const settings = one.row.to(one.value, llm);
    const missed = settings.flatMap((setting) => missedBy(one, setting, lookUp));
    const [first] = missed;
    // A part of what a key says is something else: patterns that only add, an agent that nobody asks.
    if (first === undefined) taken.push(...settings);
    else notTaken.push({ name: one.name, keys: missed.map(({ key }) => key), why: first.why });
  }
  notTaken.push(...strangers(unknown));
  const seen = seenIn(detected, taken);
  return { text: render({ from, taken: [...taken, ...seen], seen, detected, notTaken }), notTaken };
}

/** Empty: it is taken. **Errors** ConfigError where it is refused. */
function missedBy(
  one: Told,
  setting: Setting,
  lookUp: LookUp,
): readonly { readonly key: string; readonly why: string }[] {
  const { key } = setting;
  const taking = lookUp(setting);
  switch (taking.kind) {
    case 'taken':
      return [];
    case 'refused':
      throw new ConfigError([faultOf(one, taking)]);
    case 'of_person':
      return [{ key, why: 'it stands in your own config (~/.config/sluice/config.yaml) alone' }];
    case 'no_key':
      if (!isComing(key)) throw new Error(`the table of Skep's keys leads to ${key}, and there is no such key`);
      return [{ key, why: 'this version has no key for it' }];
  }
}

function strangers(unknown: readonly string[]): readonly NotTaken[] {
  const names = unknown.slice(0, MAX_UNKNOWN).map((name) => printableLine(name, 60));
  const more = unknown.length - names.length;
  return [...names, ...(more === 0 ? [] : [`${more} more`])].map((name) => ({
    name,
    keys: [],
    why: 'Skep knows no such key',
  }));
}

/** Skep looks for a test command where it is told none, and works in the checkout, which is set up already. */
function seenIn({ setup, validation }: Import['detected'], taken: readonly Setting[]): readonly Setting[] {
  const isTold = taken.some(({ key }) => key === 'validation.commands');
  return [
    ...(isTold || validation.length === 0 ? [] : [{ key: 'validation.commands', value: [...validation] }]),
    ...(setup.length === 0 ? [] : [{ key: 'worktree.setup', value: [...setup] }]),
  ];
}

interface Rendered extends Pick<Import, 'from' | 'detected'>, Pick<MadeConfig, 'notTaken'> {
  readonly taken: readonly Setting[];
  readonly seen: readonly Setting[];
}

function render({ from, taken, seen, detected, notTaken }: Rendered): string {
  const kept = seen.map(({ key }) => key).join(' and ');
  const files = printableLine(detected.seen.join(', '), 200);
  const missing = notTaken.map(
    ({ name, keys, why }) => `#   ${name}: ${why}${keys.length === 0 ? '' : ` (${keys.join(', ')})`}\n`,
  );
  return [
    `# Made of ${printableLine(from, 200)} by: sluice import skep\n# All keys: docs/config.md; what is in force: sluice config\n`,
    stringify(treeOf(taken), { lineWidth: 0, aliasDuplicateObjects: false }),
    ...(seen.length === 0 ? [] : [`# Read from ${files}: ${kept}\n`]),
    ...(missing.length === 0 ? [] : [`# Not taken over:\n${missing.join('')}`]),
  ].join('');
}

type Tree = Map<string, unknown>;

/** Sections in the order of their first keys. */
function treeOf(settings: readonly Setting[]): Tree {
  const tree: Tree = new Map();
  for (const { key, value } of settings) {
    const path = key.split('.');
    const last = path.pop() ?? key;
    const section = path.reduce<Tree>((outer, part) => {
      const inner = outer.get(part);
      if (inner instanceof Map) return inner;
      const made: Tree = new Map();
      outer.set(part, made);
      return made;
    }, tree);
    section.set(last, value);
  }
  return tree;
}

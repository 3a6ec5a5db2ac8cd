/**
 * The options of `sluice run` that write a config key, in the order of its help. They stand apart from the rows of the keys because help
 * loads no schema: what is checked here is checked again by the key's own when the config is read.
 */
import { MAX_ROUNDS } from '../../protocol/limits.js';
import { PERMISSION_MODES } from '../../protocol/run/policy.js';
import { STAGE_LISTS, STAGES } from '../../protocol/run/stages.js';
import type { Json } from '../../protocol/text/json.js';
import type { KeyName } from './keys.js';

/** `switch`: no value stands behind it. `each`: it may be said more than once, and the key is a list. */
export type RunFlag = { readonly key: KeyName; readonly about: string } & (
  | { readonly kind: 'switch'; readonly writes: boolean }
  | { readonly kind: 'one' | 'each'; readonly value: string; readonly check: FlagCheck | null }
);

/** Null in its place: the value is looked at where the config is. */
export interface FlagCheck {
  /** What a config file would have. Null: it is no value of the option. */
  read(text: string): Json;
  readonly rule: string;
  readonly example: string;
}

export const RUN_FLAGS = {
  agent: {
    key: 'agent',
    kind: 'one',
    value: '<name>',
    about: 'an agent of the config; "command" takes the program behind "--"',
    check: null,
  },
  preset: { key: 'preset', kind: 'one', value: '<name>', about: 'the policy to start from', check: null },
  stages: {
    key: 'stageList',
    kind: 'one',
    value: '<list>',
    about: 'full, express or plan-only',
    check: wordOf(Object.keys(STAGE_LISTS), 'express'),
  },
  rounds: {
    key: 'rounds',
    kind: 'one',
    value: '<n>',
    about: `how often the run may enter fixing, 0 to ${MAX_ROUNDS}`,
    check: {
      read: (text) => (/^\d+$/.test(text) && Number(text) <= MAX_ROUNDS ? Number(text) : null),
      rule: `it must be an integer from 0 to ${MAX_ROUNDS}`,
      example: '2',
    },
  },
  gate: {
    key: 'gates.stages',
    kind: 'each',
    value: '<stage>',
    about: 'wait for a person before this stage; may be said more than once',
    check: wordOf(STAGES, 'executing', '; before the end waits --hold'),
  },
  hold: { key: 'holdAtCompletion', kind: 'switch', writes: true, about: 'wait for a person before the run ends' },
  permissions: {
    key: 'permissions',
    kind: 'one',
    value: '<mode>',
    about: 'what an agent may do: read-only, ask, accept-edits or auto',
    check: wordOf(PERMISSION_MODES, 'accept-edits'),
  },
  attended: {
    key: 'attended',
    kind: 'switch',
    writes: true,
    about: 'somebody will answer, though no terminal is here: gates wait',
  },
  unattended: {
    key: 'attended',
    kind: 'switch',
    writes: false,
    about: 'nobody will answer: gates expire as the policy says',
  },
} as const satisfies Readonly<Record<string, RunFlag>>;

type Flags = typeof RUN_FLAGS;

/** The options as the command line has them. */
export type FlagOptions = {
  readonly [Name in keyof Flags]?:
    | { switch: boolean; one: string; each: readonly string[] }[Flags[Name]['kind']]
    | undefined;
};

function wordOf(words: readonly string[], example: string, hint = ''): FlagCheck {
  const rule = `it must be one of ${words.join(', ')}${hint}`;
  return { read: (text) => (words.includes(text) ? text : null), rule, example };
}

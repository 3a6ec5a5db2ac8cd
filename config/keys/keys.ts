/**
 * Every config key that works in this version, one row each; docs/config.md is made from them.
 * `<stage>`, `<ask>` and `<name>` stand for a stage with a turn, for what is asked about a task, and for the name of an agent.
 */
import { DEFAULT_CONTEXT_BYTES } from '../../protocol/limits.js';
import { TOOL_LEVELS } from '../../protocol/run/policy.js';
import { judges, mayWrite, STAGE_LISTS, STAGES, TURN_STAGES } from '../../protocol/run/stages.js';
import { PROMPT_SECTIONS } from '../../protocol/text/prompt-template.js';
import { DEFAULT_GUARDED_PATHS } from './guarded-paths.js';
import { byValue, inOrder, row } from './key-table.js';
import {
  agentName,
  blockRules,
  byteSize,
  checkoutGlobs,
  commandLines,
  duration,
  durationOr,
  globs,
  instructions,
  integer,
  modelName,
  oneOf,
  promptTemplate,
  repositoryFolder,
  seconds,
  stageChoice,
} from './key-values.js';
import { ADMISSION_KEYS } from './keys-admission.js';
import { AGENT_KEYS } from './keys-agents.js';
import { BACKLOG_KEYS } from './keys-backlog.js';
import { ENGINE_KEYS } from './keys-engine.js';
import { FORGE_KEYS } from './keys-forge.js';
import { LANDING_KEYS } from './keys-landing.js';
import { LIFECYCLE_KEYS } from './keys-lifecycle.js';
import { SANDBOX_KEYS } from './keys-sandbox.js';
import { STEP_KEYS } from './keys-steps.js';
import { PRESET_NAMES, PRESETS } from './presets.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Lockfiles, at any depth: what they pin is what set-up installs. */
export const DEFAULT_SETUP_INPUTS: readonly string[] = [
  '**/package-lock.json',
  '**/npm-shrinkwrap.json',
  '**/yarn.lock',
  '**/pnpm-lock.yaml',
  '**/bun.lock',
  '**/go.sum',
  '**/Cargo.lock',
  '**/poetry.lock',
  '**/uv.lock',
  '**/requirements*.txt',
  '**/Gemfile.lock',
  '**/composer.lock',
];

const time = (min: number, max: number) =>
  ({ schema: duration(min, max), type: 'duration', merge: 'stricter', allows: byValue, unit: 'duration' }) as const;

const commands = { schema: commandLines, type: 'list of command lines', scope: 'files', executes: true } as const;

export const KEYS = {
  version: row({
    at: null,
    schema: integer(1, 1),
    type: '`1`',
    fallback: 1,
    meaning: 'version of this file format',
    scope: 'files',
  }),
  preset: row({
    at: 'preset',
    schema: oneOf(PRESET_NAMES),
    type: PRESET_NAMES.map((name) => `\`${name}\``).join(', '),
    fallback: 'default',
    meaning:
      'the policy to start from; `default` is `vibestrate`; with `skep` tasks are compared, judged and planned first',
    // What another policy sets may take looks at a change away and land it, and nothing holds the values of a preset to what is stricter.
    allows: (name) => (PRESETS[name] === PRESETS.default ? 0 : 1),
  }),
  stageList: row({
    at: null,
    schema: stageChoice,
    type: '`full`, `express`, `plan-only` or a list of stages',
    fallback: { name: 'full', stages: STAGE_LISTS.full },
    fallbackText: '`full`',
    meaning:
      'the stages of a run, in their legal order; a list that has fixing has reviewing, and does not end at fixing',
    show: ({ name, stages }) => (name === 'custom' ? stages : name),
    allows: ({ stages }) =>
      stages.some(mayWrite) ? STAGES.filter((stage) => judges(stage) && !stages.includes(stage)).length : 0,
  }),
  'worktree.setup': row({
    at: 'worktree.setup',
    ...commands,
    fallback: [],
    meaning: 'run in a new worktree and in the validation checkout, such as `npm ci`',
  }),
  'worktree.copy': row({
    at: 'worktree.copy',
    schema: checkoutGlobs,
    type: 'list of globs',
    fallback: [],
    meaning: 'copied from the checkout into the worktree, never committed, such as `.env`',
    scope: 'files',
    executes: true,
  }),
  'worktree.link': row({
    at: 'worktree.link',
    schema: checkoutGlobs,
    type: 'list of globs',
    fallback: [],
    meaning: 'linked from the checkout into the worktree, never committed, such as `node_modules`',
    scope: 'files',
    executes: true,
  }),
  'worktree.setupInputs': row({
    at: 'worktree.setupInputs',
    schema: globs,
    type: 'list of globs',
    fallback: DEFAULT_SETUP_INPUTS,
    fallbackText: 'lockfiles',
    meaning:
      'set-up of the validation checkout runs again when one of these changed; lists of user and project add up and replace the default',
    scope: 'files',
    merge: 'union',
  }),
  'worktree.keep': row({
    at: 'worktree.keep',
    schema: globs,
    type: 'list of patterns as in a .gitignore',
    fallback: [],
    meaning:
      'caches that stay in the validation checkout from tree to tree, such as `target/`; all else that is ignored and that the set-up did not leave goes before each tree is checked',
    scope: 'files',
    executes: true,
  }),
  'worktree.setupTimeout': row({
    at: 'worktree.setupTimeoutMs',
    ...time(100, DAY),
    fallback: 15 * MINUTE,
    meaning: 'time limit of the whole set-up',
  }),
  'worktrees.keep': row({
    at: 'worktree.keptMs',
    schema: durationOr('never', HOUR, YEAR),
    type: 'duration or `never`',
    fallback: 14 * DAY,
    unit: 'duration',
    none: 'never',
    meaning:
      'how long the worktree of a closed run stays; it goes if nothing in it is unsaved and no landing is open, and branch, refs and artifacts stay',
  }),
  'validation.commands': row({
    at: 'checks.validation.commands',
    ...commands,
    fallback: [],
    meaning: 'run by the engine on the commit, in order; all must pass',
  }),
  'validation.timeout': row({
    at: 'checks.validation.timeoutMs',
    ...time(100, DAY),
    fallback: 15 * MINUTE,
    meaning: 'time limit of each validation command',
    aliases: [{ path: 'validation.timeoutSeconds', schema: seconds(1, DAY / SECOND) }],
  }),
  'validation.baseFailures': row({
    at: 'checks.validation.baseFailures',
    schema: oneOf(['fix', 'ignore']),
    type: '`fix` or `ignore`',
    fallback: 'fix',
    meaning:
      'a command that is red on the base commit too is a failure, or starts no fix and caps the verdict at partially_verified',
    scope: 'files',
    allows: inOrder(['fix', 'ignore'] as const),
  }),
  'validation.onFailure': row({
    at: 'checks.validation.onFailure',
    schema: oneOf(['fix', 'review']),
    type: '`fix` or `review`',
    fallback: 'fix',
    meaning: 'red checks start a fix round, or go to the reviewer and the run ends blocked at best',
  }),
  guardedPaths: row({
    at: 'guardedPaths',
    schema: globs,
    type: 'list of globs',
    fallback: DEFAULT_GUARDED_PATHS,
    fallbackText: 'files that steer agents or run by themselves',
    meaning:
      'a change that touches one needs a person (below); lists of user and of a trusted project add up and replace the default',
    scope: 'files',
    merge: 'union',
  }),
  block: row({
    at: 'block',
    schema: blockRules,
    type: 'list of globs and `/regex/`',
    fallback: [],
    meaning:
      'globs over changed paths and `/regex/` over added lines: a hit rolls the turn back and ends the run; in a line above 20 000 characters a match is found that is up to 2 000 long; lists add up',
    scope: 'files',
    merge: 'union',
    aliases: [{ path: 'policies.block', schema: null }],
  }),
  runsDir: row({
    at: 'runsDir',
    schema: repositoryFolder,
    type: 'folder in the repository',
    fallback: '.sluice/runs',
    meaning: 'where the files of runs lie',
    scope: 'files',
    executes: true,
    aliases: [{ path: 'project.runsDir', schema: null }],
  }),
  ...LIFECYCLE_KEYS,
  ...LANDING_KEYS,
  ...FORGE_KEYS,
  ...BACKLOG_KEYS,
  ...ADMISSION_KEYS,
  ...STEP_KEYS,
  ...SANDBOX_KEYS,
  ...AGENT_KEYS,
  agent: row({
    at: null,
    schema: agentName,
    type: 'name',
    fallbackText: 'the only agent of `agents`',
    meaning: 'who works where a stage names nobody',
  }),
  'stages.<stage>.agent': row({
    at: 'agent',
    schema: agentName,
    type: 'name',
    fallbackText: '`agent`',
    meaning: 'who works in this stage',
  }),
  'stages.<stage>.model': row({
    at: 'model',
    schema: modelName,
    type: 'name',
    fallbackText: "the agent's `model`",
    meaning: 'model of this stage; it counts only for an agent that the same or a lower layer chose',
  }),
  'stages.<stage>.effort': row({
    at: 'effort',
    schema: modelName,
    type: 'name',
    meaning: 'effort of this stage, as the agent names it',
  }),
  'stages.<stage>.timeout': row({
    at: 'timeoutMs',
    ...time(100, 7 * DAY),
    fallbackText: '`limits.turn`',
    meaning: 'time limit of one turn of this stage; `limits.turn` holds too where somebody wrote it',
  }),
  'stages.<stage>.instructions': row({
    at: 'instructions',
    schema: instructions,
    type: 'text',
    meaning: "added to this stage's prompt",
    scope: 'files',
  }),
  'stages.<stage>.prompt': row({
    at: 'prompt',
    schema: promptTemplate,
    type: 'text',
    fallbackText: 'built in',
    meaning: `stands instead of the opening and the sections of this stage's prompt, never of its rules; ${PROMPT_SECTIONS.map((name) => `\`{{${name}}}\``).join(', ')} in it become those sections`,
    scope: 'files',
  }),
  'stages.<stage>.contextBytes': row({
    at: 'contextBytes',
    schema: byteSize(32_000, 10_000_000),
    type: 'size',
    fallback: DEFAULT_CONTEXT_BYTES,
    meaning: 'how long a prompt of this stage may become: texts of others are cut in their middle, each to its share',
    merge: 'stricter',
    allows: byValue,
    unit: 'bytes',
  }),
  'stages.<stage>.tools': row({
    at: 'tools',
    schema: oneOf(TOOL_LEVELS),
    type: TOOL_LEVELS.map((level) => `\`${level}\``).join(', '),
    fallbackText: `\`run\` for ${TURN_STAGES.filter(mayWrite).join(' and ')}, else \`read\``,
    meaning:
      'what a coding CLI may do by its own tools: look, change files, run programs; a stage that may not write has `read` alone',
    merge: 'stricter',
    allows: inOrder(TOOL_LEVELS),
  }),
  'limits.turn': row({
    at: 'limits.turnMs',
    ...time(100, 7 * DAY),
    fallback: HOUR,
    meaning: 'time limit of one agent turn',
  }),
  'limits.stall': row({
    at: 'limits.stallMs',
    ...time(100, 7 * DAY),
    fallback: 10 * MINUTE,
    meaning: 'a turn without output for so long is ended',
  }),
  'limits.killGrace': row({
    at: 'limits.killGraceMs',
    ...time(10, 5 * MINUTE),
    fallback: 3 * SECOND,
    meaning: 'from TERM to KILL',
  }),
  'limits.orphanGrace': row({
    at: null,
    schema: duration(100, DAY),
    type: 'duration',
    unit: 'duration',
    fallback: MINUTE,
    meaning: 'with no worker for so long the guard ends its turns',
    scope: 'user',
  }),
  'limits.heartbeat': row({
    at: 'limits.heartbeatMs',
    ...time(1000, 10 * MINUTE),
    fallback: 10 * SECOND,
    meaning: 'a worker silent for so long is taken for dead',
  }),
  'limits.outputBytes': row({
    at: 'limits.outputBytes',
    schema: byteSize(1024, 10_000_000_000),
    type: 'size',
    fallback: 200_000_000,
    meaning: 'output that is kept of one process',
    merge: 'stricter',
    allows: byValue,
    unit: 'bytes',
  }),
  ...ENGINE_KEYS,
} as const;

export type KeyName = keyof typeof KEYS;

/** What a key's schema answers. */
export type KeyValue<K extends KeyName> = ReturnType<(typeof KEYS)[K]['schema']['parse']>;

/** A list or a bare word where a section is expected is short for one of its keys. */
export const SHORTHANDS: Readonly<Record<string, string>> = { gates: 'gates.stages', landing: 'landing.mode' };

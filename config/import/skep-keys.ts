/**
 * What Skep's config says, as keys of sluice: the one table of `sluice import skep`. A row has what the value may be and what it becomes. Pure.
 * Rows of `COMING` lead to keys that a version need not have; where it has none they are named as not taken over. Source: docs/requirements/skep.md "Formats".
 */
import { z } from 'zod';
import { STEP_VERBS } from '../../protocol/admission/plan-steps.js';
import type { AgentKind } from '../agents/kind.js';
import { AGENT_KINDS } from '../agents/kinds.js';
import { commandLines, modelName, oneOf, yesOrNo } from '../keys/key-values.js';

/** A key of `.sluice/config.yaml`, dotted, and what a file writes there. */
export interface Setting {
  readonly key: string;
  readonly value: unknown;
}

export interface SkepRow<T = unknown> {
  readonly schema: z.ZodType<T>;
  /** A method, so that a row of a known type is also one of an unknown. `llm`: who works. */
  to(value: T, llm: string): readonly Setting[];
}

/** CLIs that Skep may name, by their programs. */
const CLIS = AGENT_KINDS.filter((kind): kind is AgentKind & { readonly program: string } => kind.login !== null);

/** The one that stands first is the default of Skep too. */
export const DEFAULT_LLM = CLIS[0]?.program ?? '';

const LLM_RULE = `must be one of ${[...new Set(CLIS.map(({ program }) => program))].join(', ')}`;

const llm = z
  .string({ error: LLM_RULE })
  .refine((name) => CLIS.some(({ program }) => program === name), { error: LLM_RULE });

const VERB_RULE = `must be a mapping of verbs (${STEP_VERBS.join(', ')}) to names of models`;

const modelByVerb = z.partialRecord(z.enum(STEP_VERBS, { error: VERB_RULE }), modelName, { error: VERB_RULE });

const PATTERN_RULE = 'must be a list of at most 100 regular expressions of 1 to 500 characters';

const patterns = z
  .array(z.string({ error: PATTERN_RULE }).refine(isPattern, { error: PATTERN_RULE }), { error: PATTERN_RULE })
  .max(100, { error: PATTERN_RULE });

const SECONDS_RULE = 'must be a whole number of seconds from 1 to 3600';

const seconds = z
  .string()
  .refine((text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= 3600, { error: SECONDS_RULE })
  .transform((text) => `${text}s`);

const THRESHOLD_RULE = 'must be a number above 0, at most 1';

const threshold = z
  .string()
  .refine((text) => /^\d*\.?\d+$/.test(text) && Number(text) > 0 && Number(text) <= 1, { error: THRESHOLD_RULE })
  .transform(Number);

const ON = ['1', 'true', 'on', 'yes'] as const;
const OFF = ['0', 'false', 'off', 'no'] as const;

const onOrOff = oneOf([...ON, ...OFF]).transform((word) => ON.some((on) => on === word));

/** Of a key of the file. In the order of the config that is made. */
export const FILE_KEYS: Readonly<Record<string, SkepRow>> = {
  llm: row(llm, (name) => [...agentOf(name), set('agent', name)]),
  model: row(modelName, (model, works) => [set(`agents.${works}.model`, model)]),
  llm_classify: row(llm, (name) => [...agentOf(name), set('asks.classify.agent', name)]),
  model_classify: row(modelName, (model) => [set('asks.classify.model', model)]),
  auto_execute_small: row(yesOrNo, (small) => [set('admission.autoExecuteSmall', small)]),
  test_cmd: row(
    z.string({ error: 'must be a command line' }).pipe(z.preprocess((line) => [line], commandLines)),
    (lines) => [set('validation.commands', lines)],
  ),
  llm_dedup: row(llm, (name) => [...agentOf(name), set('asks.dedup.agent', name)]),
  model_dedup: row(modelName, (model) => [set('asks.dedup.model', model)]),
  step_model_by_verb: row(modelByVerb, (models) =>
    Object.keys(models).length === 0 ? [] : [set('execute.stepModelByVerb', models)],
  ),
  approval_watchdog: row(yesOrNo, (isOn) => [set('watchdog.enabled', isOn)]),
  // Skep looks for these alone where there are any.
  approval_patterns: row(patterns, (list) =>
    list.length === 0 ? [] : [set('watchdog.patterns', list), set('watchdog.replacePatterns', true)],
  ),
  tmux_layout: row(oneOf(['split-h', 'split-v', 'window', 'popup']), (layout) => [set('display.tmuxLayout', layout)]),
};

/** Of a variable of the environment, which is text. */
export const VARIABLES: Readonly<Record<string, SkepRow>> = {
  SKEP_CLASSIFY_TIMEOUT: row(seconds, (time) => [set('asks.classify.timeout', time), set('asks.plan.timeout', time)]),
  SKEP_DEDUP_TIMEOUT: row(seconds, (time) => [set('asks.dedup.timeout', time)]),
  SKEP_CLASSIFY_MCP: row(onOrOff, (isOn) => [set('asks.classify.mcp', isOn)]),
  SKEP_PLAN_MCP: row(onOrOff, (isOn) => [set('asks.plan.mcp', isOn)]),
  SKEP_DEDUP_BM25_THRESHOLD: row(threshold, (least) => [set('dedup.thresholds.keyword', least)]),
  SKEP_DEDUP_TRIGRAM_THRESHOLD: row(threshold, (least) => [set('dedup.thresholds.trigram', least)]),
  SKEP_DEDUP_TFIDF_THRESHOLD: row(threshold, (least) => [set('dedup.thresholds.tfidf', least)]),
  SKEP_DEDUP_MINHASH_THRESHOLD: row(threshold, (least) => [set('dedup.thresholds.minhash', least)]),
};

/** What a key begins with that a version need not have. Any other that is not there is a mistake of this table. */
const COMING = ['asks.classify.mcp', 'asks.plan.mcp', 'watchdog.', 'display.'];

export function isComing(key: string): boolean {
  return COMING.some((begin) => key.startsWith(begin));
}

/** What starts it, as a config says it. */
export function agentOf(name: string): readonly Setting[] {
  const kind = CLIS.find(({ program }) => program === name);
  if (kind === undefined) return [];
  const command = kind.command === null ? [] : [set(`agents.${name}.command`, [...kind.command])];
  return [set(`agents.${name}.adapter`, kind.adapter), ...command];
}

function row<T>(schema: z.ZodType<T>, to: (value: T, llm: string) => readonly Setting[]): SkepRow<T> {
  return { schema, to };
}

function set(key: string, value: unknown): Setting {
  return { key, value };
}

function isPattern(text: string): boolean {
  try {
    return text !== '' && text.length <= 500 && new RegExp(text, 'i').source !== '';
  } catch {
    return false;
  }
}

/** The config keys of what is asked about a task before it may start. Those of its repository count whenever a task is taken in. */
import { z } from 'zod';
import { type AdmissionPolicy, ASKS, type AskName, DEFAULT_ADMISSION } from '../../protocol/run/admission-policy.js';
import { DEFAULT_DEDUP, type Layer, ON_HIT } from '../../protocol/run/dedup-policy.js';
import { byValue, row } from './key-table.js';
import {
  agentName,
  duration,
  fraction,
  instructions,
  modelName,
  oneOf,
  promptTemplate,
  yesOrNo,
} from './key-values.js';

const MINUTE = 60_000;

const ORDER_RULE = `must be a list of ${ASKS.join(', ')}, in which a list stands for what is asked at once, such as [dedup, [classify, plan]]`;

const step = z.enum(ASKS, { error: ORDER_RULE });

/** The classifier decides what becomes of a plan, so that one is never asked for without the other. */
const admissionOrder: z.ZodType<AdmissionPolicy['order']> = z
  .array(z.union([step.transform((one) => [one]), z.array(step, { error: ORDER_RULE })], { error: ORDER_RULE }), {
    error: ORDER_RULE,
  })
  .refine((order) => hasEachOnce(order), { error: 'must name each at most once' })
  .refine((order) => order.every((group, at) => !group.includes('dedup') || (at === 0 && group.length === 1)), {
    error: 'must have dedup before all others: nothing is asked about a task that is there already',
  })
  .refine((order) => ['classify', undefined].includes(order.flat().find((one) => one !== 'dedup')), {
    error: 'must begin with classify: what it says decides whether a plan is used',
  });

function hasEachOnce(order: readonly (readonly AskName[])[]): boolean {
  const names = order.flat();
  return new Set(names).size === names.length;
}

const THRESHOLD_RULE = 'must be a number above 0, and at most 1';

const threshold = z
  .number({ error: THRESHOLD_RULE })
  .gt(0, { error: THRESHOLD_RULE })
  .max(1, { error: THRESHOLD_RULE });

/** `of`: what its score says. */
function thresholdRow<const At extends Layer>(layer: At, of: string) {
  return row({
    at: `dedup.thresholds.${layer}`,
    schema: threshold,
    type: 'above 0, at most 1',
    fallback: DEFAULT_DEDUP.thresholds[layer],
    meaning: `the score from which on two tasks are alike by ${of}`,
    scope: 'files',
  });
}

export const ADMISSION_KEYS = {
  'dedup.onHit': row({
    at: 'dedup.onHit',
    schema: oneOf(ON_HIT),
    type: ON_HIT.map((one) => `\`${one}\``).join(' or '),
    fallback: DEFAULT_DEDUP.onHit,
    meaning:
      'what becomes of a task that is like one that is there, with `dedup` in `admission.order`: only the same text, or nearly, is refused and a person looks at what else is alike; or whatever is alike is refused',
    scope: 'files',
  }),
  'dedup.ask': row({
    at: 'dedup.ask',
    schema: yesOrNo,
    type: '`true` or `false`',
    fallback: DEFAULT_DEDUP.ask,
    meaning:
      'whether an agent is asked about the few tasks that a new one is most like, where nothing refused it; its layers alone find no other words for the same thing',
    scope: 'files',
  }),
  'dedup.thresholds.keyword': thresholdRow('keyword', 'the words that they share, the rarer the more'),
  'dedup.thresholds.trigram': thresholdRow('trigram', 'groups of three letters'),
  'dedup.thresholds.tfidf': thresholdRow('tfidf', 'how often each has which words'),
  'dedup.thresholds.minhash': thresholdRow('minhash', 'pairs of neighbouring words'),
  'admission.order': row({
    at: 'admission.order',
    schema: admissionOrder,
    type: 'list of `dedup`, `classify` and `plan`; a list in it is asked at once',
    fallback: DEFAULT_ADMISSION.order,
    meaning:
      'what is found out about a task before it may start; `dedup`, whether it is there already, by its host and, with `dedup.ask`, an agent; the others by an agent; empty: nothing',
    scope: 'files',
    merge: 'stricter',
    show: (order) => order.map(([first = '', ...others]) => (others.length === 0 ? first : [first, ...others])),
    allows: (order) => ASKS.length - order.flat().length,
  }),
  'admission.minConfidence': row({
    at: 'admission.minConfidence',
    schema: fraction,
    type: '0 to 1',
    fallback: DEFAULT_ADMISSION.minConfidence,
    meaning: 'a task that is classified as small with less confidence waits for a person',
    scope: 'files',
    merge: 'stricter',
    allows: (least) => 1 - least,
  }),
  'admission.autoExecuteSmall': row({
    at: 'admission.autoExecuteSmall',
    schema: yesOrNo,
    type: '`true` or `false`',
    fallback: DEFAULT_ADMISSION.autoExecuteSmall,
    meaning: 'whether a task that is classified as small starts without a person',
    scope: 'files',
    merge: 'stricter',
    allows: Number,
  }),
  'admission.allowAgentApproval': row({
    at: 'admission.allowAgentApproval',
    schema: yesOrNo,
    type: '`true` or `false`',
    fallback: DEFAULT_ADMISSION.allowAgentApproval,
    meaning: 'whether an agent may let a task start, or reject it, where a person would',
    scope: 'files',
    merge: 'stricter',
    allows: Number,
  }),
  'asks.<ask>.agent': row({
    at: 'agent',
    schema: agentName,
    type: 'name',
    fallbackText: '`agent`',
    meaning: 'who is asked',
    scope: 'files',
  }),
  'asks.<ask>.model': row({
    at: 'model',
    schema: modelName,
    type: 'name',
    fallbackText: "the agent's `model`; of `classify` its cheap one, where it is known; of `dedup` that of `classify`",
    meaning: 'model of this ask; it counts only for an agent that the same or a lower layer chose',
    scope: 'files',
  }),
  'asks.<ask>.effort': row({
    at: 'effort',
    schema: modelName,
    type: 'name',
    meaning: 'effort of this ask, as the agent names it',
    scope: 'files',
  }),
  'asks.<ask>.timeout': row({
    at: 'timeoutMs',
    schema: duration(100, 60 * MINUTE),
    type: 'duration',
    fallback: 3 * MINUTE,
    meaning: 'time limit of this ask, `1m` of `dedup`; `limits.turn` holds too where somebody wrote it',
    scope: 'files',
    merge: 'stricter',
    allows: byValue,
    unit: 'duration',
  }),
  'asks.<ask>.instructions': row({
    at: 'instructions',
    schema: instructions,
    type: 'text',
    meaning: "added to this ask's prompt",
    scope: 'files',
  }),
  'asks.<ask>.prompt': row({
    at: 'prompt',
    schema: promptTemplate,
    type: 'text',
    fallbackText: 'built in',
    meaning:
      "stands instead of the opening of this ask's prompt, never of the form of its answer; `{{task}}` in it becomes the task",
    scope: 'files',
  }),
} as const;

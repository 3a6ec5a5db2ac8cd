/** The config keys of what is asked about a task before it may start. Those of its repository count whenever a task is taken in. */
import { z } from 'zod';
import { type AdmissionOrder, ASKS, type AskName, DEFAULT_ADMISSION } from '../../protocol/run/admission-policy.js';
import { byValue, row } from './key-table.js';
import { agentName, duration, fraction, instructions, modelName, promptTemplate, yesOrNo } from './key-values.js';

const MINUTE = 60_000;

const ORDER_RULE = `must be a list of ${ASKS.join(', ')}, in which a list stands for what is asked at once, such as [[classify, plan]]`;

const ask = z.enum(ASKS, { error: ORDER_RULE });

/** The classifier decides what becomes of a plan, so that one is never asked for without the other. */
const admissionOrder: z.ZodType<AdmissionOrder> = z
  .array(z.union([ask.transform((one) => [one]), z.array(ask, { error: ORDER_RULE })], { error: ORDER_RULE }), {
    error: ORDER_RULE,
  })
  .refine((order) => hasEachOnce(order), { error: 'must name each ask at most once' })
  .refine((order) => order.flat().length === 0 || order.flat()[0] === 'classify', {
    error: 'must begin with classify: what it says decides whether a plan is used',
  });

function hasEachOnce(order: readonly (readonly AskName[])[]): boolean {
  const names = order.flat();
  return new Set(names).size === names.length;
}

export const ADMISSION_KEYS = {
  'admission.order': row({
    at: 'admission.order',
    schema: admissionOrder,
    type: 'list of `classify` and `plan`; a list in it is asked at once',
    fallback: DEFAULT_ADMISSION.order,
    meaning: 'what an agent is asked about a task before a person says that it may start; empty: nothing',
    scope: 'files',
    merge: 'stricter',
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
    fallbackText: "the agent's `model`; of `classify` its cheap one, where it is known",
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
    meaning: 'time limit of this ask; `limits.turn` holds too where somebody wrote it',
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

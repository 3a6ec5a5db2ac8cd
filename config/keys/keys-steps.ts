/** The config keys of how a run makes its change. */
import { z } from 'zod';
import { STEP_VERBS } from '../../protocol/admission/plan-steps.js';
import { AGENT_COMMITS, EXECUTE_UNTIL, type ExecutePolicy, STEP_CHECKS } from '../../protocol/run/execute-policy.js';
import { byValue, row } from './key-table.js';
import { duration, oneOf, text, yesOrNo } from './key-values.js';

const MINUTE = 60_000;

/** Narrower than elsewhere, and never like an option. Source: S-66. */
const stepModel = text(
  'must be a name of letters, digits and ._:/-, at most 128, starting with a letter or digit',
  (value) => /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/.test(value),
);

const modelByVerb: z.ZodType<ExecutePolicy['stepModelByVerb']> = z.partialRecord(
  z.enum(STEP_VERBS, { error: `must be one of ${STEP_VERBS.join(', ')}` }),
  stepModel,
  { error: `must be a mapping of ${STEP_VERBS.join(', ')} to names of models` },
);

export const STEP_KEYS = {
  'execute.until': row({
    at: 'execute.until',
    schema: oneOf(EXECUTE_UNTIL),
    type: '`once` or `steps`',
    fallback: 'once',
    meaning: 'whether a task that has a plan is made by one turn, or by one turn for each step of the plan',
    scope: 'files',
  }),
  'execute.stepModelByVerb': row({
    at: 'execute.stepModelByVerb',
    schema: modelByVerb,
    type: 'mapping of verbs to names of models',
    fallback: {},
    meaning: "model of a step by its verb, instead of the stage's; what the config says when the step starts",
    scope: 'files',
  }),
  'execute.stepTimeout': row({
    at: 'execute.stepTimeoutMs',
    schema: duration(100, 24 * 60 * MINUTE),
    type: 'duration',
    fallback: 30 * MINUTE,
    meaning: 'time limit of one turn of a step; that of the stage holds too',
    scope: 'files',
    merge: 'stricter',
    allows: byValue,
    unit: 'duration',
  }),
  'execute.stepCheck': row({
    at: 'execute.stepCheck',
    schema: oneOf(STEP_CHECKS),
    type: '`acceptance` or `none`',
    fallback: 'acceptance',
    meaning:
      'whether the agent of `verifying` is asked, after each step, whether what the plan accepts it by holds; a step that tests is checked by the validation commands in any case',
    scope: 'files',
    merge: 'stricter',
    allows: (check) => Number(check === 'none'),
  }),
  'execute.commits': row({
    at: 'execute.commits',
    schema: oneOf(AGENT_COMMITS),
    type: '`fold` or `keep`',
    fallback: 'fold',
    meaning:
      'what becomes of commits that an agent makes itself: they are folded into the one of the engine, with their messages, or stay commits of their own, made anew by the engine; in a sandbox they are folded',
    scope: 'files',
  }),
  'execute.keepTree': row({
    at: 'execute.keepTree',
    schema: yesOrNo,
    type: '`true` or `false`',
    fallback: false,
    meaning: 'whether what a failed try of a step left stays for the next one, instead of the commit before the step',
    scope: 'files',
  }),
} as const;

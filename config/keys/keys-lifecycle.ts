/**
 * The config keys of a run's way with people and limits: rounds, gates, permissions, budgets, usage limits, notifications.
 * `any` holds where a start input can only choose or make stricter; what starts programs or sends data out comes from files.
 */
import { MAX_REMINDERS, MAX_ROUNDS } from '../../protocol/limits.js';
import { ADAPTERS, PERMISSION_MODES } from '../../protocol/run/policy.js';
import { KIND_OF_ADAPTER } from '../agents/kinds.js';
import { gateStages } from './gate-stages.js';
import { byValue, inOrder, row } from './key-table.js';
import {
  amount,
  dollars,
  duration,
  durationOr,
  durationOrZero,
  integer,
  minutes,
  oneOf,
  yesOrNo,
} from './key-values.js';
import { hidesSink, notifySinks, shownSink } from './notify-sinks.js';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Below it a timer tells nothing that a person could act on. */
const MIN_WAIT = 100;

const SILENT = ADAPTERS.filter((adapter) => !KIND_OF_ADAPTER[adapter].tellsCost).map((adapter) => `\`${adapter}\``);

const MAX_TOKENS = 1e12;
const UNTOLD_TOKENS = 'an agent that does not tell the tokens of a turn ends the run blocked';

export const LIFECYCLE_KEYS = {
  rounds: row({
    at: 'rounds',
    schema: integer(0, MAX_ROUNDS),
    type: `0 to ${MAX_ROUNDS}`,
    fallback: 2,
    meaning: 'how often a run may enter fixing; a value at the start of a run counts even where it is higher',
    allows: byValue,
    aliases: [{ path: 'workflow.maxReviewLoops', schema: null }],
  }),
  'gates.stages': row({
    at: 'gates.stages',
    schema: gateStages,
    type: 'list of stages, and `landing`',
    fallback: [],
    meaning:
      'the run waits for a person when it first enters one of them, before the work; lists add up, so no start input removes a gate. ' +
      'A stage that `stageList` does not have is an error, unless a higher layer set `stageList`: then it has no gate',
    merge: 'union',
    aliases: [{ path: 'policies.requireApprovalAtStages', schema: null }],
  }),
  'gates.maxChangeRounds': row({
    at: 'gates.maxChangeRounds',
    schema: integer(0, 20),
    type: '0 to 20',
    fallback: 3,
    meaning: 'how often a person may request changes at one gate; after that the run ends blocked',
    merge: 'stricter',
    allows: byValue,
    aliases: [{ path: 'policies.approvalMaxChangeRounds', schema: null }],
  }),
  'gates.remind': row({
    at: 'gates.remindMs',
    schema: durationOr('off', MIN_WAIT, YEAR),
    type: 'duration or `off`',
    unit: 'duration',
    none: 'off',
    meaning: `an open gate is told again each time that so long has passed, at most ${MAX_REMINDERS} times`,
  }),
  'gates.escalate': row({
    at: 'gates.escalateMs',
    schema: durationOr('off', MIN_WAIT, YEAR),
    type: 'duration or `off`',
    unit: 'duration',
    none: 'off',
    meaning: 'a gate that is open for so long is told once as escalated',
  }),
  'gates.expire': row({
    at: 'gates.expireMs',
    schema: durationOr('never', MIN_WAIT, YEAR),
    type: 'duration or `never`',
    unit: 'duration',
    none: 'never',
    meaning: 'a gate that is open for so long expires, and the run ends blocked',
  }),
  'gates.unattendedExpire': row({
    at: 'gates.unattendedExpireMs',
    schema: durationOrZero(YEAR),
    type: 'duration or `0`',
    fallback: 0,
    unit: 'duration',
    meaning: 'counts instead of `gates.expire` in a run that nobody attends; `0`: at once',
    aliases: [{ path: 'policies.unattendedApprovalTimeoutMs', schema: integer(0, YEAR, 'milliseconds') }],
  }),
  attended: row({
    at: 'attended',
    schema: yesOrNo,
    type: '`true` or `false`',
    fallbackText: 'how the run was started decides',
    meaning: 'whether a person is expected to answer',
  }),
  holdAtCompletion: row({
    at: 'holdAtCompletion',
    schema: yesOrNo,
    type: '`true` or `false`',
    fallback: false,
    meaning: 'whether a run that is done waits for a person before it ends; `true` is the stricter',
    merge: 'stricter',
    allows: inOrder([true, false]),
  }),
  permissions: row({
    at: 'permissions',
    schema: oneOf(PERMISSION_MODES),
    type: PERMISSION_MODES.map((mode) => `\`${mode}\``).join(', '),
    fallback: 'auto',
    meaning:
      'what an agent may do: change nothing, change with a gate on each change, with one gate at the end, or freely; strictest first',
    merge: 'stricter',
    allows: inOrder(PERMISSION_MODES),
    aliases: [{ path: 'policies.defaultPermissionMode', schema: null }],
  }),
  'budget.run.turns': row({
    at: 'budget.turns',
    schema: integer(1, 100_000),
    type: 'number',
    meaning: 'turns that a run may use; failed attempts count',
    merge: 'stricter',
    allows: byValue,
  }),
  'budget.run.minutes': row({
    at: 'budget.minutes',
    schema: amount('minutes', YEAR / 60_000),
    type: 'number',
    meaning: 'minutes that agents may work in a run; waiting does not count',
    merge: 'stricter',
    allows: byValue,
  }),
  'budget.run.usd': row({
    at: 'budget.microUsd',
    schema: dollars(1_000_000),
    type: 'US dollars',
    meaning:
      `money that a run may use; refused where an agent of the run has the adapter ${SILENT.slice(0, -1).join(', ')} or ${SILENT.at(-1)}, which tell no cost, or asks a model whose price is not known; ` +
      'an agent that does not tell the cost of a turn ends the run blocked',
    merge: 'stricter',
    allows: byValue,
    unit: 'usd',
  }),
  'budget.run.tokens': row({
    at: 'budget.tokens',
    schema: integer(1, MAX_TOKENS),
    type: 'number',
    meaning: `tokens, read and written, that a run may use; ${UNTOLD_TOKENS}`,
    merge: 'stricter',
    allows: byValue,
  }),
  'budget.day.turns': row({
    at: 'budget.day.turns',
    schema: integer(1, 100_000),
    type: 'number',
    meaning:
      'turns that all runs of the project together may use in a day, which ends at 00:00 UTC; failed attempts count',
    merge: 'stricter',
    allows: byValue,
  }),
  'budget.day.minutes': row({
    at: 'budget.day.minutes',
    schema: amount('minutes', YEAR / 60_000),
    type: 'number',
    meaning: 'minutes that agents of the project may work in a day (UTC); of turns under way an estimate counts',
    merge: 'stricter',
    allows: byValue,
  }),
  'budget.day.usd': row({
    at: 'budget.day.microUsd',
    schema: dollars(1_000_000),
    type: 'US dollars',
    meaning:
      'money that the project may use in a day (UTC); of turns under way an estimate counts; refused as `budget.run.usd` is',
    merge: 'stricter',
    allows: byValue,
    unit: 'usd',
  }),
  'budget.day.tokens': row({
    at: 'budget.day.tokens',
    schema: integer(1, MAX_TOKENS),
    type: 'number',
    meaning: `tokens that the project may use in a day (UTC); of turns under way an estimate counts; ${UNTOLD_TOKENS}`,
    merge: 'stricter',
    allows: byValue,
  }),
  'budget.onLimit': row({
    at: 'budget.onLimit',
    schema: oneOf(['stop', 'pause']),
    type: '`stop` or `pause`',
    fallback: 'stop',
    meaning: 'a used-up budget ends the run blocked, or opens a gate',
    allows: inOrder(['stop', 'pause'] as const),
  }),
  'usageLimit.action': row({
    at: 'usageLimit.action',
    schema: oneOf(['wait', 'fallback', 'stop']),
    type: '`wait`, `fallback` or `stop`',
    fallback: 'wait',
    meaning: "at a provider's usage limit the run waits, goes on with the agent's `fallback`, or ends",
    allows: inOrder(['stop', 'wait', 'fallback'] as const),
  }),
  'usageLimit.maxWait': row({
    at: 'usageLimit.maxWaitMs',
    schema: duration(MIN_WAIT, YEAR),
    type: 'duration',
    fallback: DAY,
    meaning: 'the longest wait for a usage limit',
    merge: 'stricter',
    allows: byValue,
    unit: 'duration',
    aliases: [{ path: 'usageLimit.maxWaitMin', schema: minutes(1, YEAR / 60_000) }],
  }),
  'usageLimit.maxWaits': row({
    at: 'usageLimit.maxWaits',
    schema: integer(0, 100),
    type: '0 to 100',
    fallback: 2,
    meaning: 'how often a run waits for a usage limit',
    merge: 'stricter',
    allows: byValue,
  }),
  notify: row({
    at: 'notify',
    schema: notifySinks,
    type: 'list of `desktop`, `{command: [program, arguments]}` and `{webhook: address, secretEnv: NAME}`',
    fallback: [{ kind: 'desktop' }],
    fallbackText: '`[desktop]`',
    meaning:
      'who is told of gates, ends and limits: the attached terminal, a program (JSON on stdin), or an https address ' +
      "(http only to this machine), signed with the worker's variable `secretEnv`; at most 10",
    scope: 'files',
    executes: true,
    show: (sinks) => sinks.map(shownSink),
    hides: hidesSink,
  }),
} as const;

/**
 * How far the steps of a plan are, read from what their turns and checks left. Pure. What the workflow decides is not asked of it: a step before one that was
 * begun is done, whatever its last turn came to. Source: S-67, S-75, S-82 to S-84, docs/requirements/skep.md.
 */
import type { StepStatus } from '../../protocol/admission/next-step.js';
import { orderSteps, type PlanStep } from '../../protocol/admission/plan-steps.js';
import type { OpenedStep } from '../../protocol/messages/run-steps.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import type { ValidationOutcome } from '../../protocol/run/outcomes.js';
import { checkOfStep, passesStep } from '../../protocol/run/step-check.js';
import type { StageEntry, StepTry, StepWork } from '../unit/stage-progress.js';
import type { GivenPlan } from './given-steps.js';

/** One try, with the end of what it printed. */
export interface StepAttempt extends Omit<StepTry, 'printed' | 'diff'> {
  readonly attempt: number;
  readonly runId: string;
  /** Of the turn's place. */
  readonly turn: number;
  readonly headBefore: string;
  readonly headAfter: string;
  /** SHA-256 of the artifacts. */
  readonly output: string | null;
  readonly diff: string | null;
}

export interface StepRecord extends PlanStep {
  readonly status: StepStatus;
  /** Of its last try; null and empty where it had none. */
  readonly model: string | null;
  readonly sessionId: string | null;
  readonly headBefore: string | null;
  readonly headAfter: string | null;
  readonly commits: readonly string[];
  readonly outputTail: string;
  readonly retryCount: number;
  /** Unit: ms, of all tries. Null: it had none. */
  readonly durationMs: number | null;
  readonly tokens: number | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly error: string | null;
  readonly attempts: readonly StepAttempt[];
}

type Work = StageEntry & { readonly step: StepWork };

/** In the order of the plan. */
export function recordSteps(plan: GivenPlan, entries: readonly StageEntry[]): readonly StepRecord[] {
  const work = workAt(plan, entries);
  const { steps } = plan;
  const begun = beganBehind(steps, work);
  return steps.map((step) => {
    const own = work.filter((entry) => entry.step.seq === step.seq);
    const attempts = own.flatMap((entry) => attemptOf(entry, own));
    const last = attempts.at(-1);
    const status = statusOf(plan, { step, own, isBehind: begun.has(step.seq) });
    return {
      ...step,
      status,
      model: last?.model ?? null,
      sessionId: last?.conversationId ?? null,
      headBefore: own.at(0)?.headBefore ?? null,
      headAfter: last?.headAfter ?? null,
      commits: status === 'done' ? (last?.commits ?? []) : [],
      outputTail: last?.outputTail ?? '',
      retryCount: Math.max(0, new Set(own.map((entry) => entry.step.attempt)).size - 1),
      durationMs: last === undefined ? null : sum(attempts.map(({ durationMs }) => durationMs)),
      tokens: last?.tokens ?? null,
      startedAt: attempts.at(0)?.startedAt ?? null,
      endedAt: last?.endedAt ?? null,
      error: status === 'failed' ? errorOf(own) : null,
      attempts,
    };
  });
}

/** In the order in which they run, as a run finds them that begins now: its tries are its own. Source: S-83. */
export function openSteps(plan: GivenPlan, entries: readonly StageEntry[]): readonly OpenedStep[] {
  const work = workAt(plan, entries);
  const begun = beganBehind(plan.steps, work);
  return orderSteps(plan.steps).map((step) => {
    const { seq, verb } = step;
    const own = work.filter((entry) => entry.step.seq === seq);
    const found = statusOf(plan, { step, own, isBehind: begun.has(seq) });
    const awaits = found !== 'done' && isThrough(lastOf(own)) ? 'check' : 'turn';
    const status = found === 'done' ? found : awaits === 'check' ? 'executing' : 'pending';
    const talked = own.findLast(({ end }) => end?.did?.conversationId != null);
    return {
      seq,
      verb,
      status,
      awaits,
      failures: 0,
      attempts: Math.max(0, ...own.map((entry) => entry.step.attempt)),
      continues:
        status === 'done' || talked === undefined
          ? null
          : { runId: talked.step.runId, seq: talked.seq, token: talked.token },
    };
  });
}

/** The last try of a step, or its check, before that one: what a retry is told of. Null: there was none. */
export function findFailed(
  plan: GivenPlan,
  entries: readonly StageEntry[],
  { seq, attempt }: Pick<StepWork, 'seq' | 'attempt'>,
): StageEntry | null {
  const before = ({ step }: Work) => step.seq === seq && step.attempt < attempt;
  return workAt(plan, entries).findLast((entry) => before(entry) && entry.end !== null) ?? null;
}

/** The final text of the last turn of a step. Null: there is none. */
export function saidInStep(plan: GivenPlan, entries: readonly StageEntry[], seq: number): ArtifactRef | null {
  const turn = workAt(plan, entries).findLast(({ step }) => step.seq === seq && step.kind === 'turn');
  return turn?.end?.output ?? null;
}

function workAt({ hash }: GivenPlan, entries: readonly StageEntry[]): readonly Work[] {
  return entries.filter((entry): entry is Work => entry.step?.plan === hash);
}

/** Of those before it in the order something came after. */
function beganBehind(steps: readonly PlanStep[], work: readonly Work[]): ReadonlySet<number> {
  const order = orderSteps(steps).map(({ seq }) => seq);
  const furthest = Math.max(-1, ...work.map(({ step }) => order.indexOf(step.seq)));
  return new Set(order.slice(0, Math.max(0, furthest)));
}

interface Standing {
  readonly step: PlanStep;
  readonly own: readonly Work[];
  readonly isBehind: boolean;
}

function statusOf({ stepCheck }: GivenPlan, { step: { verb }, own, isBehind }: Standing): StepStatus {
  const last = lastOf(own);
  if (isBehind) return 'done';
  if (last === undefined) return 'pending';
  if (last.end === null) return 'executing';
  if (last.step.kind === 'check') return passesStep(checkOf(last)) ? 'done' : 'failed';
  if (!isThrough(last)) return WAITS.includes(last.end.outcome) ? 'executing' : 'failed';
  return checkOfStep(verb, stepCheck) === null ? 'done' : 'executing';
}

/** A check that said nothing, since it was cut short or could not be made, leaves the turn before it as it was. */
function lastOf(own: readonly Work[]): Work | undefined {
  return own.findLast(({ step, end }) => step.kind === 'turn' || (end !== null && end.outcome !== 'unavailable'));
}

/** Its turn ended well; what the checks say is another matter. */
function isThrough(entry: Work | undefined): boolean {
  return entry?.step.kind === 'turn' && entry.end !== null && THROUGH.includes(entry.end.outcome);
}

const THROUGH: readonly string[] = ['done', 'no_change', 'guarded_paths'];

/** After these its turn is taken again, or a person decides: nobody has failed. Source: S-74. */
const WAITS: readonly string[] = [
  'usage_limit',
  'rate_limited',
  'transient',
  'crash_loop',
  'needs_input',
  'repository_changed',
];

function checkOf({ end }: Work): ValidationOutcome['kind'] {
  // The outcome of a check is one of a validation.
  return (end?.outcome ?? 'unavailable') as ValidationOutcome['kind'];
}

/** With the diff that its check kept, where that refused it. */
function attemptOf({ step, seq, headBefore, end }: Work, own: readonly Work[]): readonly StepAttempt[] {
  if (end?.did === undefined) return [];
  const check = own.findLast((other) => other.step.kind === 'check' && other.step.attempt === step.attempt);
  const { printed, diff, ...did } = end.did;
  return [
    {
      ...did,
      attempt: step.attempt,
      runId: step.runId,
      turn: seq,
      headBefore,
      headAfter: end.headAfter,
      output: printed?.sha256 ?? null,
      diff: (diff ?? check?.end?.diff)?.sha256 ?? null,
      error: did.error ?? check?.end?.why ?? null,
    },
  ];
}

function errorOf(own: readonly Work[]): string | null {
  const { end = null } = own.at(-1) ?? {};
  return end?.why ?? end?.did?.error ?? null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

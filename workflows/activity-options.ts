/**
 * Time-outs, retries and queues of all activities, each with its reason. Those of a run retry without end: a repeat is harmless by its place, a host may
 * sleep for a week, and a shutdown consumes an attempt. What stands beside a run (telling people, cleaning up, starting a quota gate) gives up, since
 * no run waits for it for ever. What touches no host goes to the control worker.
 */
import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type {
  AnyHostActivities,
  ControlActivities,
  HostActivities,
  HostAsksActivities,
  HostChecksActivities,
  HostForgeActivities,
  HostTurnActivities,
} from '../activities/index.js';
import { NON_RETRYABLE_TYPES } from '../protocol/failures.js';
import { ABORT_CLOSE_WAIT, PICK_HOST_WAIT } from '../protocol/limits.js';
import {
  ANY_HOST_QUEUE,
  forgeQueue,
  hostAsksQueue,
  hostChecksQueue,
  hostQueue,
  hostTurnsQueue,
  TASK_QUEUE,
} from '../protocol/names.js';
import type { RunPolicy, StageAgent } from '../protocol/run/policy.js';

const MINUTE_MS = 60_000;
/** What an activity may need beside the work whose limit the guard keeps. */
const SLACK_MS = 5 * MINUTE_MS;
/** A look, a fetch and a push, each of which its git ends after five minutes (forge-git.ts), and says so. */
const FORGE_MS = 3 * SLACK_MS + SLACK_MS;
/** Of a queue: over about a minute where each fails at once. What is lost with a worker that ends counts too. */
const QUEUE_ATTEMPTS = 20;
/** The set-up limit is known only once the host has resolved the policy; a dead host is noticed by its heartbeat. */
const OPEN_RUN_MS = 180 * MINUTE_MS;
/** As long as any set-up and commands may take, twice. */
const CHECKS_MS = 24 * 60 * MINUTE_MS;
/** Light work beats twice a second; `limits.heartbeat` is for turns and validations, whose policy is known by then. */
const LIGHT_HEARTBEAT_MS = 5_000;

const HOST_OPTIONS = {
  // Set on purpose: left unset it goes out as TRY_CANCEL and the run would go on while the agent still works.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: {
    initialInterval: 200,
    backoffCoefficient: 1.5,
    maximumInterval: 5_000,
    nonRetryableErrorTypes: [...NON_RETRYABLE_TYPES],
  },
};

const QUEUE_RETRY = { ...HOST_OPTIONS.retry, maximumAttempts: QUEUE_ATTEMPTS };

export function anyHost() {
  return proxyActivities<AnyHostActivities>({
    ...HOST_OPTIONS,
    taskQueue: ANY_HOST_QUEUE,
    startToCloseTimeout: MINUTE_MS,
    scheduleToStartTimeout: PICK_HOST_WAIT,
  });
}

export function openingHost(hostId: string) {
  return lightHost<'openRun'>(hostId, { startToCloseTimeout: OPEN_RUN_MS });
}

export function turnHost(hostId: string, policy: RunPolicy, { timeoutMs }: StageAgent) {
  return proxyActivities<Pick<HostTurnActivities, 'runTurn'>>({
    ...HOST_OPTIONS,
    taskQueue: hostTurnsQueue(hostId),
    startToCloseTimeout: timeoutMs + policy.killGraceMs + SLACK_MS,
    heartbeatTimeout: policy.heartbeatMs,
  });
}

export function validationHost(hostId: string, policy: RunPolicy) {
  return proxyActivities<Pick<HostTurnActivities, 'validate'>>({
    ...HOST_OPTIONS,
    taskQueue: hostTurnsQueue(hostId),
    // Twice: commands that are red run on the base commit too.
    startToCloseTimeout: 2 * (policy.setupBudgetMs + policy.validationBudgetMs) + SLACK_MS,
    heartbeatTimeout: policy.heartbeatMs,
  });
}

/** `hurries`: of an aborted run, which does not wait for a host that is gone. */
export function closingHost(hostId: string, hurries: boolean) {
  const wait = hurries ? { scheduleToStartTimeout: ABORT_CLOSE_WAIT } : {};
  return lightHost<'closeRun'>(hostId, { startToCloseTimeout: SLACK_MS, ...wait });
}

/** Nothing waits for journal lines, so they wait for the host as long as it is away: who comes back to a run that rests finds its files as it is. */
export function flushingHost(hostId: string) {
  return lightHost<'flushJournal'>(hostId, { startToCloseTimeout: MINUTE_MS });
}

/** Merging and swapping; the checks between two of them are an activity of their own. What fails again and again is told to whoever waits in the queue, and tried again in time. */
export function landingHost(hostId: string) {
  return lightHost<'landEntry' | 'lookAtBase'>(hostId, { startToCloseTimeout: SLACK_MS, retry: QUEUE_RETRY });
}

/** Whoever waits for it looks by timer where it fails, and nothing is lost with it. Cancelled, it is waited for by nobody. */
export function watchingHost(hostId: string) {
  return lightHost<'watchBase'>(hostId, {
    startToCloseTimeout: CHECKS_MS,
    scheduleToStartTimeout: MINUTE_MS,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { ...HOST_OPTIONS.retry, maximumAttempts: 3 },
  });
}

/** The base of a forge, for a queue of many hosts: one that is away, or takes the work and cannot do it, keeps its own heads waiting, and no others. A whole attempt fits behind ten minutes of failures. */
export function forgeBaseHost(hostId: string) {
  return proxyActivities<Pick<HostForgeActivities, 'landEntry' | 'lookAtBase' | 'leaveQueue'>>({
    ...forgeOptions(hostId, MINUTE_MS),
    scheduleToCloseTimeout: FORGE_MS + 10 * MINUTE_MS,
    retry: QUEUE_RETRY,
  });
}

/** The forge's part of one landing. It may wait behind that of others, and a host that is busy is not away: a person is asked about one that is. */
export function forgeHost(hostId: string) {
  return proxyActivities<Pick<HostForgeActivities, 'ensurePull' | 'lookAtPull' | 'readRemarks' | 'planRepair'>>(
    forgeOptions(hostId, 15 * MINUTE_MS),
  );
}

function forgeOptions(hostId: string, scheduleToStartTimeout: number): ActivityOptions {
  return {
    ...HOST_OPTIONS,
    taskQueue: forgeQueue(hostId),
    scheduleToStartTimeout,
    startToCloseTimeout: FORGE_MS,
    heartbeatTimeout: LIGHT_HEARTBEAT_MS,
  };
}

/** Questions about tasks: never behind the agents of runs. */
export function askingHost(
  hostId: string,
  { killGraceMs, heartbeatMs }: Pick<RunPolicy, 'killGraceMs' | 'heartbeatMs'>,
  { timeoutMs }: Pick<StageAgent, 'timeoutMs'>,
) {
  return proxyActivities<HostAsksActivities>({
    ...HOST_OPTIONS,
    taskQueue: hostAsksQueue(hostId),
    startToCloseTimeout: timeoutMs + killGraceMs + SLACK_MS,
    heartbeatTimeout: heartbeatMs,
  });
}

/** Other checks of a host may be before it for so long. */
const BUSY_CHECKS_MS = 30 * MINUTE_MS;

/** The limits of the commands are the host's to keep: it knows the policy. `isOneOfMany`: others can check too, so one that is away keeps nobody else waiting. */
export function checksHost(hostId: string, { isOneOfMany }: { readonly isOneOfMany: boolean }) {
  return proxyActivities<HostChecksActivities>({
    ...HOST_OPTIONS,
    ...(isOneOfMany ? { scheduleToStartTimeout: BUSY_CHECKS_MS } : {}),
    taskQueue: hostChecksQueue(hostId),
    startToCloseTimeout: CHECKS_MS,
    heartbeatTimeout: LIGHT_HEARTBEAT_MS,
    retry: QUEUE_RETRY,
  });
}

/** Five attempts over about three minutes: 2, 8, 32 and 128 s apart. */
export function notifyingHost(hostId: string) {
  const retry = { initialInterval: 2_000, backoffCoefficient: 4, maximumInterval: 5 * MINUTE_MS, maximumAttempts: 5 };
  // A program has 20 s and its end a few more; an address has 10 s. A program that was started is ended before the notification closes.
  return lightHost<'deliver'>(hostId, { startToCloseTimeout: 40_000, retry: { ...HOST_OPTIONS.retry, ...retry } });
}

/** A person waits: a host that is away is waited for a minute. What fails again and again is told to the person who asked. */
export function askedHost(hostId: string) {
  const retry = { initialInterval: 500, backoffCoefficient: 2, maximumAttempts: 5 };
  const times = { scheduleToStartTimeout: MINUTE_MS, startToCloseTimeout: 5 * MINUTE_MS };
  return lightHost<
    | 'cleanRun'
    | 'findBase'
    | 'findKept'
    | 'planRepair'
    | 'examineRepair'
    | 'writeLanding'
    | 'writeQuestions'
    | 'compareAgain'
  >(hostId, {
    ...times,
    retry: { ...HOST_OPTIONS.retry, ...retry },
  });
}

/** Whoever hands a task in waits for its number; a host that does not take it is away. */
export function admittingHost(hostId: string) {
  return lightHost<'admit'>(hostId, { scheduleToStartTimeout: 8_000, startToCloseTimeout: SLACK_MS });
}

/** Whoever hands tasks in for a host that somebody named. */
export function findingHost(hostId: string) {
  return lightHost<'findBacklog'>(hostId, { scheduleToStartTimeout: PICK_HOST_WAIT, startToCloseTimeout: MINUTE_MS });
}

/** One call of the server. Whoever cannot make it for a minute waits by a timer alone. */
export function controlHost() {
  return proxyActivities<ControlActivities>({
    taskQueue: TASK_QUEUE,
    startToCloseTimeout: 10_000,
    scheduleToCloseTimeout: MINUTE_MS,
    // Short and without heartbeats: nothing is there to be told.
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: 200, backoffCoefficient: 2, maximumInterval: 5_000 },
  });
}

function lightHost<Name extends keyof HostActivities>(hostId: string, options: ActivityOptions) {
  const light = { taskQueue: hostQueue(hostId), heartbeatTimeout: LIGHT_HEARTBEAT_MS };
  return proxyActivities<Pick<HostActivities, Name>>({ ...HOST_OPTIONS, ...light, ...options });
}

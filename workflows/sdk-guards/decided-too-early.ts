/**
 * Gives up a cached run that decided on events before their workflow task. A Query that was sent before an event can reach a worker after it: the SDK
 * then runs the workflow over the event at once and takes what else the event's task holds later: messages, which a replay takes first, and ends of
 * activities, which a replay takes together with it. Sent as they are, its commands make a history that no worker can replay. The task that would send
 * them fails once instead and is tried again from history; so does one whose commands the server took in between, which cannot be told apart.
 * A Query that brings the start of the task too leaves it nothing but its messages, which a replay takes first; where that task is lost, it looks like one
 * that decided nothing. So a copy of a run that was made for its first task, decided nothing in it and was asked then is given up with the next one.
 * What was only taken early and decided nothing counts as well: of what comes later, the order in which it is decided on may be another one.
 * Source: temporalio/sdk-go#755, where another SDK gets a Query with a history that has gone on.
 */
import type { ActivateInput, ConcludeActivationInput, WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { GIVEN_UP_MESSAGE } from '../../protocol/names.js';

type Jobs = NonNullable<ActivateInput['activation']['jobs']>;

/** Completed, scheduled and started: what lies between two workflow tasks at least, beside the commands of the first. */
const EVENTS_BETWEEN_TASKS = 3;

/** What the last activation without a Query saw. */
interface Seen {
  /** Of a first activation: 0. */
  readonly events: number;
  /** When the task was started whose events it got; a Query's events keep the time of the task before them. */
  readonly startedAt: string;
  readonly replaying: boolean;
  /** Events at least that its commands become. */
  readonly commands: number;
}

/** Loaded into the bundle by its path, see worker/bundle.ts. One copy for each cached run. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let seen: Seen = { events: 0, startedAt: '', replaying: true, commands: 0 };
  let early: 'no' | 'first' | 'perhaps' | 'yes' = 'no';
  let isAsked = false;
  return {
    internals: [
      {
        activate(input, next) {
          const jobs = input.activation.jobs ?? [];
          if (jobs.some((job) => job.queryWorkflow != null)) {
            if (early === 'perhaps' || (early === 'first' && seen.commands === 0)) early = 'yes';
            isAsked = true;
            return next(input);
          }
          const now = sight(input);
          const isSameTask = now.startedAt === seen.startedAt;
          if (now.events > seen.events) {
            if (early === 'yes' || isUnsent(seen, now)) throw new Error(GIVEN_UP_MESSAGE);
            early = earlyBy(now, { isSameTask, isFirst: seen.replaying });
            isAsked = false;
            seen = now;
          } else if (isAsked && isSameTask && bringsMessage(jobs)) throw new Error(GIVEN_UP_MESSAGE);
          next(input);
        },
        concludeActivation(input, next) {
          const output = next(input);
          seen = { ...seen, commands: seen.commands + certainEvents(output) };
          return output;
        },
      },
    ],
  };
};

function earlyBy(now: Seen, { isSameTask, isFirst }: { readonly isSameTask: boolean; readonly isFirst: boolean }) {
  if (now.replaying) return 'no';
  return isSameTask ? 'perhaps' : isFirst ? 'first' : 'no';
}

function sight({ activation }: ActivateInput): Seen {
  const { historyLength, timestamp, isReplaying } = activation;
  return {
    events: historyLength ?? 0,
    startedAt: `${timestamp?.seconds?.toString() ?? ''}.${timestamp?.nanos ?? 0}`,
    replaying: isReplaying ?? false,
    commands: 0,
  };
}

/** There is not room enough in history for the commands of the activation before. */
function isUnsent(before: Seen, now: Seen): boolean {
  return (
    !before.replaying && before.commands > 0 && now.events - before.events < EVENTS_BETWEEN_TASKS + before.commands
  );
}

/** A message is taken before the other jobs of its activation. */
function bringsMessage(jobs: Jobs): boolean {
  return jobs.some((job) => job.doUpdate != null || job.signalWorkflow != null);
}

/** An activity that is cancelled in the task that schedules it leaves no event. */
function certainEvents({ commands }: ConcludeActivationInput): number {
  let events = 0;
  for (const {
    modifyWorkflowProperties,
    upsertWorkflowSearchAttributes,
    scheduleActivity,
    requestCancelActivity,
  } of commands) {
    if (modifyWorkflowProperties != null || upsertWorkflowSearchAttributes != null || scheduleActivity != null)
      events += 1;
    if (requestCancelActivity != null) events -= 1;
  }
  return Math.max(events, 0);
}

/**
 * Gives up a cached run that decided on events before their workflow task. A Query that was sent before an event can reach a worker after it: the SDK
 * then runs the workflow over the event at once and takes what else the event's task holds later: messages, which a replay takes first, and ends of
 * activities, which a replay takes together with it. Sent as they are, its commands make a history that no worker can replay. The task that would send
 * them fails once instead and is tried again from history; so does one whose commands the server took in between, which cannot be told apart.
 * A Query that brings the start of the task too leaves it nothing but its messages, which a replay takes first; where that task is lost, it looks like one
 * that decided nothing. So a copy of a run that decided nothing in the first task that it got and was asked then takes no message with the next one.
 * What was only taken early and decided nothing counts as well: of what comes later, the order in which it is decided on may be another one.
 * Source: temporalio/sdk-go#755, where another SDK gets a Query with a history that has gone on.
 *
 * An Update is kept out of such a task too, and where a task that decided nothing can lie before it: of that and the task of the Update the SDK makes one
 * activation for a copy that is behind, in which the Update is first, and two in every replay. It is refused as one that no worker took, which leaves no
 * event; sent again it is taken, since the copy is beyond that activation. Of a run that was reset none is: nobody is there to send again those of before.
 * Source: decision 37.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { ActivateInput, ConcludeActivationInput, WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { GIVEN_UP_MESSAGE, UNPROCESSED_UPDATE } from '../../protocol/names.js';

type Jobs = NonNullable<ActivateInput['activation']['jobs']>;
type Command = ConcludeActivationInput['commands'][number];

/** Completed, scheduled and started: what lies between two workflow tasks at least, beside what the first decided and what the second brings. */
const EVENTS_BETWEEN_TASKS = 3;

/** Of a Query that has a poll of its own, which alone can bring events early; one that is answered with a task has another. Source: temporalio/sdk-core. */
const LONE_QUERY_ID = 'legacy_query';

/** What the last activation without a Query saw. */
interface Seen {
  /** Of a first activation: 0. */
  readonly events: number;
  /** When the task was started whose events it got; a Query's events keep the time of the task before them. */
  readonly startedAt: string;
  readonly replaying: boolean;
  /** What its commands become, an event each at least. */
  readonly decided: readonly string[];
}

/** Loaded into the bundle by its path, see worker/bundle.ts. One for each cached run. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const copy = new CachedCopy();
  return {
    inbound: [
      {
        validateUpdate(input, next) {
          if (copy.isUncertain)
            throw ApplicationFailure.nonRetryable(
              'the worker just loaded this run, and cannot tell what came before: send it again',
              UNPROCESSED_UPDATE,
            );
          next(input);
        },
      },
    ],
    internals: [
      {
        activate(input, next) {
          copy.look(input);
          next(input);
        },
        concludeActivation(input, next) {
          const output = next(input);
          copy.note(output);
          return output;
        },
      },
    ],
  };
};

class CachedCopy {
  private seen: Seen = { events: 0, startedAt: '', replaying: true, decided: [] };
  private early: 'no' | 'first' | 'lost' | 'perhaps' | 'yes' = 'no';
  private isAsked = false;
  private isReset = false;
  /** A replay may show it otherwise what comes before an Update of this task. */
  isUncertain = false;

  /** Errors: plain Error where it is given up. */
  look(input: ActivateInput): void {
    const jobs = input.activation.jobs ?? [];
    const query = jobs.find((job) => job.queryWorkflow != null)?.queryWorkflow;
    if (query != null) {
      if (query.queryId === LONE_QUERY_ID) this.hearQuery();
      return;
    }
    const { seen, isAsked, early } = this;
    const now = sight(input);
    const isSameTask = now.startedAt === seen.startedAt;
    if (now.events > seen.events) {
      const isLate = early === 'yes' || (early === 'lost' && jobs.some((job) => job.signalWorkflow != null));
      if (isLate || isUnsent(seen, now, jobs)) throw new Error(GIVEN_UP_MESSAGE);
      this.early = earlyBy(now, { isSameTask, isFirst: seen.replaying });
    } else if (!isSameTask) {
      // The server let the task before fall, of an Update that was refused, and this one has its events.
      this.early = 'no';
    } else {
      if (isAsked && bringsMessage(jobs)) throw new Error(GIVEN_UP_MESSAGE);
      return;
    }
    this.isReset ||= bringsReset(input);
    this.isUncertain =
      !this.isReset && (early === 'lost' || isBehind(roomBetween(seen, now, jobs), { isAsked, ...seen }, jobs));
    this.isAsked = false;
    this.seen = now;
  }

  note(output: ConcludeActivationInput): void {
    this.seen = { ...this.seen, decided: decidedBy(output, this.seen.decided) };
  }

  private hearQuery(): void {
    if (this.early === 'perhaps') this.early = 'yes';
    if (this.early === 'first' && this.seen.decided.length === 0) this.early = 'lost';
    this.isAsked = true;
  }
}

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
    decided: [],
  };
}

/** There is not room enough in history for the commands of the activation before. */
function isUnsent(seen: Seen, now: Seen, jobs: Jobs): boolean {
  return !seen.replaying && seen.decided.length > 0 && roomBetween(seen, now, jobs) < 0;
}

/**
 * An activation can hold what a task brought that decided nothing only where nothing was decided before that one; one that brought nothing either has no
 * activation at all. A Query leaves a copy one event later, at the end of a task.
 */
function isBehind(room: number, seen: Seen & { readonly isAsked: boolean }, jobs: Jobs): boolean {
  const tasks = seen.decided.length === 0 ? 1 : 2;
  const isAlone = jobs.every((job) => job.doUpdate != null);
  return !isAlone && room + (seen.isAsked ? 1 : 0) >= tasks * EVENTS_BETWEEN_TASKS;
}

function bringsReset({ activation }: ActivateInput): boolean {
  const begun = activation.jobs?.find((job) => job.initializeWorkflow != null)?.initializeWorkflow;
  return begun?.originalExecutionRunId != null && begun.originalExecutionRunId !== activation.runId;
}

/** Events between two activations beside what the first decided and what the second brings. */
function roomBetween(seen: Seen, now: Seen, jobs: Jobs): number {
  const brought = jobs.reduce((sum, job) => sum + eventsOf(job), 0);
  return now.events - seen.events - EVENTS_BETWEEN_TASKS - seen.decided.length - brought;
}

/** Of what is told of as a job. An Update comes beside the history. */
function eventsOf(job: Jobs[number]): number {
  // The start of an activity is written with its end. One that failed can have failed before its start.
  if (job.resolveActivity?.result?.completed != null) return 2;
  const isEvent =
    job.signalWorkflow != null ||
    job.resolveActivity != null ||
    job.fireTimer != null ||
    job.resolveSignalExternalWorkflow != null ||
    job.resolveChildWorkflowExecutionStart != null ||
    job.resolveChildWorkflowExecution != null;
  return isEvent ? 1 : 0;
}

/** A message is taken before the other jobs of its activation. */
function bringsMessage(jobs: Jobs): boolean {
  return jobs.some((job) => job.doUpdate != null || job.signalWorkflow != null);
}

/** What is cancelled in the task that begins it leaves no event. */
function decidedBy({ commands }: ConcludeActivationInput, before: readonly string[]): readonly string[] {
  return commands.reduce<readonly string[]>((decided, command) => {
    const cancelled = cancelledBy(command);
    if (cancelled !== null) return decided.filter((name) => name !== cancelled);
    const begun = begunBy(command);
    return begun === null ? decided : [...decided, begun];
  }, before);
}

function begunBy(command: Command): string | null {
  const { scheduleActivity, startChildWorkflowExecution, signalExternalWorkflowExecution } = command;
  if (command.modifyWorkflowProperties != null || command.upsertWorkflowSearchAttributes != null) return 'shown';
  if (command.updateResponse?.accepted != null) return 'accepted';
  if (scheduleActivity != null) return `activity ${scheduleActivity.seq}`;
  if (startChildWorkflowExecution != null) return `child ${startChildWorkflowExecution.seq}`;
  return signalExternalWorkflowExecution == null ? null : `signal ${signalExternalWorkflowExecution.seq}`;
}

function cancelledBy({
  requestCancelActivity,
  cancelChildWorkflowExecution,
  cancelSignalWorkflow,
}: Command): string | null {
  if (requestCancelActivity != null) return `activity ${requestCancelActivity.seq}`;
  if (cancelChildWorkflowExecution != null) return `child ${cancelChildWorkflowExecution.childWorkflowSeq}`;
  return cancelSignalWorkflow == null ? null : `signal ${cancelSignalWorkflow.seq}`;
}

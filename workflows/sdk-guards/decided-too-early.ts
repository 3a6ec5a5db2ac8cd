/**
 * Gives up a cached run that decided on events before their workflow task. A Query that was sent before an event can reach a worker after it: the SDK
 * then runs the workflow over the event at once and takes what else the event's task holds later: messages, which a replay takes first, and ends of
 * activities, which a replay takes together with it. Sent as they are, its commands make a history that no worker can replay. The task that would send
 * them fails once instead and is tried again from history; so does one whose commands the server took in between, which cannot be told apart.
 * A Query that brings the start of the task too leaves it nothing but its messages, which a replay takes first; where that task is lost, it looks like one
 * that decided nothing. So a copy of a run that decided nothing in the first task that it got and was asked then takes no Signal with the next one.
 * What was only taken early and decided nothing counts as well: of what comes later, the order in which it is decided on may be another one.
 * What it does not see: of a task that decided nothing and was followed at once by that of an Update, the SDK makes one activation for a copy that is made
 * from history just then, in which the Update is first, and two in every replay after that.
 * Source: temporalio/sdk-go#755, where another SDK gets a Query with a history that has gone on.
 */
import type { ActivateInput, ConcludeActivationInput, WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { GIVEN_UP_MESSAGE } from '../../protocol/names.js';

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
function isUnsent({ replaying, decided, events }: Seen, now: Seen, jobs: Jobs): boolean {
  const room = now.events - events - EVENTS_BETWEEN_TASKS - jobs.filter(hasEvent).length;
  return !replaying && decided.length > 0 && room < decided.length;
}

/** Each of these is an event of its own before the task that brings it. An Update comes beside the history. */
function hasEvent(job: Jobs[number]): boolean {
  return (
    job.signalWorkflow != null ||
    job.resolveActivity != null ||
    job.fireTimer != null ||
    job.resolveSignalExternalWorkflow != null ||
    job.resolveChildWorkflowExecutionStart != null ||
    job.resolveChildWorkflowExecution != null
  );
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

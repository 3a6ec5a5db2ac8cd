/**
 * Stands between Temporal and a host activity: heartbeats by timer (it says that the host lives, not that the agent talks), and reads
 * from the answers why an attempt ends. Only a person's stop ends a process; everything else abandons the attempt and leaves it at work.
 */
import { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { DetachedError } from '../process/contract.js';
import type { Signals } from './attempts.js';
import type { HostDeps } from './host-deps.js';

/** The SDK throttles to what the worker's `maxHeartbeatThrottleInterval` allows; a cancel arrives in the answer. */
const HEARTBEAT_EVERY_MS = 500;

type Attendance = Pick<HostDeps, 'attempts' | 'isOpen' | 'failpoint'>;

/** `token` stands for the piece of work. Errors: the SDK's CancelledFailure unchanged after a cancel or a detach; whatever `work` throws. */
export async function attend<T>(
  { attempts, isOpen, failpoint }: Attendance,
  token: string,
  work: (signals: Signals) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const cancel = new AbortController();
  const detach = new AbortController();
  const onEnd = async () => {
    const details = context.cancellationDetails;
    if (details?.cancelRequested === true) cancel.abort();
    else if (details?.notFound === true && !(await isStillOpen(context, isOpen))) cancel.abort();
    else detach.abort();
  };
  const { cancellationSignal } = context;
  // A worker that shuts down may do so before an activity gets here, and a signal tells it once.
  if (cancellationSignal.aborted) void onEnd();
  else cancellationSignal.addEventListener('abort', () => void onEnd(), { once: true });
  const heartbeat = setInterval(() => {
    failpoint('server.before-heartbeat');
    context.heartbeat();
  }, HEARTBEAT_EVERY_MS);
  try {
    failpoint('activity.before-work');
    const answer = await attempts.share(token, { cancel: cancel.signal, detach: detach.signal }, work);
    failpoint('activity.before-answer');
    return answer;
  } catch (err) {
    const stopped = err instanceof DetachedError || cancel.signal.aborted;
    if (stopped && cancellationSignal.reason instanceof CancelledFailure) throw cancellationSignal.reason;
    throw err;
  } finally {
    clearInterval(heartbeat);
  }
}

/** An unreachable server says nothing about the run: it counts as open, so that no turn is ended for a network fault. */
async function isStillOpen(context: Context, isOpen: Attendance['isOpen']): Promise<boolean> {
  // Not `Context.current()`: a listener of the cancellation signal runs outside the activity's async context.
  const execution = context.info.workflowExecution;
  if (execution === undefined) return true;
  try {
    return await isOpen(execution.workflowId, execution.runId);
  } catch {
    return true;
  }
}

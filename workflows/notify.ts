/**
 * Tells people without waiting for it: each notification is a child workflow of its own that outlives the run, with retries of its own.
 * What came of it is journalled if the run is still open then; the child's own result has it in any case. Source: V-134.
 */
import { CancellationScope, ParentClosePolicy, startChild, workflowInfo } from '@temporalio/workflow';
import type { NotificationInput, NotificationResult } from '../protocol/messages.js';
import { NOTIFICATION_WORKFLOW } from '../protocol/names.js';
import type { Notification, NotificationKind } from '../protocol/notification.js';
import type { JournalFlush } from './journal-flush.js';
import { type RunState, sentence } from './run-state.js';

export class Notifier {
  private sent = 0;
  private starting: Promise<void> = Promise.resolve();

  constructor(
    private readonly run: RunState,
    private readonly flush: JournalFlush,
  ) {}

  tell(kind: NotificationKind, message: string, command = `sluice status ${this.run.runId}`): void {
    const { run } = this;
    if (run.opened === null || run.policy.sinks.length === 0) return;
    this.sent += 1;
    const input: NotificationInput = {
      hostId: run.open.hostId,
      run: run.ref,
      sinks: run.policy.sinks,
      notification: this.notification(kind, message, command),
    };
    // An abort ends the run, not what people are told of it; a child that cannot start is no reason to hold or to fail the run.
    const started = CancellationScope.nonCancellable(() => this.deliver(input)).catch(() => undefined);
    this.starting = Promise.all([this.starting, started]).then(() => undefined);
  }

  /** A child that was not started yet when its parent closes is never started. */
  started(): Promise<void> {
    return this.starting;
  }

  private async deliver(input: NotificationInput): Promise<void> {
    const { notification } = input;
    const child = await startChild<(input: NotificationInput) => Promise<NotificationResult>>(NOTIFICATION_WORKFLOW, {
      workflowId: `notification:${notification.id}:${workflowInfo().runId.slice(0, 8)}`,
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `${notification.kind}: ${notification.message}`.slice(0, 200),
    });
    child.result().then(
      (results) => this.record(notification, results),
      () => undefined,
    );
  }

  private record(notification: Notification, results: NotificationResult): void {
    if (this.run.people.closing) return;
    for (const { sink, target, error } of results) {
      const about = { id: notification.id, kind: notification.kind, sink, error };
      const whom = `${sink}${target === null ? '' : ` ${target}`}`;
      if (error === null) this.run.note('notification.sent', `${notification.kind} told to ${whom}`, about);
      else this.run.note('notification.failed', `${notification.kind} not told to ${whom}: ${error}`, about);
    }
    this.flush.request();
  }

  private notification(kind: NotificationKind, message: string, command: string): Notification {
    const view = this.run.view();
    return {
      id: `${view.runId}:${this.sent}`,
      kind,
      message: sentence(message),
      runId: view.runId,
      title: view.title,
      repo: view.repo,
      branch: view.branch,
      status: view.status,
      stage: view.stage,
      outcome: view.outcome,
      blockedReason: view.blockedReason,
      gate: view.pendingApprovalId,
      command,
      at: new Date().toISOString(),
    };
  }
}

/**
 * Tells people without waiting for it: each notification is a child workflow of its own that outlives its sender, with retries of its own.
 * What came of it is journalled if the sender is still open then; the child's own result has it in any case. Source: V-134.
 */
import { CancellationScope, ParentClosePolicy, startChild, uuid4 } from '@temporalio/workflow';
import type { NotificationInput, NotificationResult } from '../../protocol/messages/messages.js';
import type { Notification, NotificationKind } from '../../protocol/messages/notification.js';
import { NOTIFICATION_WORKFLOW } from '../../protocol/names.js';
import { sentence } from './journal.js';
import type { LineWriter } from './journal-flush.js';

export interface NotifierOwner extends LineWriter {
  readonly isClosing: boolean;
  /** Who is told, by which host; null: nobody. */
  readonly audience: Omit<NotificationInput, 'notification'> | null;
  /** What every notification says of it. */
  about(): Omit<Notification, 'id' | 'kind' | 'message' | 'command' | 'at'>;
}

/**
 * Answers once the child is started. Its id ends in a drawn part: a sender that was reset counts from its reset point again, and what it tells then is news to
 * whoever drops what came before. The execution's own id would not do: a reset gives it another, and what was drawn before that point stays.
 */
export async function startNotification(input: NotificationInput) {
  const { kind, message } = input.notification;
  const id = `${input.notification.id}:${uuid4().slice(0, 8)}`;
  const child = await startChild<(input: NotificationInput) => Promise<NotificationResult>>(NOTIFICATION_WORKFLOW, {
    workflowId: `notification:${id}`,
    args: [{ ...input, notification: { ...input.notification, id } }],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    staticSummary: `${kind}: ${message}`.slice(0, 200),
  });
  return { id, child };
}

export class Notifier {
  private sent = 0;
  private starting: Promise<void> = Promise.resolve();

  constructor(private readonly owner: NotifierOwner) {}

  tell(kind: NotificationKind, message: string, command?: string): void {
    const { audience } = this.owner;
    if (audience === null) return;
    this.sent += 1;
    const about = this.owner.about();
    const notification: Notification = {
      id: `${about.runId}:${this.sent}`,
      kind,
      message: sentence(message),
      ...about,
      command: command ?? `sluice status ${about.runId}`,
      at: new Date().toISOString(),
    };
    // An abort ends the sender, not what people are told of it; a child that cannot start is no reason to hold or to fail it.
    const started = CancellationScope.nonCancellable(() => this.deliver({ ...audience, notification })).catch(
      () => undefined,
    );
    this.starting = Promise.all([this.starting, started]).then(() => undefined);
  }

  /** A child that was not started yet when its parent closes is never started. */
  started(): Promise<void> {
    return this.starting;
  }

  private async deliver(input: NotificationInput): Promise<void> {
    const { id, child } = await startNotification(input);
    child.result().then(
      (results) => this.record({ id, kind: input.notification.kind }, results),
      () => undefined,
    );
  }

  private record({ id, kind }: Pick<Notification, 'id' | 'kind'>, results: NotificationResult): void {
    const { journal, flush, isClosing } = this.owner;
    if (isClosing) return;
    for (const { sink, target, error } of results) {
      const about = { id, kind, sink, error };
      const whom = `${sink}${target === null ? '' : ` ${target}`}`;
      if (error === null) journal.note('notification.sent', `${kind} told to ${whom}`, about);
      else journal.note('notification.failed', `${kind} not told to ${whom}: ${error}`, about);
    }
    flush.request();
  }
}

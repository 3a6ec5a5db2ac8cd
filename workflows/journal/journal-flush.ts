/**
 * Sends journal lines to the host at once, for what people wait to see: a message, a gate, a pause. One activity at a time, beside everything else.
 * It holds nothing up: the next activity carries the same events, and a host that is away finds the lines when it comes back. After a failure that no
 * repeat can mend none is sent until an activity comes through.
 * A flush is scheduled only when everything else of the workflow task has come to rest: whether the end of the flush before it is seen before or after a
 * message of the same task differs between a task that was tried twice and its replay, and must change no command.
 */
import { ActivityFailure, CancellationScope, condition } from '@temporalio/workflow';
import type { Journal } from './journal.js';

/** Who writes lines, and has them sent where people wait to see them. */
export interface LineWriter {
  readonly journal: Pick<Journal<unknown>, 'note'>;
  readonly flush: Pick<JournalFlush, 'request'>;
}

export interface FlushOwner {
  /** Its files can be written. */
  readonly isOpen: boolean;
  /** Its last lines are sent by whoever closes it. */
  readonly isClosing: boolean;
  readonly journal: Pick<Journal<unknown>, 'hasUnsent' | 'acknowledgements'>;
  /** By one activity. Errors: ActivityFailure. */
  sendJournal(): Promise<void>;
}

export class JournalFlush {
  private wanted = false;
  private busy = false;
  /** Acknowledgements at the last failure; null: the last flush came through. */
  private failedAt: number | null = null;
  private sending = new CancellationScope();

  constructor(private readonly owner: FlushOwner) {}

  request(): void {
    this.wanted = true;
  }

  /** Runs beside its owner until that closes. */
  start(): void {
    CancellationScope.nonCancellable(() => this.loop()).catch(() => undefined);
  }

  /** Resolves when no flush is under way: the last lines are for the closing activity alone. An abort waits for no host that is away. */
  async settled(aborted: boolean): Promise<void> {
    this.wanted = false;
    if (aborted && this.busy) {
      await comeToRest();
      if (this.busy) this.sending.cancel();
    }
    await condition(() => !this.busy);
  }

  private async loop(): Promise<void> {
    const { owner } = this;
    for (;;) {
      await condition(() => this.wanted && owner.isOpen);
      await comeToRest();
      this.wanted = false;
      if (owner.isClosing) return;
      if (!owner.journal.hasUnsent || this.failedAt === owner.journal.acknowledgements) continue;
      this.busy = true;
      await this.once();
      this.busy = false;
    }
  }

  private async once(): Promise<void> {
    this.sending = new CancellationScope();
    try {
      await this.sending.run(() => this.owner.sendJournal());
      this.failedAt = null;
    } catch (err) {
      if (!(err instanceof ActivityFailure)) throw err;
      this.failedAt = this.owner.journal.acknowledgements;
    }
  }
}

/** Conditions are looked at again only when no promise of the task has anything left to do; three times, for what waits on conditions itself. */
export async function comeToRest(): Promise<void> {
  for (let look = 0; look < 3; look += 1) {
    let isSecondLook = false;
    await condition(() => {
      const rested = isSecondLook;
      isSecondLook = true;
      return rested;
    });
  }
}

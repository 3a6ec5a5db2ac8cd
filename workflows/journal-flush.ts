/**
 * Sends journal lines to the host at once, for what people wait to see: a message, a gate, a pause. One activity at a time, beside everything else.
 * Best effort: the next activity carries the same events, so a host that is away holds nothing up, and after a failure none is sent until one comes through.
 * A flush is scheduled only when everything else of the workflow task has come to rest: whether the end of the flush before it is seen before or after a
 * message of the same task differs between a task that was tried twice and its replay, and must change no command.
 */
import { ActivityFailure, CancellationScope, condition } from '@temporalio/workflow';
import { flushingHost } from './activity-options.js';
import type { RunState } from './run-state.js';

export class JournalFlush {
  private wanted = false;
  private busy = false;
  /** Acknowledgements at the last failure; null: the last flush came through. */
  private failedAt: number | null = null;

  constructor(private readonly run: RunState) {}

  request(): void {
    this.wanted = true;
  }

  /** Runs beside the run until it closes. */
  start(): void {
    CancellationScope.nonCancellable(() => this.loop()).catch(() => undefined);
  }

  /** Resolves when no flush is under way: the last lines are closeRun's alone. */
  async settled(): Promise<void> {
    this.wanted = false;
    await condition(() => !this.busy);
  }

  private async loop(): Promise<void> {
    for (;;) {
      await condition(() => this.wanted && this.run.opened !== null);
      await rest();
      this.wanted = false;
      if (this.run.people.closing) return;
      if (!this.run.hasUnsent || this.failedAt === this.run.acknowledgements) continue;
      this.busy = true;
      await this.once();
      this.busy = false;
    }
  }

  private async once(): Promise<void> {
    const { run } = this;
    const journal = run.batch();
    try {
      const { journalSeq } = await flushingHost(run.open.hostId).flushJournal.executeWithOptions({ summary: 'journal' }, [
        { run: run.ref, journal },
      ]);
      run.acknowledge(journalSeq, journal);
      this.failedAt = null;
    } catch (err) {
      if (!(err instanceof ActivityFailure)) throw err;
      this.failedAt = run.acknowledgements;
    }
  }
}

/** Conditions are looked at again only when no promise of the task has anything left to do; three times, for what waits on conditions itself. */
async function rest(): Promise<void> {
  for (let look = 0; look < 3; look += 1) {
    let isSecondLook = false;
    await condition(() => {
      const rested = isSecondLook;
      isSecondLook = true;
      return rested;
    });
  }
}

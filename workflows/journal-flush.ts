/**
 * Sends journal lines to the host at once, for what people wait to see: a message, a gate, a pause. One activity at a time, beside everything else.
 * Best effort: the next activity carries the same events, so a host that is away holds nothing up.
 */
import { ActivityFailure, CancellationScope } from '@temporalio/workflow';
import { flushingHost } from './activity-options.js';
import type { RunState } from './run-state.js';

export class JournalFlush {
  private wanted = false;
  private active: Promise<void> | null = null;

  constructor(private readonly run: RunState) {}

  /** Before the run is open there is no file. */
  request(): void {
    if (this.run.opened === null || this.run.people.closing) return;
    this.wanted = true;
    this.active ??= CancellationScope.nonCancellable(() => this.drain());
  }

  /** Resolves when no flush is under way: the last lines are closeRun's alone. */
  async settled(): Promise<void> {
    this.wanted = false;
    await this.active;
  }

  private async drain(): Promise<void> {
    while (this.wanted) {
      this.wanted = false;
      await this.once();
    }
    this.active = null;
  }

  private async once(): Promise<void> {
    const { run } = this;
    const journal = run.batch();
    try {
      const { journalSeq } = await flushingHost(run.open.hostId).flushJournal.executeWithOptions({ summary: 'journal' }, [
        { run: run.ref, journal },
      ]);
      run.acknowledge(journalSeq, journal);
    } catch (err) {
      if (!(err instanceof ActivityFailure)) throw err;
    }
  }
}

/** A run at work: what it knows of itself, and its parts, which know no more of it than the interface that each of them names. */
import { flushingHost } from '../activity-options.js';
import { JournalFlush } from '../journal/journal-flush.js';
import { Notifier } from '../journal/notify.js';
import { QuotaSeat } from '../turns/quota-seat.js';
import { OwnerNews } from './owner-news.js';
import { Presenter } from './present.js';
import { RunState } from './run-state.js';

export class LiveRun extends RunState {
  readonly presenter = new Presenter(this);
  readonly flush = new JournalFlush(this);
  readonly notifier = new Notifier(this);
  readonly quota = new QuotaSeat();
  readonly news = new OwnerNews(this);

  async sendJournal(): Promise<void> {
    const host = flushingHost(this.open.hostId);
    await this.journal.carryBy((journal) =>
      host.flushJournal.executeWithOptions({ summary: 'journal' }, [{ run: this.ref, journal }]),
    );
  }
}

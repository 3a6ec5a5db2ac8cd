/** A run at work: what it knows of itself, and its parts, which know no more of it than the interface that each of them names. */
import type { TurnStage } from '../../protocol/run/stages.js';
import { flushingHost } from '../activity-options.js';
import type { Stopped } from '../gates/gate.js';
import { JournalFlush } from '../journal/journal-flush.js';
import { Notifier } from '../journal/notify.js';
import { askPersonForMore, type MoreBudget } from '../turns/ask-for-more.js';
import { LedgerAnswers } from '../turns/ledger-answers.js';
import { QuotaSeat } from '../turns/quota-seat.js';
import { OwnerNews } from './owner-news.js';
import { Presenter } from './present.js';
import { RunState } from './run-state.js';

export class LiveRun extends RunState {
  readonly presenter = new Presenter(this);
  readonly flush = new JournalFlush(this);
  readonly notifier = new Notifier(this);
  readonly quota = new QuotaSeat();
  readonly ledgerAnswers = new LedgerAnswers();
  readonly news = new OwnerNews(this);

  askForMore(stage: TurnStage, more: MoreBudget): Promise<Stopped | null> {
    return askPersonForMore(this, stage, more);
  }

  async sendJournal(): Promise<void> {
    const host = flushingHost(this.open.hostId);
    await this.journal.carryBy((journal) =>
      host.flushJournal.executeWithOptions({ summary: 'journal' }, [{ run: this.ref, journal }]),
    );
  }
}

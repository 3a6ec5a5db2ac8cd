/** What the parts of the run workflow share. */
import type { JournalFlush } from './journal-flush.js';
import type { Notifier } from './notify.js';
import type { Presenter } from './present.js';
import type { QuotaSeat } from './quota-seat.js';
import type { RunState } from './run-state.js';

export interface RunContext {
  readonly run: RunState;
  readonly presenter: Presenter;
  readonly flush: JournalFlush;
  readonly notifier: Notifier;
  readonly quota: QuotaSeat;
}

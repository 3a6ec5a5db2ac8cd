/** The inbox of whoever writes a journal: a refused Signal leaves a line there, since its sender gets no answer. */
import { MAX_REFUSED_LINES } from '../../protocol/limits.js';
import type { LineWriter } from '../journal/journal-flush.js';
import { Inbox, type Incoming, type Messages, type Refused } from './inbox.js';

export interface InboxOwner extends LineWriter {
  /** It writes no more of what is refused. */
  readonly isClosing: boolean;
}

export class JournalledInbox<Name extends string, Message> extends Inbox<Name, Message> {
  private refusedLines = 0;

  constructor(
    private readonly owner: InboxOwner,
    messages: Messages<Name, Message>,
  ) {
    super(messages, []);
  }

  override hear(incoming: Incoming): Refused | null {
    const refused = super.hear(incoming);
    if (refused !== null) this.note(incoming.name.slice(0, 60), refused);
    return refused;
  }

  private note(name: string, { by, why }: Refused): void {
    const { owner } = this;
    if (this.refusedLines >= MAX_REFUSED_LINES || owner.isClosing) return;
    this.refusedLines += 1;
    owner.journal.note('message.refused', `${name} refused: ${why}`, { name, by, why });
    owner.flush.request();
  }
}

/**
 * Tells the item that a run works for how it stands, in the order in which that changed: whether it works, is judged, or waits for somebody. What changed back meanwhile is not told.
 * Source: S-56, S-58.
 */
import { CancellationScope, condition, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow';
import type { RunChanged, RunItem } from '../../protocol/messages/messages.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { OWNER_WAITS_SIGNAL, RUN_CHANGED_SIGNAL } from '../../protocol/names.js';
import { type RunWord, waitOf, wordOf } from '../../protocol/run/run-word.js';
import { sendSignal } from '../actor/send-signal.js';
import { comeToRest } from '../journal/journal-flush.js';

const ownerWaitsSignal = defineSignal(OWNER_WAITS_SIGNAL);

export interface NewsOwner {
  readonly runId: string;
  readonly isOpen: boolean;
  /** Its last word is told by whoever closes it. */
  readonly isClosing: boolean;
  readonly input: { readonly owner?: string; readonly item?: RunItem };
  view(): Pick<RunView, 'status' | 'stage' | 'waiting'>;
}

export class OwnerNews {
  /** Null: nothing was told yet. */
  private told: RunWord | null = null;
  private isTelling = false;
  private isWaitedFor = false;

  constructor(private readonly run: NewsOwner) {
    setHandler(ownerWaitsSignal, () => {
      this.isWaitedFor = true;
    });
  }

  /** Runs beside its run until that closes. One that works for no item has nothing to tell but its end. */
  start(): void {
    if (this.run.input.item === undefined) return;
    CancellationScope.nonCancellable(() => this.loop()).catch(() => undefined);
  }

  /** As the last thing, once what was to be told before is taken. An item has the answer of its child from the server, unless it lost that child and said so. */
  async close(): Promise<void> {
    await condition(() => !this.isTelling);
    const { item, owner } = this.run.input;
    const isAnswered = item !== undefined && workflowInfo().parent?.workflowId === owner && !this.isWaitedFor;
    if (!isAnswered) await this.tell('closed');
  }

  private async loop(): Promise<void> {
    for (;;) {
      await condition(() => this.run.isClosing || (this.run.isOpen && this.word() !== this.told));
      // Whether the answer to the word before is seen before or after a message of the same task must change no command.
      await comeToRest();
      if (this.run.isClosing) return;
      const word = this.word();
      if (word === this.told) continue;
      this.told = word;
      this.isTelling = true;
      await this.tell(word);
      this.isTelling = false;
    }
  }

  private word(): RunWord {
    const { status, stage, waiting } = this.run.view();
    return wordOf(this.run.input.item?.tellsReview === true ? stage : null, waitOf(status, waiting?.kind ?? null));
  }

  /** One that is gone is told nothing; the answer is on the server all the same. */
  private async tell(state: RunWord): Promise<void> {
    const { runId, input } = this.run;
    if (input.owner === undefined) return;
    const argument: RunChanged = { runId, state };
    await sendSignal({ workflowId: input.owner, executionRunId: null, name: RUN_CHANGED_SIGNAL, argument });
  }
}

/**
 * The journal of a workflow, which owns the truth: it numbers every event, keeps them all and hands those that the host lacks to the next activity.
 * The view that goes along is its owner's, of whatever kind.
 */

import { MAX_BATCH_CHARS, MAX_SENTENCE_CHARS } from '../../protocol/limits.js';
import type { EventDataByType, TypedEventType } from '../../protocol/messages/event-data.js';
import type { EventType, JournalEvent, Observation } from '../../protocol/messages/journal.js';
import type { JournalBatch } from '../../protocol/messages/messages.js';
import type { Gate } from '../../protocol/run/gate.js';
import type { JsonObject } from '../../protocol/text/json.js';
import { redact } from '../../protocol/text/redact.js';

export class Journal<View> {
  /** ISO 8601, UTC: of the last event. */
  updatedAt = new Date().toISOString();
  /** Answers of hosts. */
  acknowledgements = 0;
  private readonly events: JournalEvent[] = [];
  private hostSeq = 0;
  /** The last event that any activity was handed. */
  private handedSeq = 0;
  /** The gates that the host holds. */
  private hostGates: readonly Gate[];

  constructor(private readonly owner: { readonly gates: { readonly all: readonly Gate[] }; view(): View }) {
    this.hostGates = owner.gates.all;
  }

  get all(): readonly JournalEvent[] {
    return this.events;
  }

  note<Type extends EventType>(
    type: Type,
    message: string,
    data: Type extends TypedEventType ? EventDataByType[Type] : JsonObject,
  ): void {
    this.observe([{ timestamp: new Date().toISOString(), type, message: sentence(message), data }]);
  }

  observe(observations: readonly Observation[]): void {
    for (const observation of observations) {
      this.events.push({ ...observation, seq: this.events.length + 1 });
      this.updatedAt = new Date().toISOString();
    }
  }

  /** `send`: an activity that brings the host what it lacks. */
  async carryBy<Result extends { readonly journalSeq: number }>(
    send: (journal: JournalBatch<View>) => Promise<Result>,
  ): Promise<Result> {
    const { all } = this.owner.gates;
    const gates = all === this.hostGates ? null : all;
    const events = firstOf(this.events.slice(this.hostSeq), MAX_BATCH_CHARS);
    this.handedSeq = Math.max(this.handedSeq, events.at(-1)?.seq ?? 0);
    const result = await send({ events, view: this.owner.view(), gates });
    this.acknowledgements += 1;
    // A host that holds less than before (a person deleted the file) is sent everything again.
    this.hostSeq = Math.min(result.journalSeq, this.events.length);
    if (gates !== null) this.hostGates = gates;
    return result;
  }

  /** Events that no activity was handed yet. */
  get hasUnsent(): boolean {
    return this.handedSeq < this.events.length;
  }
}

/** The first events that fit, at least one: a host that was away for long gets the rest with the next activities. */
function firstOf(events: readonly JournalEvent[], maxChars: number): readonly JournalEvent[] {
  let chars = 0;
  const end = events.findIndex((event, index) => {
    chars += JSON.stringify(event).length;
    return index > 0 && chars > maxChars;
  });
  return end === -1 ? events : events.slice(0, end);
}

/** One redacted line for people. */
export function sentence(text: string): string {
  const line = redact(text).replace(/\s+/g, ' ').trim();
  return line.length <= MAX_SENTENCE_CHARS ? line : `${line.slice(0, MAX_SENTENCE_CHARS - 1)}…`;
}

/**
 * What a long-lived workflow says of itself, all of it pure but `perform`. The kit does the rest, for all of them alike: it takes messages, has
 * errands performed and hears what became of them, wakes, shows, ends where nothing is left to do, and hands over to a new execution.
 */
import type { MessageReading } from '../../protocol/messages/run-message.js';
import type { Judgement } from '../inbox/inbox.js';

/** Something to be done to another workflow; those about one workflow are performed one after the other. */
export interface Errand {
  readonly workflowId: string;
  /** It may take hours. None is begun where another execution is due, which begins it instead: where one follows the other without a pause, nothing would ever be handed over. */
  readonly lasts?: true;
  /** Of errands of one topic to one workflow that were not begun, only the newest is performed: it says all that the others say. */
  readonly topic?: string;
}

/** An errand without an end of its own. It holds up no other, whatever its workflow id. */
export interface Watch<Doing extends Errand> {
  readonly key: string;
  readonly errand: Doing;
}

export interface Step<State, Doing extends Errand> {
  readonly state: State;
  readonly errands: readonly Doing[];
}

/** The time of `wakesAt` has come. */
export interface Tick {
  readonly kind: 'tick';
}

/**
 * The functions that decide. Replay compares neither the target nor the input of a signal, so a change of what they decide would go unseen: it is a
 * new set beside the old one, and an execution keeps the set that it began with.
 */
export interface Rules<State, Event, Doing extends Errand> {
  /** Of a message, before it is applied. */
  judge(state: State, event: Event): Judgement;
  after(state: State, event: Event | Tick, now: number): Step<State, Doing>;
  /** When the next tick is due, which moves it; null: never. Unit: ms since 1970. */
  wakesAt(state: State): number | null;
  /** What is waited for outside, where anything is: the same for as long as its key is. It is cancelled where the workflow ends or hands over, and begun anew by the next execution. */
  watchOf?(state: State): Watch<Doing> | null;
  /** Whether an errand is to be begun still, that waits behind another one; missing: each is. */
  isWanted?(state: State, errand: Doing): boolean;
  /** Nothing would be lost if the workflow ended. */
  isIdle(state: State): boolean;
}

/** What people see: a word for lists, Markdown for the Web UI, and a memo below 2 KiB, at which the server warns. */
export interface Shown {
  readonly status: string;
  readonly details: string;
  readonly memo: Readonly<Record<string, unknown>>;
}

export interface Actor<State, Event, Doing extends Errand, View> {
  /** The newest last; counted from 1. */
  readonly rules: readonly Rules<State, Event, Doing>[];
  /** Of a first execution. JSON-safe, since it goes over continue-as-new. */
  readonly first: State;
  /** Names of the messages that come as signals, and of those among them that are Updates too. */
  readonly signals: readonly string[];
  readonly updates: readonly string[];
  /** Those of them that are taken again under the same request id: whoever performs them knows them. */
  readonly forgotten?: readonly string[];
  /** Any argument that anybody can send; it throws for none. */
  read(name: string, argument: unknown): MessageReading<Event>;
  /** Of a message whose answer takes others: what it came to, beside the judgement. Null: that is not known yet, so whoever sent it as an Update waits. */
  answer?(state: State, event: Event): Readonly<Record<string, unknown>> | null;
  /** Ends once the errand is answered, whatever the answer was; `tell` what is to be known of it. */
  perform(errand: Doing, tell: (event: Event) => void): Promise<void>;
  show(state: State): Shown;
  /** Answer of Query `status`, and of the workflow. */
  view(state: State): View;
}

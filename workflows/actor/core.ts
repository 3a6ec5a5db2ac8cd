/**
 * The state of a long-lived workflow and whatever happens to it, without the SDK: messages are read, judged, applied and remembered by their request
 * ids, and errands wait here until the one before them to the same workflow is answered.
 */
import { ApplicationFailure } from '@temporalio/common';
import { FAILURES } from '../../protocol/failures.js';
import { MAX_KNOWN_REQUESTS } from '../../protocol/limits.js';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import { HAND_OVER_SIGNAL } from '../../protocol/names.js';
import { fieldsOf, nameIn } from '../../protocol/text/fields.js';
import type { Actor, Errand, Rules, Shown, Step, Tick } from './actor.js';

/** At once; the server allows 2 000 and advises 500. */
const MAX_UNDER_WAY = 100;

/** All that one execution leaves to the next. What waits to be done is no part of it: there is nothing. */
export interface Carried<State> {
  readonly rules: number;
  readonly state: State;
  /** The oldest first. */
  readonly answered: readonly Answered[];
}

interface Answered {
  readonly requestId: string;
  readonly name: string;
  readonly answer: MessageAnswer;
}

export interface Incoming {
  readonly name: string;
  readonly argument: unknown;
  /** Null: it came as a signal. */
  readonly updateId: string | null;
  /** Unit: ms since 1970. */
  readonly at: number;
}

type Judged<Event> =
  | { readonly kind: 'accepted'; readonly event: Event; readonly message: string }
  | { readonly kind: 'known' | 'unchanged'; readonly message: string }
  | { readonly kind: 'refused'; readonly why: string };

export class ActorCore<State, Event, Doing extends Errand, View> {
  private isAskedToHandOver = false;
  private state: State;
  private answered: readonly Answered[];
  private waiting: readonly Doing[] = [];
  private readonly underWay = new Set<string>();
  private readonly rules: Rules<State, Event, Doing>;

  /** Errors: plain Error for rules that only a newer worker has: the task is tried again until there is one. */
  constructor(
    private readonly actor: Actor<State, Event, Doing, View>,
    private readonly before: Carried<State>,
  ) {
    const rules = actor.rules[before.rules - 1];
    if (rules === undefined)
      throw new Error(`there are no rules ${before.rules} here; ${actor.rules.length} is the newest`);
    this.rules = rules;
    this.state = before.state;
    this.answered = before.answered;
  }

  /** Leaves no trace. Errors: MessageRefused, MessageUnchanged. */
  check(message: Incoming): void {
    const judged = this.judge(message);
    if (judged.kind === 'refused') throw refusal(judged.why);
    if (judged.kind === 'unchanged')
      throw ApplicationFailure.nonRetryable(judged.message, FAILURES.MessageUnchanged, this.shown().status);
  }

  /** Errors: MessageRefused. */
  take(message: Incoming): MessageAnswer {
    const judged = this.judge(message);
    if (judged.kind === 'refused') throw refusal(judged.why);
    if (judged.kind !== 'accepted') return { message: judged.message, status: this.shown().status, changed: false };
    this.tell(judged.event, message.at);
    const answer = { message: judged.message, status: this.shown().status, changed: true };
    const requestId = requestIdOf(message);
    if (requestId !== null)
      this.answered = [...this.answered, { requestId, name: message.name, answer }].slice(-MAX_KNOWN_REQUESTS);
    return answer;
  }

  /** A signal. Answers why it was refused, or null; it throws for none, since that would end the workflow. */
  hear(message: Incoming): string | null {
    if (message.name === HAND_OVER_SIGNAL) this.isAskedToHandOver = true;
    else {
      try {
        this.take(message);
      } catch (error) {
        if (error instanceof ApplicationFailure) return error.message;
        throw error;
      }
    }
    return null;
  }

  tell(event: Event | Tick, now: number): void {
    const { state, errands }: Step<State, Doing> = this.rules.after(this.state, event, now);
    this.state = state;
    this.waiting = [...this.waiting, ...errands];
  }

  /** The errands whose turn has come; each is under way until `end`. */
  begin(): readonly Doing[] {
    const begun: Doing[] = [];
    const left: Doing[] = [];
    const behind = new Set(this.underWay);
    for (const errand of this.waiting) {
      const isNext = this.underWay.size < MAX_UNDER_WAY && !behind.has(errand.workflowId);
      behind.add(errand.workflowId);
      if (isNext) this.underWay.add(errand.workflowId);
      (isNext ? begun : left).push(errand);
    }
    this.waiting = left;
    return begun;
  }

  end({ workflowId }: Doing): void {
    this.underWay.delete(workflowId);
  }

  /** Idle because nothing was asked of it yet. */
  get isFresh(): boolean {
    return this.state === this.actor.first && this.rules.isIdle(this.state);
  }

  get mayEnd(): boolean {
    return this.rules.isIdle(this.state) && this.rests;
  }

  mayHandOver(isLong: boolean): boolean {
    return (isLong || this.isAskedToHandOver) && this.rests;
  }

  get wakesAt(): number | null {
    return this.rules.wakesAt(this.state);
  }

  shown(): Shown {
    const { memo, ...shown } = this.actor.show(this.state);
    return { ...shown, memo: { ...memo, rules: this.before.rules } };
  }

  view(): View {
    return this.actor.view(this.state);
  }

  carried(): Carried<State> {
    return { rules: this.actor.rules.length, state: this.state, answered: this.answered };
  }

  /** Everything that was to be done is done and answered: the server drops a signal whose sender closes in the same task. */
  private get rests(): boolean {
    return this.waiting.length === 0 && this.underWay.size === 0;
  }

  private judge(message: Incoming): Judged<Event> {
    const { name, argument } = message;
    if (!this.actor.signals.includes(name))
      return { kind: 'refused', why: `known messages are ${this.actor.signals.join(', ')}` };
    const requestId = requestIdOf(message);
    const before = this.answered.find((known) => known.requestId === requestId);
    if (before !== undefined) {
      if (before.name === name) return { kind: 'known', message: before.answer.message };
      return { kind: 'refused', why: `this requestId was used for ${before.name} before` };
    }
    const reading = this.actor.read(name, argument);
    if (reading.kind === 'bad') return { kind: 'refused', why: reading.why };
    const judgement = this.rules.judge(this.state, reading.message);
    return judgement.kind === 'accepted' ? { ...judgement, event: reading.message } : judgement;
  }
}

function requestIdOf({ argument, updateId }: Incoming): string | null {
  return nameIn(fieldsOf(argument), 'requestId') ?? updateId;
}

function refusal(why: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(why, FAILURES.MessageRefused);
}

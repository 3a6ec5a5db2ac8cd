/**
 * Where the messages of a workflow are judged, applied and remembered, the same way for an Update and for a Signal. It knows neither how they come in
 * nor what they say. What is refused or changes nothing leaves no trace. A request id that came before is answered as it was, so that nothing is
 * applied twice; only the last `MAX_KNOWN_REQUESTS` are remembered.
 */
import { ApplicationFailure } from '@temporalio/common';
import { FAILURES } from '../../protocol/failures.js';
import { MAX_KNOWN_REQUESTS, MAX_REQUEST_ID_CHARS } from '../../protocol/limits.js';
import type { MessageAnswer, MessageReading } from '../../protocol/messages/run-message.js';
import { fieldsOf, textIn } from '../../protocol/text/fields.js';

export interface Incoming {
  readonly name: string;
  readonly argument: unknown;
  /** Null: it came as a signal. */
  readonly updateId: string | null;
}

/** `unchanged`: it is true anyway (V-64). */
export type Judgement =
  | { readonly kind: 'accepted'; readonly message: string }
  | { readonly kind: 'unchanged'; readonly message: string }
  | { readonly kind: 'refused'; readonly why: string; readonly isBusy?: true };

export function accepted(message: string): Judgement {
  return { kind: 'accepted', message };
}

export function unchanged(message: string): Judgement {
  return { kind: 'unchanged', message };
}

export function refused(why: string): Judgement {
  return { kind: 'refused', why };
}

/** For now: whoever sends it again later may be taken. */
export function busy(why: string): Judgement {
  return { kind: 'refused', why, isBusy: true };
}

/** The messages that an owner takes, and what they do. */
export interface Messages<Name extends string, Message> {
  readonly names: readonly Name[];
  /** Those that are not remembered by their request ids. */
  readonly forgotten?: readonly string[];
  /** Any argument that anybody can send; it throws for none. */
  read(name: Name, argument: unknown): MessageReading<Message>;
  /** Changes nothing. */
  judge(message: Message): Judgement;
  /** What was accepted. */
  apply(message: Message): void;
  /** Of the owner, for every answer. */
  status(): string;
}

/** JSON-safe: it goes over continue-as-new. */
export interface Answered {
  readonly requestId: string;
  readonly name: string;
  readonly answer: MessageAnswer;
}

export interface Refused {
  readonly kind: 'refused';
  /** Who sent it, where it could be read. */
  readonly by: string | null;
  readonly why: string;
  readonly isBusy?: true;
}

type Judged<Message> =
  | { readonly kind: 'accepted'; readonly message: Message; readonly sentence: string }
  | { readonly kind: 'known' | 'unchanged'; readonly sentence: string }
  | Refused;

export class Inbox<Name extends string, Message> {
  constructor(
    private readonly messages: Messages<Name, Message>,
    /** The oldest first. */
    public answered: readonly Answered[],
  ) {}

  /** Runs before anything is recorded. Errors: MessageRefused, MessageBusy, MessageUnchanged. */
  check(incoming: Incoming): void {
    const judged = this.judge(incoming);
    if (judged.kind === 'refused') throw refusal(judged);
    if (judged.kind === 'unchanged')
      throw ApplicationFailure.nonRetryable(judged.sentence, FAILURES.MessageUnchanged, this.messages.status());
  }

  /** Between the check and here another message of the same workflow task may have been taken. Errors: MessageRefused, MessageBusy. */
  take(incoming: Incoming): MessageAnswer {
    const judged = this.judge(incoming);
    if (judged.kind === 'refused') throw refusal(judged);
    return this.accept(judged, incoming);
  }

  /** A signal. It throws for none, since that would end the workflow. Null: it was taken. */
  hear(incoming: Incoming): Refused | null {
    const judged = this.judge(incoming);
    if (judged.kind === 'refused') return judged;
    this.accept(judged, incoming);
    return null;
  }

  private judge(incoming: Incoming): Judged<Message> {
    const { names } = this.messages;
    const name = names.find((known) => known === incoming.name);
    if (name === undefined) return { kind: 'refused', by: null, why: `known messages are ${names.join(', ')}` };
    const reading = this.messages.read(name, incoming.argument);
    if (reading.kind === 'bad') return { kind: 'refused', by: null, why: reading.why };
    const requestId = requestIdOf(incoming);
    const before = this.answered.find((known) => known.requestId === requestId);
    // What came before under its request id is answered as it was, to whoever lost the first answer.
    if (before?.name === name) return { kind: 'known', sentence: before.answer.message };
    const judgement = before === undefined ? this.messages.judge(reading.message) : usedFor(before);
    if (judgement.kind === 'refused') return { ...judgement, by: textIn(fieldsOf(incoming.argument), 'by') };
    return { kind: judgement.kind, message: reading.message, sentence: judgement.message };
  }

  private accept(judged: Exclude<Judged<Message>, Refused>, incoming: Incoming): MessageAnswer {
    const changed = judged.kind === 'accepted';
    if (changed) this.messages.apply(judged.message);
    const answer: MessageAnswer = { message: judged.sentence, status: this.messages.status(), changed };
    const requestId = requestIdOf(incoming);
    const { name } = incoming;
    if (changed && requestId !== null && this.messages.forgotten?.includes(name) !== true) {
      this.answered = [...this.answered, { requestId, name, answer }].slice(-MAX_KNOWN_REQUESTS);
    }
    return answer;
  }
}

/** An id that named another message is a mistake of the sender. */
function usedFor({ name }: Answered): Judgement {
  return { kind: 'refused', why: `this requestId was used for ${name} before` };
}

function requestIdOf({ argument, updateId }: Incoming): string | null {
  const id = textIn(fieldsOf(argument), 'requestId');
  return id !== null && id.length <= MAX_REQUEST_ID_CHARS ? id : updateId;
}

function refusal({ why, isBusy }: Refused): ApplicationFailure {
  return ApplicationFailure.nonRetryable(why, isBusy === true ? FAILURES.MessageBusy : FAILURES.MessageRefused);
}

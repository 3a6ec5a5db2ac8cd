/**
 * Where the messages of a workflow are judged, applied and remembered, the same way for an Update and for a Signal. It knows neither how they come in
 * nor what they say. A refused Update leaves no trace; a refused Signal leaves a line in the journal. A request id that came before is answered as it
 * was, so that nothing is applied twice; only the last `MAX_KNOWN_REQUESTS` are remembered.
 */
import { ApplicationFailure } from '@temporalio/workflow';
import { FAILURES } from '../../protocol/failures.js';
import { MAX_KNOWN_REQUESTS, MAX_REFUSED_LINES } from '../../protocol/limits.js';
import type { MessageAnswer, MessageReading } from '../../protocol/messages/run-message.js';
import type { LineWriter } from '../journal/journal-flush.js';

export interface DeskOwner extends LineWriter {
  /** Of every answer. */
  readonly status: string;
  /** It writes no more of what is refused. */
  readonly isClosing: boolean;
}

/** `unchanged`: it was answered before, or is true anyway (V-64). */
export type Judgement =
  | { readonly kind: 'accepted'; readonly message: string }
  | { readonly kind: 'unchanged'; readonly message: string }
  | { readonly kind: 'refused'; readonly why: string };

/** A message that was understood. */
export interface Understood {
  readonly name: string;
  readonly by: string | null;
  readonly requestId: string | null;
}

/** The messages that an owner takes, and what they do. */
export interface Messages<Name extends string, Message extends Understood> {
  readonly names: readonly Name[];
  /** Any argument that anybody can send; it throws for none. */
  read(name: Name, argument: unknown): MessageReading<Message>;
  /** Changes nothing. */
  judge(message: Message): Judgement;
  /** What was accepted. */
  apply(message: Message): void;
}

type Judged<Message> =
  | { readonly kind: 'accepted' | 'unchanged'; readonly message: Message; readonly sentence: string }
  | { readonly kind: 'refused'; readonly by: string | null; readonly why: string };

interface Answered {
  readonly name: string;
  readonly answer: MessageAnswer;
}

export class MessageDesk<Name extends string, Message extends Understood> {
  /** By request id, the oldest first. */
  private readonly answered = new Map<string, Answered>();
  private refusedLines = 0;

  constructor(
    private readonly owner: DeskOwner,
    private readonly messages: Messages<Name, Message>,
    /** Of the Update at work; none in a Signal. */
    private readonly updateId: () => string | undefined,
  ) {}

  /** Runs before anything is recorded. Errors: MessageRefused, MessageUnchanged. */
  check(name: Name, argument: unknown): void {
    const judged = this.judge(name, argument);
    if (judged.kind === 'refused') throw refusal(judged.why);
    // What came before under its request id is answered as it was, to whoever lost the first answer.
    if (judged.kind === 'unchanged' && this.known(judged.message) === undefined)
      throw ApplicationFailure.nonRetryable(judged.sentence, FAILURES.MessageUnchanged, this.owner.status);
  }

  /** Between the check and here another message of the same workflow task may have been taken. Errors: MessageRefused. */
  take(name: Name, argument: unknown): MessageAnswer {
    const judged = this.judge(name, argument);
    if (judged.kind === 'refused') throw refusal(judged.why);
    return this.accept(judged);
  }

  hear(name: Name, argument: unknown): void {
    const judged = this.judge(name, argument);
    if (judged.kind === 'refused') this.refuse(name, judged.by, judged.why);
    else this.accept(judged);
  }

  refuse(name: string, by: string | null, why: string): void {
    const { owner } = this;
    if (this.refusedLines >= MAX_REFUSED_LINES || owner.isClosing) return;
    this.refusedLines += 1;
    owner.journal.note('message.refused', `${name.slice(0, 60)} refused: ${why}`, { name: name.slice(0, 60), by, why });
    owner.flush.request();
  }

  private judge(name: Name, argument: unknown): Judged<Message> {
    const reading = this.messages.read(name, argument);
    if (reading.kind === 'bad') return { kind: 'refused', by: null, why: reading.why };
    const { message } = reading;
    const before = this.known(message);
    const judgement = before === undefined ? this.messages.judge(message) : judgeAgain(message, before);
    if (judgement.kind === 'refused') return { ...judgement, by: message.by };
    return { kind: judgement.kind, message, sentence: judgement.message };
  }

  private accept({ kind, message, sentence }: Exclude<Judged<Message>, { kind: 'refused' }>): MessageAnswer {
    const changed = kind === 'accepted';
    if (changed) this.messages.apply(message);
    const answer: MessageAnswer = { message: sentence, status: this.owner.status, changed };
    // What changed nothing leaves no trace, like an Update that was not accepted for it.
    if (changed) this.remember(message, answer);
    return answer;
  }

  private known({ requestId }: Message): Answered | undefined {
    const id = requestId ?? this.updateId();
    return id === undefined ? undefined : this.answered.get(id);
  }

  private remember({ requestId, name }: Message, answer: MessageAnswer): void {
    const id = requestId ?? this.updateId();
    if (id === undefined) return;
    this.answered.set(id, { name, answer });
    const [oldest] = this.answered.keys();
    if (this.answered.size > MAX_KNOWN_REQUESTS && oldest !== undefined) this.answered.delete(oldest);
  }
}

/** What came before under this request id is answered as it was; an id that named another message is a mistake of the sender. */
function judgeAgain({ name }: Understood, before: Answered): Judgement {
  if (before.name === name) return { kind: 'unchanged', message: before.answer.message };
  return { kind: 'refused', why: `this requestId was used for ${before.name} before` };
}

function refusal(why: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(why, FAILURES.MessageRefused);
}

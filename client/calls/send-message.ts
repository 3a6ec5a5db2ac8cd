/**
 * Sends one message to a run: as an Update, which the run answers at once, and where no worker takes it in time as a Signal of the same
 * name and the same request id, which the server keeps; the run applies a request id once. Source: V-67, docs/messages.md.
 * The server counts Updates and Signals of a run, each by itself: an Update past its limit goes as a Signal too, and an abort past both as a
 * native cancellation, which is not counted, so that no run is without a last word. It never calls a message queued that the run took or refused, and sends nothing any more once `stop` was aborted.
 */

import { messageOf, nameOf } from '../../config/system/error-code.js';
import type { BacklogMessageName } from '../../protocol/actors/backlog.js';
import type { ItemMessageName } from '../../protocol/actors/item.js';
import { FAILURES } from '../../protocol/failures.js';
import type { RunMessageName } from '../../protocol/messages/message-rows.js';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import { COMPLETED_UPDATE, UNPROCESSED_UPDATE } from '../../protocol/names.js';

/** What a message carries; names of fields are in message-rows.ts. Null and a missing field are the same. */
export interface MessageToSend {
  /** `open`: to a quota gate; `look`, `take`: to a merge queue; the words of a backlog: to that. */
  readonly name: RunMessageName | ItemMessageName | BacklogMessageName | 'open' | 'look' | 'take';
  readonly argument: Readonly<Record<string, unknown>>;
  /** Sent again under the same id it is the same message, which counts once. Without one it is a message of its own. */
  readonly requestId?: string;
}

export type Sent =
  | { readonly kind: 'accepted'; readonly answer: MessageAnswer }
  /** No worker took it in time; the server keeps it, and the run checks it on arrival. */
  | { readonly kind: 'queued'; readonly requestId: string }
  | { readonly kind: 'refused'; readonly why: string }
  /** An abort that went as a native cancellation: nobody is told who asked for it. */
  | { readonly kind: 'cancelled' }
  /** The server took it neither as an Update nor as a Signal; `why` is the server's. */
  | { readonly kind: 'not_kept'; readonly why: string }
  | { readonly kind: 'closed' }
  /** The server knows no such run. */
  | { readonly kind: 'unknown' };

/** What sending needs of the server, for one run. Errors are the SDK's. */
export interface MessagePort {
  /** Resolves once the run took or refused it. Errors: WorkflowUpdateRPCTimeoutOrCancelledError where nobody did in time. */
  update(message: MessageToSend, requestId: string): Promise<TakenMessage>;
  signal(message: MessageToSend): Promise<void>;
  /** Native cancellation: the workflow ends as by an abort. */
  cancel(): Promise<void>;
  /** Errors: WorkflowNotFoundError. */
  isOpen(): Promise<boolean>;
}

export interface TakenMessage {
  /** Null: taken, and not answered in time. Errors: WorkflowUpdateFailedError where the run refused it. */
  answer(): Promise<MessageAnswer | null>;
}

/** Errors: the SDK's, for a server that does not answer; what `stop` was aborted with. */
export async function sendMessage(port: MessagePort, sent: MessageToSend, options: SendOptions): Promise<Sent> {
  const { requestId, stop } = options;
  const message = { name: sent.name, argument: { ...sent.argument, requestId } };
  try {
    return { kind: 'accepted', answer: (await update(port, message, options)) ?? UNANSWERED };
  } catch (error) {
    stop?.throwIfAborted();
    const refused = refusalOf(error);
    if (refused !== null) return refused;
    if (nameOf(error) === 'WorkflowNotFoundError') return goneOr(port, error);
    if (!goesAsSignal(error)) throw error;
  }
  try {
    await port.signal(message);
    return { kind: 'queued', requestId };
  } catch (error) {
    stop?.throwIfAborted();
    if (nameOf(error) === 'WorkflowNotFoundError') return goneOr(port, error);
    if (!serverWords(error).includes(SIGNALS_USED_UP)) throw error;
    return sent.name === 'abort' ? cancelled(port) : { kind: 'not_kept', why: serverWords(error) };
  }
}

export interface SendOptions {
  /** The Update id; stands in the argument too. */
  readonly requestId: string;
  readonly stop?: AbortSignal | undefined;
}

/** Once more where the run was not shown it: a copy of a run keeps an Update out once, see workflows/sdk-guards/decided-too-early.ts. */
async function update(
  port: MessagePort,
  message: MessageToSend,
  { requestId, stop }: SendOptions,
): Promise<MessageAnswer | null> {
  const send = async () => (await port.update(message, requestId)).answer();
  try {
    return await send();
  } catch (error) {
    if (typeOfRefusal(error) !== UNPROCESSED_UPDATE || stop?.aborted === true) throw error;
    return send();
  }
}

const UNANSWERED: MessageAnswer = {
  message: 'the run took it and has not answered yet',
  status: 'unknown',
  changed: true,
};

/** The Update reached no run: nobody took it in time, the worker did not show it, or the server counts too many. */
function goesAsSignal(error: unknown): boolean {
  return (
    nameOf(error) === 'WorkflowUpdateRPCTimeoutOrCancelledError' ||
    typeOfRefusal(error) === UNPROCESSED_UPDATE ||
    isServerLimit(error)
  );
}

/**
 * RESOURCE_EXHAUSTED and FAILED_PRECONDITION of gRPC, and INVALID_ARGUMENT: an Update past the number in flight, one past the count of its run,
 * and one that is too large. Source: temporalio/temporal, service/history: consts, workflow/update/registry.
 */
const LIMIT_CODES: readonly unknown[] = [3, 8, 9];

/** A message that is too large has the same code. Source: temporalio/temporal, service/history/consts, ErrSignalsLimitExceeded. */
const SIGNALS_USED_UP = 'limit for signal events';

function isServerLimit(error: unknown): boolean {
  const cause = causeOf(error);
  return cause !== null && 'code' in cause && LIMIT_CODES.includes(cause.code);
}

function serverWords(error: unknown): string {
  const cause = causeOf(error);
  if (cause !== null && 'details' in cause && typeof cause.details === 'string' && cause.details !== '')
    return cause.details;
  return messageOf(error);
}

/** Errors: the SDK's. */
async function cancelled(port: MessagePort): Promise<Sent> {
  try {
    await port.cancel();
    return { kind: 'cancelled' };
  } catch (error) {
    if (nameOf(error) === 'WorkflowNotFoundError') return goneOr(port, error);
    throw error;
  }
}

/** Null for an error that is no answer of the run. */
function refusalOf(error: unknown): Sent | null {
  if (nameOf(error) !== 'WorkflowUpdateFailedError' || !(error instanceof Error)) return null;
  const type = typeOfRefusal(error);
  if (type === UNPROCESSED_UPDATE) return null;
  if (type === COMPLETED_UPDATE) return { kind: 'closed' };
  const { cause } = error;
  const why = cause instanceof Error ? cause.message : error.message;
  if (type === FAILURES.MessageUnchanged)
    return { kind: 'accepted', answer: { message: why, status: statusIn(cause), changed: false } };
  // A workflow without a handler of this name refuses by another type, and says so.
  const isOurs = type === FAILURES.MessageRefused || type === FAILURES.MessageBusy;
  return { kind: 'refused', why: isOurs ? why : `it cannot take this message: ${why}` };
}

function statusIn(failure: unknown): string {
  const details = typeof failure === 'object' && failure !== null && 'details' in failure ? failure.details : null;
  const status: unknown = Array.isArray(details) ? details[0] : null;
  return typeof status === 'string' ? status : 'unknown';
}

function typeOfRefusal(error: unknown): unknown {
  const cause = causeOf(error);
  return cause !== null && 'type' in cause ? cause.type : null;
}

function causeOf(error: unknown): object | null {
  const cause = error instanceof Error ? error.cause : null;
  return typeof cause === 'object' ? cause : null;
}

/** The server answers alike for a run that closed and for one that never was. */
async function goneOr(port: MessagePort, error: unknown): Promise<Sent> {
  try {
    if (!(await port.isOpen())) return { kind: 'closed' };
  } catch (other) {
    if (nameOf(other) === 'WorkflowNotFoundError') return { kind: 'unknown' };
    throw other;
  }
  throw error;
}

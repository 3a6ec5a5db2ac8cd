/** Asks a route of the server, as who is signed in. */
import { ANSWER_MS, failureText, session, signOut } from './session.js';

export class AskFailed extends Error {
  constructor(
    message: string,
    /** Null: no answer came, so it is not known what became of it. */
    readonly status: number | null,
  ) {
    super(message);
  }
}

export interface Asked {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Errors: AskFailed, also where no whole answer came for ANSWER_MS; what `signal` was aborted with. */
export async function ask<T>(path: string, { body, signal }: Asked = {}): Promise<T> {
  const clock = AbortSignal.timeout(ANSWER_MS);
  const ends = signal === undefined ? clock : AbortSignal.any([signal, clock]);
  const answer = await request(path, body, ends);
  const told: unknown = await answer.json().catch(() => {
    throwIfLeft(ends);
    if (answer.ok) throw new AskFailed('the answer of the server was cut', null);
  });
  if (answer.ok || (answer.status === 409 && isSentAnswer(told))) return told as T; // By the server's own schema.
  throw new AskFailed(failureText(told), answer.status);
}

/** Errors: as of `ask`. */
export async function request(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const key = session.value.key ?? '';
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  const sent =
    body === undefined
      ? { headers }
      : { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(path, { ...sent, ...(signal === undefined ? {} : { signal }) }).catch((error: unknown) => {
    throwIfLeft(signal);
    throw new AskFailed(error instanceof Error ? 'the server does not answer' : String(error), null);
  });
  if (answer.status === 401) signOut(key);
  return answer;
}

/** What a clock ended nobody left: no answer came. */
function throwIfLeft(signal: AbortSignal | undefined): void {
  const reason: unknown = signal?.reason;
  if (reason instanceof DOMException && reason.name === 'TimeoutError') return;
  signal?.throwIfAborted();
}

function isSentAnswer(told: unknown): boolean {
  return typeof told === 'object' && told !== null && 'sent' in told;
}

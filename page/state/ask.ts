/** Asks a route of the server, as who is signed in. */
import { failureText, session, signOut } from './session.js';

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

/** Errors: AskFailed; what `signal` was aborted with. */
export async function ask<T>(path: string, { body, signal }: Asked = {}): Promise<T> {
  const answer = await request(path, body, signal);
  const told: unknown = await answer.json().catch(() => {
    signal?.throwIfAborted();
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
    signal?.throwIfAborted();
    throw new AskFailed(error instanceof Error ? 'the server does not answer' : String(error), null);
  });
  if (answer.status === 401) signOut(key);
  return answer;
}

function isSentAnswer(told: unknown): boolean {
  return typeof told === 'object' && told !== null && 'sent' in told;
}

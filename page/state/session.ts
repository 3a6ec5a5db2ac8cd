/**
 * The key of this browser. It is in this tab's sessionStorage; a new tab asks those that are open. A server that was started again knows it no more, and then
 * a person types the code that the new one printed.
 */
import { Store } from './store.js';

export interface Session {
  /** Null: not signed in. */
  readonly key: string | null;
  /** Why not, for people; null: nobody tried yet. */
  readonly told: string | null;
}

const KEPT = 'sluice.key';

/** **Unit** ms: an open tab answers in a few. */
const OTHERS_ANSWER_MS = 200;

/** **Unit** ms: a server that says nothing for so long does not answer. */
export const ANSWER_MS = 30_000;

export const session = new Store<Session>({ key: sessionStorage.getItem(KEPT), told: null });

const others = new BroadcastChannel('sluice.session');

/** Those that a server did not know. */
const refused = new Set<string>();

others.onmessage = ({ data }: MessageEvent<unknown>) => {
  const { key } = session.value;
  if (data === 'key?' && key !== null) others.postMessage({ key });
  else if (isRefusedMessage(data)) giveUp(data.refused);
  else if (isKeyMessage(data) && !refused.has(data.key)) void hearKey(data);
};

/** The newest counts for every tab: the one before is of a server that has ended. Where somebody may be typing a code it counts only if the server knows it. */
async function hearKey({ key, isNew }: KeyMessage): Promise<void> {
  const own = session.value.key;
  if (own !== null && isNew !== true) return;
  if (own === null && !(await mayBeKnown(key))) refused.add(key);
  else if (own === session.value.key) keepKey(key);
}

/** A server that does not answer has not refused it. */
function mayBeKnown(key: string): Promise<boolean> {
  const asked = fetch('/api/session', {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  return asked.then(
    ({ status }) => status !== 401,
    () => true,
  );
}

/**
 * Begins with the code in the address, else with what another tab has. Of an address that is put into this tab later the code counts too: it differs from the
 * one before by its code alone, so that the browser loads nothing anew.
 */
export async function signInAtStart(): Promise<void> {
  window.addEventListener('hashchange', () => void tradeCodeOfAddress());
  await tradeCodeOfAddress();
  if (session.value.key !== null) return;
  others.postMessage('key?');
  await new Promise((resolve) => setTimeout(resolve, OTHERS_ANSWER_MS));
}

async function tradeCodeOfAddress(): Promise<void> {
  const code = location.hash.slice(1);
  if (code === '') return;
  // Whoever goes back in the history, or copies the address, does not take the code along.
  history.replaceState(null, '', location.pathname);
  await tradeCode(code);
}

export async function tradeCode(code: string): Promise<void> {
  const answer = await fetch('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: code.replace(/^.*#/s, '').trim() }),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => null);
  const told: unknown = await answer?.json().catch(() => null);
  if (answer?.ok === true && isKeyMessage(told)) shareKey(told.key);
  else if (session.value.key === null)
    session.set({ key: null, told: answer === null ? 'The server does not answer.' : failureText(told) });
}

/** The server does not know the key. The other tabs are told, for those that ask for nothing would show what is old as if it were live. */
export function signOut(used: string): void {
  if (!giveUp(used)) return;
  others.postMessage({ refused: used });
  others.postMessage('key?');
}

/** Answers whether it was the key of this tab. */
function giveUp(used: string): boolean {
  refused.add(used);
  // Another tab may have brought the key of the next server, while the answer to a request with the one before was under way.
  if (session.value.key !== used) return false;
  sessionStorage.removeItem(KEPT);
  session.set({ key: null, told: 'The server was started again, so it wants a new code.' });
  return true;
}

/** For people, of whatever a route answered. */
export function failureText(answer: unknown): string {
  const { error, mend } = (typeof answer === 'object' && answer !== null ? answer : {}) as Readonly<
    Record<string, unknown>
  >;
  const what = typeof error === 'string' ? error : 'the server gave no reason';
  return typeof mend === 'string' ? `${what}: ${mend}` : what;
}

function keepKey(key: string): void {
  sessionStorage.setItem(KEPT, key);
  session.set({ key, told: null });
}

/** Also for the tabs that lost theirs with the server before. */
function shareKey(key: string): void {
  keepKey(key);
  others.postMessage({ key, isNew: true });
}

interface KeyMessage {
  readonly key: string;
  readonly isNew?: unknown;
}

function isKeyMessage(data: unknown): data is KeyMessage {
  return typeof data === 'object' && data !== null && 'key' in data && typeof data.key === 'string';
}

interface RefusedMessage {
  /** A key that a server did not know. */
  readonly refused: string;
}

function isRefusedMessage(data: unknown): data is RefusedMessage {
  return typeof data === 'object' && data !== null && 'refused' in data && typeof data.refused === 'string';
}

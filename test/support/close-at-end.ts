/**
 * What a program of its own, such as a campaign or the bench, holds open. Engines lead process groups of their own, so a Ctrl-C ends the program alone: a signal, as an error does,
 * therefore closes everything first, within two minutes. A second signal changes nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export type Close = () => Promise<void>;

const open = new Set<Close>();

/** Since a signal came; the program ends with it. */
let ending: Promise<void> | null = null;

const CLOSED_WITHIN_MS = 120_000;

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

/**
 * Answers the close to be called, which closes once, however many call it. After a signal it is never answered, since the program ends: what fails meanwhile for want of what was closed
 * has nobody to hear of it.
 */
export function holdOpen(close: Close): Close {
  let closing: Promise<void> | null = null;
  const once = () => {
    closing ??= close().finally(() => open.delete(once));
    return closing;
  };
  open.add(once);
  return async () => {
    try {
      await once();
    } finally {
      await waitIfEnding();
    }
  };
}

export function isEnding(): boolean {
  return ending !== null;
}

/** For whoever is about to open something: after a signal it never answers. */
export async function waitIfEnding(): Promise<void> {
  if (ending !== null) await never();
}

/** For work that is in the way of an end: the program ends while it waits. */
export function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

/** From now on a signal closes what is open and ends the program. Exit codes: 130, 143 and 129, as a shell tells them. */
export function endAtSignals(): void {
  for (const [signal, code] of SIGNALS)
    process.on(signal, () => {
      ending ??= endBy(signal, code);
    });
}

/** Runs it to its end and ends the program. Exit codes: 0 where it answers true, those of `endAtSignals`, 1 else. */
export async function runCampaign(campaign: () => Promise<boolean>): Promise<never> {
  endAtSignals();
  const hasPassed = await campaign().catch((error: unknown) => {
    if (ending === null) console.error(error);
    return false;
  });
  await waitIfEnding();
  await closeAll();
  process.exit(hasPassed ? 0 : 1);
}

async function endBy(signal: string, code: number): Promise<void> {
  console.error(`ended by ${signal}: closing what is open`);
  // Such as of a call that is tried again on a connection that was closed.
  process.on('uncaughtException', () => undefined);
  await Promise.race([closeAll(), sleep(CLOSED_WITHIN_MS)]);
  for (const _ of open) console.error('not closed: it takes too long');
  process.exit(code);
}

/** What is being opened meanwhile is closed too. One that cannot be closed is told and keeps none of the others open. */
async function closeAll(): Promise<void> {
  while (open.size > 0)
    for (const result of await Promise.allSettled([...open].map((close) => close())))
      if (result.status === 'rejected') console.error(`not closed: ${String(result.reason)}`);
}

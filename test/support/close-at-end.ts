/**
 * A campaign and what it holds open. Engines lead process groups of their own, so a Ctrl-C ends the campaign alone: a signal, as an error does, therefore closes everything first. A second one ends it
 * at once.
 */

export type Close = () => Promise<void>;

const open = new Set<Close>();

/** Since a signal came; the program ends with it. */
let ending: Promise<void> | null = null;

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

/** Answers the close to be called, which closes once, however many call it. */
export function holdOpen(close: Close): Close {
  let closing: Promise<void> | null = null;
  const once = () => {
    closing ??= close().finally(() => open.delete(once));
    return closing;
  };
  open.add(once);
  return once;
}

/** One that cannot be closed is told and keeps none of the others open. */
export async function closeAll(): Promise<void> {
  for (const result of await Promise.allSettled([...open].map((close) => close())))
    if (result.status === 'rejected') console.error(`not closed: ${String(result.reason)}`);
}

export function isEnding(): boolean {
  return ending !== null;
}

/** For whoever is about to open something: after a signal it never answers, since nobody would close that. */
export async function waitIfEnding(): Promise<void> {
  if (ending !== null) await never();
}

/** For work that is in the way of an end: the program ends while it waits. */
export function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

/** Runs it to its end and ends the program. Exit codes: 0 where it answers true, 130 and 143 after a signal, 1 else. */
export async function runCampaign(campaign: () => Promise<boolean>): Promise<never> {
  for (const [signal, code] of SIGNALS)
    process.once(signal, () => {
      ending ??= endBy(signal, code);
    });
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
  await closeAll();
  process.exit(code);
}

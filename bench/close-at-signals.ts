/** What the bench opened and must close before it ends, by its own end or by a signal: one handler for all of it, which ends the bench once everything is closed. */

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const INTERRUPTED = 130;

const open = new Set<() => Promise<void>>();
let isHandled = false;
let isEnding = false;

/**
 * Answers what closes it: once, whoever asks. After a signal it is never answered, since the handler ends the bench: what fails meanwhile for want of what was
 * closed has nobody to hear of it.
 */
export function closeAtSignals(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null;
  const closeOnce = () => (closing ??= close().finally(() => open.delete(closeOnce)));
  open.add(closeOnce);
  if (!isHandled) for (const signal of END_SIGNALS) process.on(signal, () => void endAll());
  isHandled = true;
  return async () => {
    try {
      await closeOnce();
    } finally {
      await unlessEnding();
    }
  };
}

/** Never, while the bench ends. */
async function unlessEnding(): Promise<void> {
  if (isEnding) await new Promise(() => undefined);
}

/** A second signal changes nothing. What is being opened at the moment is closed too. */
async function endAll(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  // Such as of a call that is tried again on a connection that was closed.
  process.on('uncaughtException', () => undefined);
  while (open.size > 0) {
    const ends = await Promise.allSettled([...open].map((close) => close()));
    for (const end of ends) if (end.status === 'rejected') process.stderr.write(`${String(end.reason)}\n`);
  }
  process.exit(INTERRUPTED);
}

/** Work that a person may stop waiting for. Nothing is cancelled: the caller says what is true then. */

/** Null when the person stopped first. The work goes on unheard; its errors are nobody's. */
export async function orStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T | null> {
  work.catch(() => {});
  if (stop.aborted) return null;
  let onStop = () => {};
  const stopped = new Promise<null>((resolve) => {
    onStop = () => resolve(null);
    stop.addEventListener('abort', onStop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}

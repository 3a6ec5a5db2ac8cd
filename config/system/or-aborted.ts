/** Work that somebody may stop waiting for. Nothing is cancelled: the caller says what is true then. It needs nothing but node. */

/** What the work answers, or `onAbort` (which may throw) where the signal is first. The work goes on unheard; its errors are nobody's then. */
export async function orAborted<T, U>(work: Promise<T>, signal: AbortSignal, onAbort: () => U): Promise<T | U> {
  let abort = () => {};
  const aborted = new Promise<'aborted'>((resolve) => {
    abort = () => resolve('aborted');
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  const done = work.then((answer) => ({ answer }));
  done.catch(() => {});
  try {
    const first = await Promise.race([done, aborted]);
    return first === 'aborted' ? onAbort() : first.answer;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

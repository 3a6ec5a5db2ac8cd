/** Looks, waits, looks again: one look at a time, and again after one that failed. Effects: until the answer is called. */
export function repeat(look: () => Promise<unknown>, everyMs: number): () => void {
  let timer: NodeJS.Timeout | null = null;
  let isEnded = false;
  const turn = async () => {
    await look().catch(() => {});
    if (!isEnded) timer = setTimeout(() => void turn(), everyMs);
  };
  void turn();
  return () => {
    isEnded = true;
    if (timer !== null) clearTimeout(timer);
  };
}

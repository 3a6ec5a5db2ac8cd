/** Medians, since one slow sample of a busy machine says nothing of the engine. */

/** Null without samples. */
export function median(samples: readonly number[]): number | null {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  const lower = sorted.length % 2 === 0 ? (sorted[middle - 1] ?? upper) : upper;
  return (lower + upper) / 2;
}

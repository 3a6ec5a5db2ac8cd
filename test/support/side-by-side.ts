/** Works on keys with at most `limit` at a time. A failure stays with its key, for the test that awaits it. */
export function sideBySide<K, T>(
  keys: readonly K[],
  limit: number,
  work: (key: K) => Promise<T>,
): ReadonlyMap<K, Promise<T>> {
  const lanes = Array.from({ length: limit }, () => Promise.resolve());
  return new Map(
    keys.map((key, index) => {
      const lane = index % limit;
      const result = (lanes[lane] ?? Promise.resolve()).then(() => work(key));
      lanes[lane] = result.then(ignore, ignore);
      return [key, result];
    }),
  );
}

function ignore(): void {}

/** Runs work on one key one after another within this process; work on other keys goes on meanwhile. A failure does not stop what waits behind it. */

export type Serializer = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createSerializer(): Serializer {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const result = (tails.get(key) ?? Promise.resolve()).then(work);
    const tail = result.catch(() => {});
    tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
}

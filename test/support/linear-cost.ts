/**
 * That work costs in proportion to the length of what it is given. It counts the CPU of the process and compares lengths with each other,
 * so neither a slow machine nor a busy one decides; and it starts short, so what is not linear is red before it hangs.
 */
const STEP = 8;
const LENGTHS = 4;

/** A step that costs the square is 64 times as dear; what the collector and the compiler add is far below three times a step. */
const MOST_A_STEP = 3 * STEP;

/** **Unit** µs. The first calls of a function, and whole collections of garbage, whatever the length. */
const AT_ANY_LENGTH = 200_000;

/** Errors: plain Error where a length costs too much beside the one before it. */
export function expectLinearCost(most: number, work: (length: number) => void): void {
  let before = 0;
  for (let power = LENGTHS - 1; power >= 0; power -= 1) {
    const length = Math.ceil(most / STEP ** power);
    const limit = power < LENGTHS - 1 ? MOST_A_STEP * before + AT_ANY_LENGTH : Number.POSITIVE_INFINITY;
    const cost = leastOf(limit, () => cpuOf(() => work(length)));
    if (cost > limit)
      throw new Error(`${length} cost ${cost} µs of CPU, an eighth of it ${before}: that is not linear`);
    before = cost;
  }
}

/** **Unit** µs. */
function cpuOf(work: () => void): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return user + system;
}

const TRIES = 3;

/** The first that is not above `limit`, else the least: a collection of garbage may fall into any of them. */
function leastOf(limit: number, measure: () => number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least >= limit; tries += 1) least = Math.min(least, measure());
  return least;
}

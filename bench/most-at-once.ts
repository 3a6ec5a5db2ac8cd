/** How many of something were at work side by side. */

/** Unit: as long as both are of one clock, any. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What begins where another ends was never beside it. */
export function mostAtOnce(spans: readonly Span[]): number {
  const changes = spans.flatMap(({ from, to }) => [
    { at: from, by: 1 },
    { at: to, by: -1 },
  ]);
  let [now, most] = [0, 0];
  for (const { by } of changes.toSorted((one, other) => one.at - other.at || one.by - other.by)) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

/** Deaths at random: who was meant by each, and whether a process was there to be met. Pure. */
export interface Strike {
  readonly victim: string;
  readonly isMet: boolean;
}

/** Those who were meant, and never once met: that they die was not tried, so a night without them has not shown it. */
export function neverMet(strikes: readonly Strike[]): readonly string[] {
  const met = new Set(strikes.filter(({ isMet }) => isMet).map(({ victim }) => victim));
  return [...new Set(strikes.map(({ victim }) => victim))].filter((victim) => !met.has(victim));
}

export function countMet(strikes: readonly Strike[]): number {
  return strikes.filter(({ isMet }) => isMet).length;
}

/** When a campaign has passed. Pure. */
export interface Tally {
  /** That there were to try. */
  readonly wanted: number;
  readonly done: number;
  readonly unclean: number;
}

/** One that tried nothing, or left something out, has shown nothing. */
export function isPassed({ wanted, done, unclean }: Tally): boolean {
  return wanted > 0 && done === wanted && unclean === 0;
}

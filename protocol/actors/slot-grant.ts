/** A slot that a backlog grants to an item. Pure. */

/** How long a grant counts: one that comes later starts nothing. Unit: ms. */
export const GRANT_MS = 60_000;

export interface SlotGranted {
  /** Of the row that it answers. */
  readonly version: number;
  /** When it was given. Unit: ms since 1970. */
  readonly at: number;
}

/** With what a slot is granted. */
export interface Grant extends SlotGranted {
  /** Runs whose changes are ready, of tasks that it depends on: its run begins behind all of them. */
  readonly behind: readonly string[];
}

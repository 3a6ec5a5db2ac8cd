/** How the head of a finished run gets to its base. */

/** Strictest first. `off`: `sluice land` is refused. `manual`: a person asks for it. `auto`: it is asked for by the run itself. */
export const LANDING_MODES = ['off', 'manual', 'auto'] as const;
export type LandingMode = (typeof LANDING_MODES)[number];

/** What a head needs to land unasked, strictest first. `verified`: the run's verdict. `checked`: green checks of the head's tree. */
export const LANDING_NEEDS = ['verified', 'checked'] as const;
export type LandingNeeds = (typeof LANDING_NEEDS)[number];

/** What follows a conflict by itself, strictest first. `turn`: an agent's fix of it. `recreate`: the task anew, on the base as it is now. */
export const ON_CONFLICT = ['gate', 'turn', 'recreate'] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];

/** `merge`: a merge commit, or the head where it is one commit on the base. `squash`: always one commit. */
export const LANDING_METHODS = ['merge', 'squash'] as const;
export type LandingMethod = (typeof LANDING_METHODS)[number];

export interface LandingPolicy {
  readonly mode: LandingMode;
  readonly needs: LandingNeeds;
  /** How often a merge is tried that conflicts or is red. Source: T-74. */
  readonly attempts: number;
  /** Unit: ms; doubled each time. */
  readonly retryWaitMs: number;
  readonly conflict: OnConflict;
  readonly method: LandingMethod;
}

/** Of a run whose host knew no landing yet. */
export const DEFAULT_LANDING: LandingPolicy = {
  ...{ mode: 'manual', needs: 'verified' },
  ...{ attempts: 1, retryWaitMs: 30_000, conflict: 'turn', method: 'merge' },
};

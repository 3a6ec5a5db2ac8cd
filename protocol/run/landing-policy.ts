/** How the head of a finished run gets to its base. */

/**
 * Strictest first. `off`: `sluice land` is refused. `watch`: somebody else merges, and the run itself asks to be told. `manual`: a person asks for it. `pr`: the run itself shows it by a
 * draft pull request, which people merge, or a person asks for it. `auto`: it is asked for by the run itself.
 */
export const LANDING_MODES = ['off', 'watch', 'manual', 'pr', 'auto'] as const;

/** What a run asks for unasked. */
export const UNASKED_MODES: readonly LandingMode[] = ['watch', 'pr', 'auto'];
export type LandingMode = (typeof LANDING_MODES)[number];

/** What a head needs to land unasked, strictest first. `verified`: the run's verdict. `checked`: green checks of the head's tree. */
export const LANDING_NEEDS = ['verified', 'checked'] as const;
export type LandingNeeds = (typeof LANDING_NEEDS)[number];

/** What follows a conflict by itself, strictest first. `turn`: an agent's fix of it. `recreate`: the task anew, on the base as it is now. */
export const ON_CONFLICT = ['gate', 'turn', 'recreate'] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];

/**
 * `merge`: a merge commit, or the head where it is one commit on the base. `squash`: always one commit. `rebase`: the commits of the head, one after the other on the base, or one where they
 * cannot be put there singly.
 */
export const LANDING_METHODS = ['merge', 'squash', 'rebase'] as const;
export type LandingMethod = (typeof LANDING_METHODS)[number];

/** What green checks are about, strictest first. `commit`: the tree made on the same parent. `tree`: the tree alone. */
export const LANDING_EVIDENCE = ['commit', 'tree'] as const;
export type LandingEvidence = (typeof LANDING_EVIDENCE)[number];

/** What a title may hold. `id`: of the run that was asked for. `run`: of the run whose head lands, a repair of it maybe. */
export const TITLE_FIELDS = ['id', 'title', 'run'] as const;

export interface LandingPolicy {
  readonly mode: LandingMode;
  readonly needs: LandingNeeds;
  /** How often a merge is tried that conflicts or is red. Source: T-74. */
  readonly attempts: number;
  /** Unit: ms; doubled each time. */
  readonly retryWaitMs: number;
  readonly conflict: OnConflict;
  readonly method: LandingMethod;
  /** Of the base: shell command lines beside those of validation. */
  readonly required: readonly string[];
  /** Of the base. */
  readonly evidence: LandingEvidence;
  /** Of the commit that lands, with `{field}` for each field; null: as git and the engine say it. */
  readonly title: string | null;
}

/** Of a run whose host knew no landing yet. */
export const DEFAULT_LANDING: LandingPolicy = {
  mode: 'manual',
  needs: 'verified',
  attempts: 1,
  retryWaitMs: 30_000,
  conflict: 'turn',
  method: 'merge',
  required: [],
  evidence: 'tree',
  title: null,
};

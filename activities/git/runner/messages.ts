/** What a worker and its git runner send each other. Both are of one build. */
import type { GitResult, GitStart } from './start-git.js';

export type GitAsked =
  | { readonly id: number; readonly start: GitStart }
  /** The git of an earlier one is ended, and answered like any that could not be run. */
  | { readonly id: number; readonly end: true };

export type GitAnswered =
  | { readonly id: number; readonly result: GitResult }
  /** Git could not be run. */
  | { readonly id: number; readonly failure: string };

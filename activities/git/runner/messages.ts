/** What a worker and its git runner send each other. Both are of one build. */
import type { GitResult, GitStart } from './start-git.js';

export interface GitAsked {
  readonly id: number;
  readonly start: GitStart;
}

export type GitAnswered =
  | { readonly id: number; readonly result: GitResult }
  /** Git could not be run. */
  | { readonly id: number; readonly failure: string };

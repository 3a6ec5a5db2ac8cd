/** Removing what a closed run left on its host: worktree, validation checkout, branch, refs and artifacts. The run directory stays. */
import type { RunRef } from '../messages/messages.js';

/** Start input of the workflow `clean`, and of its one host activity. */
export interface CleanRunInput {
  readonly hostId: string;
  readonly run: RunRef;
  /** Give the branch up even where it is not merged into its base. */
  readonly giveUp: boolean;
}

export type CleanRunResult =
  | { readonly kind: 'cleaned'; readonly removed: readonly string[] }
  /** Nothing was removed. */
  | { readonly kind: 'kept'; readonly why: string };

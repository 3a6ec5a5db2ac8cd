/** What becomes of a task of a batch. Pure. */
import type { BatchRow } from '../../protocol/actors/batch.js';

export type Fate = Pick<BatchRow, 'state'> &
  Partial<Pick<BatchRow, 'runId' | 'outcome' | 'blockedReason' | 'branch' | 'error'>>;

/** Where a task is handed in. */
export interface Address {
  readonly project: string;
  readonly host: string;
}

/** `away`: whoever was asked did not answer. `sent`: where it may be all the same; null: nowhere. */
export type HandedIn = Fate | { readonly state: 'away'; readonly sent: Address | null };

export function notStarted(wasSent: boolean): Fate {
  return { state: 'not_started', error: wasSent ? 'whether it was handed in is not known' : null };
}

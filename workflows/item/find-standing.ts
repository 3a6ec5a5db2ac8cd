/** How another task of the project stands by now, whoever asks: it may have ended since it was compared. Source: S-12. */
import { ActivityFailure } from '@temporalio/common';
import { isCancellation } from '@temporalio/workflow';
import { type ItemRef, itemWorkflowId } from '../../protocol/actors/item.js';
import { controlHost } from '../activity-options.js';
import type { Standing } from './item-state.js';

/** Null where nobody can say: it is a duplicate itself, of one that may be open, or the server does not know it. */
export async function findStanding(ref: ItemRef): Promise<Standing> {
  const found = await controlHost().findItem(itemWorkflowId(ref)).catch(noFailure);
  if (found === null || found.kind === 'none') return null;
  if (found.kind === 'open') return 'open';
  if (found.reason === 'duplicate') return null;
  return found.reason === 'merged' ? 'merged' : 'closed';
}

/** Errors: what is no failure of an activity. */
function noFailure(error: unknown): null {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  return null;
}

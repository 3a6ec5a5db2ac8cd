/** The baseline workflow: as many empty activities as it is told, one after another, on another queue than its own. */
import { proxyActivities } from '@temporalio/workflow';
import type { emptyActivities } from './activities.js';

export async function emptyActivitiesInARow({ count, taskQueue }: { count: number; taskQueue: string }): Promise<void> {
  const { nothing } = proxyActivities<typeof emptyActivities>({ taskQueue, startToCloseTimeout: '1 minute' });
  for (let n = 0; n < count; n += 1) await nothing();
}

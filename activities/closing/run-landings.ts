/** Which landings need what a run left. */
import { isLandingId, landingId } from '../../protocol/names.js';
import type { RunRecord } from '../unit/run-record.js';

/** Workflow ids: its own, and that of the run whose head it repaired. */
export function landingsOf({ runId, input: { owner } }: RunRecord): readonly string[] {
  return [landingId(runId), ...(owner !== undefined && isLandingId(owner) ? [owner] : [])];
}

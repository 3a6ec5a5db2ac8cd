/** Why a start was refused: the server keeps it as the failure of the run's workflow, and nothing else was ever made of it. */
import type { Refusal } from '../../../protocol/text/refusal.js';
import type { FoundRun } from '../../look/find-runs.js';
import type { Sluice } from '../../sluice.js';
import { endOfFailure } from './run-end.js';

/** Null for a run that was opened, or where the server does not say. */
export async function refusalOf(
  { refused, workflowId }: FoundRun,
  sluice: Pick<Sluice, 'result'> | null,
): Promise<Refusal | null> {
  if (!refused || sluice === null) return null;
  const end = await sluice.result(workflowId).then(() => null, endOfFailure);
  return end?.kind === 'refused' ? end.parts : null;
}

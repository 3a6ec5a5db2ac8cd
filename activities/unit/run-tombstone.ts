/**
 * What stays of a run that was cleaned: its record, owned by no workflow chain, so that `claimRun` refuses its id to every chain from then on,
 * to a reset of its own too. Nothing of the agents' environments is in it.
 */
import { join } from 'node:path';
import { type Durability, writeMark } from '../process/marks.js';
import { NOBODY, RUN_RECORD_FILE, type RunRecord } from './run-record.js';

/** Effects: the record is replaced, whole or not at all. */
export function buryRecord(stateDir: string, record: RunRecord, durability: Durability): void {
  const agents = Object.fromEntries(
    Object.entries(record.policy.agents).map(([name, agent]) => [name, { ...agent, env: {} }]),
  );
  const buried: RunRecord = { ...record, firstExecutionRunId: NOBODY, policy: { ...record.policy, agents } };
  writeMark(join(stateDir, RUN_RECORD_FILE), JSON.stringify(buried), durability);
}

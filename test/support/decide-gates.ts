/**
 * A person who decides the gates of a run as they open, one decision a gate, each about the commit that the gate names.
 * It waits by the run's own Query; a gate for which no decision is left stays open.
 */
import type { Gate } from '../../protocol/run/gate.js';
import { detailsOf } from './run-steps.js';
import type { TestRun } from './test-host.js';
import { until } from './until.js';

export interface PersonsDecision {
  readonly decision: 'approve' | 'reject' | 'request_changes';
  readonly note?: string;
}

export async function decideGates(run: TestRun, decisions: readonly PersonsDecision[]): Promise<void> {
  for (const [index, decision] of decisions.entries()) {
    const { id, commit } = await openGate(run, index);
    await run.handle.executeUpdate('approve', { args: [{ gate: id, commit, by: 'ada', ...decision }] });
  }
}

/** Waits for the run's gate number `index`, from 0. */
export async function openGate(run: TestRun, index = 0): Promise<Gate> {
  let gate: Gate | undefined;
  await until(async () => {
    gate = (await detailsOf(run.handle)).gates[index];
    return gate !== undefined;
  });
  if (gate === undefined) throw new Error(`gate ${index} is gone`);
  return gate;
}

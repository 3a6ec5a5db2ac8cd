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
    await decide(run, { gate: id, commit, by: 'ada', ...decision });
  }
}

type Decided = PersonsDecision & { readonly gate: string; readonly commit: string | null; readonly by: string };

/**
 * As a person who is told that no gate is open and sees that it is: they decide again. On a machine under load the server gives a workflow task up that
 * has opened a gate, and the message comes with the events that the next one plays again, before the gate is open there.
 */
async function decide(run: TestRun, argument: Decided): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await run.handle.executeUpdate('approve', { args: [argument] });
      return;
    } catch (error) {
      const { gates } = await detailsOf(run.handle);
      const isOpen = gates.some(({ id, status }) => id === argument.gate && status === 'pending');
      if (!isOpen || tries === MAX_TRIES) throw error;
    }
  }
}

const MAX_TRIES = 3;

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

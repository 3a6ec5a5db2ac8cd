/** The redactor of a run on its host: it knows the values of the environment that the run was opened with. */

import type { Observation } from '../../protocol/messages/journal.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import type { Policy } from '../../protocol/run/policy.js';
import type { Json } from '../../protocol/text/json.js';
import { coreOf, createValueRedactor, type Redactor } from '../../protocol/text/value-redactor.js';
import { collectSecretValues } from '../agent/environment/secret-values.js';
import type { RunOnHost, RunRecord } from './run-record.js';
import type { Workplace } from './workplace.js';

/** By these its own files, and whoever lists runs, find it again. */
type NamesOfRun = Pick<RunRecord, 'runId' | 'workflowId' | 'branch' | 'baseBranch' | 'repository' | 'worktree'>;

/** What the agents of a run, or of an ask, are given: none of its values leaves the host. */
export interface GivenToAgents {
  readonly record: { readonly policy: Pick<Policy, 'agents'> } & Partial<NamesOfRun>;
  readonly workplace?: Pick<Workplace, 'env'>;
}

/** By the record, of which an activity reads its own. */
const known = new WeakMap<GivenToAgents['record'], Redactor>();

/** By what was frozen alone, so that a repeated activity writes the same. */
export function redactorOf({ record, workplace }: GivenToAgents): Redactor {
  const made = known.get(record);
  if (made !== undefined) return made;
  const given = Object.values(record.policy.agents).map((agent) => agent.env);
  const values = collectSecretValues({ captured: workplace?.env ?? {}, given });
  const redactor = createValueRedactor(values.filter((value) => !isInNames(record, value)));
  known.set(record, redactor);
  return redactor;
}

/** What stands in one of them is told by it. */
function isInNames(record: GivenToAgents['record'], value: string): boolean {
  const { runId, workflowId, branch, baseBranch, repository, worktree } = record;
  const text = coreOf(value);
  return [runId, workflowId, branch, baseBranch, repository?.root, worktree].some((name) => name?.includes(text));
}

/** Names of files and words of programs stand in them. */
export function toldWithoutValues(run: RunOnHost, observations: readonly Observation[]): readonly Observation[] {
  const redactor = redactorOf(run);
  return observations.map((observation) => {
    const { message, data } = observation;
    // Strings become strings, so that it is what it was.
    return { ...observation, message: redactor.text(message), data: redactor.json(data as Json) as typeof data };
  });
}

/** Options of a question are the agent's words too. */
export function withoutValuesIn(outcome: TurnOutcome, { hideCut }: Pick<Redactor, 'hideCut'>): TurnOutcome {
  if (!('why' in outcome)) return outcome;
  const why = hideCut(outcome.why);
  if (outcome.kind !== 'needs_input' || outcome.permission === undefined) return { ...outcome, why };
  const options = outcome.permission.options.map((option) => ({
    ...option,
    id: hideCut(option.id),
    name: hideCut(option.name),
  }));
  return { ...outcome, why, permission: { ...outcome.permission, options } };
}

/** What an error says stands in the history and in the worker's log. Errors: those of `work`, the same objects. */
export async function hidingInErrors<T>(owner: GivenToAgents, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    hideIn(error, redactorOf(owner));
    throw error;
  }
}

/** In it and in what it came of. */
export function hideIn(error: unknown, redactor: Redactor): void {
  if (!(error instanceof Error)) return;
  for (const name of ['message', 'stack'] as const) {
    const said = error[name] ?? '';
    const hidden = redactor.hide(said);
    // Some errors of the platform have a message that cannot be assigned.
    if (hidden !== said) Object.defineProperty(error, name, { value: hidden, configurable: true, writable: true });
  }
  hideIn(error.cause, redactor);
}

/** The validating stage: the engine's own commands on the commit, never an agent's word. */
import { validationHost } from './activity-options.js';
import { type Ending, endingOfValidation } from './ending.js';
import type { RunContext } from './turn.js';

/** Null: the run goes on. */
export async function takeValidation({ run, presenter }: RunContext): Promise<Ending | null> {
  const { policy, hostId, baseSha } = run.open;
  const place = run.nextPlace();
  const commit = run.facts.headSha ?? baseSha;
  const commands = policy.validationCommands;
  run.note(
    'validation.started',
    commands === 0 ? 'no validation command is configured' : `${commands} command(s) on ${commit.slice(0, 12)}`,
    {
      commit,
      round: run.facts.round,
      commands,
    },
  );
  presenter.show();
  const input = { place, run: run.ref, round: run.facts.round, commit, baseSha, journal: run.batch() };
  const summary = `validating · ${commands} command(s)`;
  const result = await validationHost(hostId, policy).validate.executeWithOptions({ summary }, [input]);
  run.acknowledge(result.journalSeq);
  run.observe(result.observations);
  run.facts.validation = result.outcome.kind;
  run.facts.validationReport = result.report;
  return endingOfValidation(result.outcome);
}

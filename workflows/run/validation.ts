/** A stage that is no turn: the engine's own commands on the commit, never an agent's word. */

import type { ValidateResult } from '../../protocol/messages/messages.js';
import type { StepOfTurn } from '../../protocol/messages/run-steps.js';
import { canFix } from '../../protocol/run/next-stage.js';
import type { ValidationOutcome } from '../../protocol/run/outcomes.js';
import type { Stage } from '../../protocol/run/stages.js';
import { validationHost } from '../activity-options.js';
import { blocked, type Ending } from './ending.js';
import type { LiveRun } from './live-run.js';
import type { RunState } from './run-state.js';

/** Null: the run goes on; a failure that a round may mend is met by reviewing (V-26), or by the reviewer (V-27). */
export async function takeValidation(run: LiveRun, stage: Stage): Promise<Ending | null> {
  const { outcome, findings } = await runChecks(run, stage, null);
  // Red checks replace the findings of the review before them; green ones leave it to the reviewer to list what is still open.
  if (findings !== null) run.facts.context = { ...run.facts.context, findings, review: null };
  if (outcome.kind === 'failed') run.notifier.tell('validation_failed', outcome.why);
  return endingOf(run, outcome);
}

/** What they come to is evidence of the branch's tip, whoever wanted them run. `step`: of the plan, whose work they judge. */
export async function runChecks(run: LiveRun, stage: Stage, step: StepOfTurn | null): Promise<ValidateResult> {
  const { hostId, baseSha } = run.open;
  const place = run.nextPlace();
  const commit = run.head;
  const { round } = run.facts;
  const commands = run.policy.validationCommands;
  const what =
    commands === 0 ? 'no validation command is configured' : `${commands} command(s) on ${commit.slice(0, 12)}`;
  run.journal.note('validation.started', what, { commit, round, commands });
  run.presenter.show();
  const checked = { place, run: run.ref, stage, checks: 'validation', round, commit, baseSha } as const;
  const input = step === null ? checked : { ...checked, step };
  const summary = `${stage} · ${commands} command(s)`;
  const host = validationHost(hostId, run.policy);
  const result = await run.journal.carryBy((journal) =>
    host.validate.executeWithOptions({ summary }, [{ ...input, journal }]),
  );
  run.journal.observe(result.observations);
  const { outcome, tree, checks } = result;
  run.facts.validation = outcome.kind;
  run.facts.evidence.validation = commit;
  run.facts.checked = { tree, checks, outcome: outcome.kind, at: new Date().toISOString() };
  run.facts.context = {
    ...run.facts.context,
    validation: result.report,
    validationOutput: result.output,
  };
  return result;
}

function endingOf(run: RunState, outcome: ValidationOutcome): Ending | null {
  if (outcome.kind === 'unavailable') return blocked('validation_unavailable', outcome.why);
  if (outcome.kind !== 'failed' || run.policy.onValidationFailure === 'review' || canFix(run.policy)) return null;
  return blocked('validation_failed', outcome.why);
}

/** Under which policy a step works: that of its stage, with the model of its verb and the limits of a step. Source: S-63, S-65, S-66, S-76. */
import { log } from '@temporalio/activity';
import { messageOf } from '../../config/system/error-code.js';
import type { StepVerb } from '../../protocol/admission/plan-steps.js';
import { type ExecutePolicy, MAX_STEP_PROMPT_BYTES } from '../../protocol/run/execute-policy.js';
import type { TurnStage } from '../../protocol/run/stages.js';
import { readRef } from '../git/refs/read-ref.js';
import { resolveRunPolicy } from '../policy/resolve-run-policy.js';
import type { HostDeps } from '../unit/host-deps.js';
import { type PlaceFolder, readMark, writePlaceMark } from '../unit/place-record.js';
import type { RunOnHost } from '../unit/run-record.js';

const MODEL_FILE = 'step-model.json';

interface StepAt {
  readonly place: PlaceFolder;
  readonly stage: TurnStage;
  readonly verb: StepVerb;
}

/** The run as a turn of that step sees it. Idempotency: by place, whatever the config says meanwhile. */
export async function underStepPolicy(deps: HostDeps, run: RunOnHost, at: StepAt): Promise<RunOnHost> {
  const { policy } = run.record;
  const own = policy.stagePolicies[at.stage];
  const stagePolicy = {
    ...own,
    model: (await modelOf(deps, run, at)) ?? own.model,
    timeoutMs: Math.min(own.timeoutMs, policy.execute.stepTimeoutMs),
    contextBytes: Math.min(own.contextBytes, MAX_STEP_PROMPT_BYTES),
  };
  const stagePolicies = { ...policy.stagePolicies, [at.stage]: stagePolicy };
  return { ...run, record: { ...run.record, policy: { ...policy, stagePolicies } } };
}

/** Kept before the agent is started with it. */
async function modelOf(deps: HostDeps, run: RunOnHost, { place, verb }: StepAt): Promise<string | null> {
  const kept = readMark<string | null>(place, MODEL_FILE);
  if (kept.kind === 'answer') return kept.value;
  const model = (await modelsInForce(deps, run))[verb] ?? null;
  writePlaceMark<string | null>(place, MODEL_FILE, model);
  return model;
}

/** What the config says now, read as for a new run of the task. One that is broken, or not trusted any more, changes nothing. */
async function modelsInForce(deps: HostDeps, { record }: RunOnHost): Promise<ExecutePolicy['stepModelByVerb']> {
  const { repository, baseBranch, baseSha, input, runId } = record;
  try {
    const tip = await readRef(repository.commonDir, `refs/heads/${baseBranch}`);
    const { policy } = await resolveRunPolicy(deps, { run: input, repository, baseSha: tip ?? baseSha });
    return policy.execute.stepModelByVerb;
  } catch (error) {
    log.warn('the config that is in force cannot be read; the step has the model that its run began with', {
      runId,
      error: messageOf(error),
    });
    return record.policy.execute.stepModelByVerb;
  }
}

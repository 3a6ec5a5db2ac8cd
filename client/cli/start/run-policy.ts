/**
 * The part of `sluice run`'s options that is policy, in the shape of a config file. Pure: each value is checked here, so that the refusal names
 * the option as it was typed; what a layer may change is decided where the policy is resolved.
 */
import { MAX_ROUNDS } from '../../../protocol/limits.js';
import { PERMISSION_MODES, type PermissionMode } from '../../../protocol/run/policy.js';
import { STAGES, type Stage } from '../../../protocol/run/stages.js';
import { foreign } from '../terminal/io.js';
import { checkStages, type RunOptions, refusal } from './run-arguments.js';

type PolicyOptions = Pick<RunOptions, 'agent' | 'stages' | 'rounds' | 'gate' | 'unattended' | 'permissions' | 'hold'>;

/** Empty where no option names a policy. Errors: RefusedError for a value that is none. */
export function policyOf(options: PolicyOptions): Readonly<Record<string, unknown>> {
  const stageList = checkStages(options.stages);
  const rounds = checkRounds(options.rounds);
  const gates = checkGates(options.gate ?? []);
  const permissions = checkPermissions(options.permissions);
  return {
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    ...(stageList === undefined ? {} : { stageList }),
    ...(rounds === undefined ? {} : { rounds }),
    ...(gates.length === 0 ? {} : { gates: { stages: gates } }),
    ...(permissions === undefined ? {} : { permissions }),
    ...(options.hold === true ? { holdAtCompletion: true } : {}),
    ...(options.unattended === true ? { attended: false } : {}),
  };
}

function checkRounds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rounds = Number(text);
  if (/^\d+$/.test(text) && rounds <= MAX_ROUNDS) return rounds;
  throw refusal(
    `--rounds is "${foreign(text).slice(0, 60)}"`,
    `it must be an integer from 0 to ${MAX_ROUNDS}`,
    'sluice run "<task>" --rounds 2',
  );
}

function checkGates(names: readonly string[]): readonly Stage[] {
  return names.map((name) => {
    const stage = STAGES.find((known) => known === name);
    if (stage !== undefined) return stage;
    throw refusal(
      `--gate is "${foreign(name).slice(0, 60)}"`,
      `it must be one of ${STAGES.join(', ')}; before the end waits --hold`,
      'sluice run "<task>" --gate executing',
    );
  });
}

function checkPermissions(text: string | undefined): PermissionMode | undefined {
  if (text === undefined) return undefined;
  const mode = PERMISSION_MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw refusal(
    `--permissions is "${foreign(text).slice(0, 60)}"`,
    `it must be one of ${PERMISSION_MODES.join(', ')}`,
    'sluice run "<task>" --permissions accept-edits',
  );
}

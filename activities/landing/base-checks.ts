/**
 * What is checked of what lands on a commit of a base: commands and set-up of that commit's own config, under the user's, as of a run that opens there. Where it has none, what the
 * run whose head lands was opened with.
 */
import type { HoldOfHost } from '../../protocol/actors/merge-queue.js';
import type { LandingEvidence } from '../../protocol/run/landing-policy.js';
import { captureEnvironment } from '../agent/environment/environment.js';
import { resolveBasePolicy } from '../policy/resolve-run-policy.js';
import { chooseSandbox } from '../sandbox/choose-sandbox.js';
import { hiddenPlaces } from '../sandbox/enter-sandbox.js';
import type { Workplace } from '../unit/workplace.js';
import { landingOf } from './find-base.js';
import type { AtQueue } from './queue-place.js';

export interface BaseChecks {
  readonly kind: 'checks';
  /** The queue's, with what its checks of this base work with. */
  readonly workplace: Workplace;
  readonly evidence: LandingEvidence;
}

/** Errors: BadConfig where the config cannot be read, or requires a sandbox and there is none. */
export async function findBaseChecks(
  { deps, run, workplace }: AtQueue,
  { branch, on }: { readonly branch: string; readonly on: string },
): Promise<BaseChecks | ({ readonly kind: 'held' } & HoldOfHost)> {
  const { record } = run;
  const { repository } = record;
  const policy = await resolveBasePolicy(deps, { repository, baseSha: on });
  if (policy === null) return { kind: 'checks', workplace, evidence: landingOf(record).evidence };
  if ('kind' in policy) {
    const why = `the config of ${branch} at ${on.slice(0, 12)} starts programs, and nobody trusted it: sluice trust --at ${on.slice(0, 12)}`;
    return { kind: 'held', reason: 'config_not_trusted', why };
  }
  const env = captureEnvironment(deps.environment);
  // Checks run what the agents of that run wrote, so never more open than these; and where it was outside, as it would be under this config now.
  const sandbox =
    record.sandbox.kind === 'inside'
      ? record.sandbox
      : await chooseSandbox({
          policy: { ...record.policy, sandbox: policy.sandbox },
          env,
          forbidden: [repository.root],
          hidden: hiddenPlaces(deps.home.root, { repository }),
        });
  return { kind: 'checks', workplace: { ...workplace, policy, sandbox, env }, evidence: policy.landing.evidence };
}

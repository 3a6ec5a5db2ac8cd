/**
 * What the product relies on of a forge, each shown by the product's own activities: the same for the fake one of the tests and for a real one, so that the fake is held to what the real is
 * held to. Each step leaves the repository as it was.
 */
import { messageOf } from '../../config/system/error-code.js';
import type { CheckStep } from './check-step.js';
import { CheckWorld } from './check-world.js';
import type { WhichForge } from './host-on-forge.js';
import { GIT_STEPS } from './steps-git.js';
import { MERGE_STEPS } from './steps-merge.js';
import { PULL_STEPS } from './steps-pull.js';

export type StepVerdict = { readonly kind: 'held' } | { readonly kind: 'not tried' | 'fell'; readonly why: string };

export const CHECK_STEPS: readonly CheckStep[] = [...GIT_STEPS, ...PULL_STEPS, ...MERGE_STEPS];

export async function tryStep(
  which: WhichForge,
  { work, landing, environment, isBare }: CheckStep,
): Promise<StepVerdict> {
  try {
    const why = await CheckWorld.within(
      { ...which, environment: environment ?? which.environment },
      { ...(landing === undefined ? {} : { landing }), isBare: isBare === true },
      work,
    );
    return typeof why === 'string' ? { kind: 'not tried', why } : { kind: 'held' };
  } catch (error) {
    return { kind: 'fell', why: messageOf(error) };
  }
}

/** One thing that the product relies on of a forge. */
import type { LandingPolicy } from '../../protocol/run/landing-policy.js';
import type { CheckWorld } from './check-world.js';
import type { WhichForge } from './host-on-forge.js';

export interface CheckStep {
  /** A sentence that holds. */
  readonly name: string;
  readonly landing?: Partial<LandingPolicy>;
  /** In the place of what finds the token. */
  readonly environment?: WhichForge['environment'];
  /** Nothing is made there before. */
  readonly isBare?: true;
  /** A text: why it could not be tried there. Errors: it does not hold. */
  work(world: CheckWorld): Promise<string | null | void>;
}

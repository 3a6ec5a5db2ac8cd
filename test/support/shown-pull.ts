/** A landing whose head is shown by a draft pull request that people merge, by its table alone. */
import type { PullState } from '../../protocol/actors/forge.js';
import { DEFAULT_LANDING } from '../../protocol/run/landing-policy.js';
import { TERMS, unasked, type World } from './landing-world.js';
import { PULL } from './pull-world.js';

export const SHOWN_PULL: PullState = { ...PULL, isDraft: true };

/** What a look at it shows. */
export function seen(part: Partial<PullState> = {}) {
  return { kind: 'pulled', result: { kind: 'pull', pull: { ...SHOWN_PULL, ...part } } } as const;
}

/** It was looked at once. */
export function shownByPull(): World {
  const forge = { repo: 'acme/shop', checksTimeoutMs: 3_600_000, reactRounds: 0 };
  const world = unasked({ ...TERMS, forge, landing: { ...DEFAULT_LANDING, mode: 'pr' } });
  world.tell({ kind: 'ensured', result: { ...SHOWN_PULL, kind: 'pull' } });
  world.tell(seen());
  return world;
}

/** A landing by its table alone that a pull request shows, and what each look at that answers. */
import type { EnsurePullResult, LookAtPullResult, PullState } from '../../protocol/actors/forge.js';
import type { LandingTerms } from '../../protocol/actors/landing.js';
import { DEFAULT_LANDING, type LandingMode } from '../../protocol/run/landing-policy.js';
import { MINUTE_MS, SOURCE, TERMS, unasked, type World } from './landing-world.js';

export const HOUR_MS = 60 * MINUTE_MS;
/** A commit that somebody else made. */
export const OTHERS = 'e'.repeat(40);
const FORGE = { repo: 'acme/shop', checksTimeoutMs: HOUR_MS, reactRounds: 2 };

export function termsOf(mode: LandingMode): LandingTerms {
  return { ...TERMS, forge: FORGE, canFix: true, landing: { ...DEFAULT_LANDING, mode } };
}

export const PULL: PullState = {
  number: 7,
  url: 'https://forge/acme/shop/pull/7',
  state: 'open',
  isDraft: false,
  head: SOURCE.head,
  base: 'main',
  mergeable: 'yes',
  review: 'none',
  lacksReview: false,
  queue: 'off',
  hasRules: false,
  checks: { state: 'passed', names: [] },
  mergeCommit: null,
  updatedAt: new Date(0).toISOString(),
};

export function ensured(part: Partial<Extract<EnsurePullResult, { kind: 'pull' }>> = {}) {
  const { number, url, state, updatedAt } = PULL;
  const result = { kind: 'pull', number, url, head: SOURCE.head, state, isDraft: true, updatedAt, ...part } as const;
  return { kind: 'ensured', result } as const;
}

export function pulled(part: Partial<PullState> = {}): { kind: 'pulled'; result: LookAtPullResult } {
  return { kind: 'pulled', result: { kind: 'pull', pull: { ...PULL, ...part } } };
}

/** It is shown, and looked at. */
export function shown(mode: LandingMode, seen: Partial<PullState> = {}): World {
  const world = unasked(termsOf(mode));
  world.tell(ensured({ isDraft: mode === 'pr' }));
  world.tell(pulled({ isDraft: mode === 'pr', ...seen }));
  return world;
}

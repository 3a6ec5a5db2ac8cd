/**
 * What `sluice doctor` asks of a forge, and what it is told: one JSON value each, between the command line, which reads no token, and `activities/forge/doctor/main.ts`.
 */
import type { LandingMethod } from '../run/landing-policy.js';
import type { ForgeTrouble } from './forge.js';

export interface ForgeQuestion {
  readonly apiUrl: string;
  /** `owner/name`. */
  readonly repo: string;
  /** Null: its default branch. */
  readonly branch: string | null;
  /** Absolute folders in which no program is looked for. */
  readonly forbidden: readonly string[];
}

export interface ForgeReport {
  /** Where the token was found; null: it has none. */
  readonly tokenSource: string | null;
  /** Of a classic token; null: a fine-grained one, or one of an app, which tells none. */
  readonly scopes: readonly string[] | null;
  readonly said: ForgeTrouble | ForgeSays;
}

export interface ForgeSays {
  readonly kind: 'said';
  /** `owner/name`, as it is now. */
  readonly repo: string;
  readonly isArchived: boolean;
  /** Of the account of the token. */
  readonly mayPush: boolean;
  /** How the forge merges there. */
  readonly methods: readonly LandingMethod[];
  readonly branch: string;
  /** Null: there is no such branch. */
  readonly rules: BaseRules | null;
}

export interface BaseRules {
  /** Any at all: only the forge moves it then. */
  readonly isProtected: boolean;
  readonly requiredChecks: readonly string[];
  readonly approvals: number;
  readonly isLinear: boolean;
  readonly isSigned: boolean;
  readonly hasQueue: boolean;
}

/** The config keys of landing. They are of the run whose head lands: what it was opened with counts. */
import {
  DEFAULT_LANDING,
  LANDING_METHODS,
  LANDING_MODES,
  LANDING_NEEDS,
  ON_CONFLICT,
} from '../../protocol/run/landing-policy.js';
import { inOrder, row } from './key-table.js';
import { duration, integer, oneOf } from './key-values.js';

const DAY = 24 * 60 * 60 * 1000;

export const LANDING_KEYS = {
  'landing.mode': row({
    at: 'landing.mode',
    schema: oneOf(LANDING_MODES),
    type: LANDING_MODES.map((mode) => `\`${mode}\``).join(', '),
    fallback: DEFAULT_LANDING.mode,
    meaning: 'nothing of the run lands, it lands when a person says `sluice land`, or as soon as it is merge_ready',
    merge: 'stricter',
    allows: inOrder(LANDING_MODES),
  }),
  'landing.needs': row({
    at: 'landing.needs',
    schema: oneOf(LANDING_NEEDS),
    type: LANDING_NEEDS.map((needs) => `\`${needs}\``).join(' or '),
    fallback: DEFAULT_LANDING.needs,
    meaning:
      'what a head needs to land unasked: the verdict `verified`, or green checks of its tree; else a person is asked',
    merge: 'stricter',
    allows: inOrder(LANDING_NEEDS),
  }),
  'landing.attempts': row({
    at: 'landing.attempts',
    schema: integer(1, 20),
    type: '1 to 20',
    fallback: DEFAULT_LANDING.attempts,
    meaning: 'how often a merge that conflicts or is red is tried before anything else is done about it',
  }),
  'landing.retryWait': row({
    at: 'landing.retryWaitMs',
    schema: duration(100, DAY),
    type: 'duration',
    fallback: DEFAULT_LANDING.retryWaitMs,
    unit: 'duration',
    meaning: 'how long it waits before the second attempt; doubled each time, at most 5m',
  }),
  'landing.method': row({
    at: 'landing.method',
    schema: oneOf(LANDING_METHODS),
    type: LANDING_METHODS.map((method) => `\`${method}\``).join(' or '),
    fallback: DEFAULT_LANDING.method,
    meaning: 'a head lands by a merge commit, or as it is where it is one commit on the base; or always as one commit',
  }),
  'landing.conflict': row({
    at: 'landing.conflict',
    schema: oneOf(ON_CONFLICT),
    type: ON_CONFLICT.map((word) => `\`${word}\``).join(', '),
    fallback: DEFAULT_LANDING.conflict,
    meaning:
      'what follows a conflict once the attempts are used: a person is asked, an agent merges both sides, or the task is done anew on the base; after three repairs, and where the stages have no fixing, a person is asked',
    merge: 'stricter',
    allows: inOrder(ON_CONFLICT),
  }),
} as const;

/** The config keys of landing. They are of the run whose head lands: what it was opened with counts; but what is checked, and how, is of the base's own config. */
import {
  DEFAULT_LANDING,
  LANDING_EVIDENCE,
  LANDING_METHODS,
  LANDING_MODES,
  LANDING_NEEDS,
  ON_CONFLICT,
  TITLE_FIELDS,
} from '../../protocol/run/landing-policy.js';
import { inOrder, row } from './key-table.js';
import { commandLines, duration, integer, oneLine, oneOf } from './key-values.js';

const DAY = 24 * 60 * 60 * 1000;

export const LANDING_KEYS = {
  'landing.mode': row({
    at: 'landing.mode',
    schema: oneOf(LANDING_MODES),
    type: LANDING_MODES.map((mode) => `\`${mode}\``).join(', '),
    fallback: DEFAULT_LANDING.mode,
    fallbackText: '`pr` with `forge.repo`, else `manual`',
    meaning:
      'nothing of the run lands, somebody else merges it and it is said when, it lands when a person says `sluice land`, it is shown as a draft pull request of the forge, or it lands as soon as it is merge_ready',
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
    type: LANDING_METHODS.map((method) => `\`${method}\``).join(', '),
    fallback: DEFAULT_LANDING.method,
    meaning:
      'a head lands by a merge commit, or as it is where it is one commit on the base; always as one commit; or by its commits one after the other on the base, as one where that cannot be',
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
  'landing.required': row({
    at: 'landing.required',
    schema: commandLines,
    type: 'list of command lines',
    fallback: DEFAULT_LANDING.required,
    meaning:
      'run beside `validation.commands` on what lands, as merged; all must pass. The config of the base counts, at the commit that is landed on',
    scope: 'files',
    executes: true,
  }),
  'landing.evidence': row({
    at: 'landing.evidence',
    schema: oneOf(LANDING_EVIDENCE),
    type: LANDING_EVIDENCE.map((word) => `\`${word}\``).join(' or '),
    fallback: DEFAULT_LANDING.evidence,
    meaning:
      'green checks of the last 24 hours count for the same tree, or only where it is made on the same commit too. The config of the base counts',
    merge: 'stricter',
    allows: inOrder(LANDING_EVIDENCE),
  }),
  'landing.title': row({
    at: 'landing.title',
    schema: oneLine(TITLE_FIELDS),
    type: `text with ${TITLE_FIELDS.map((field) => `\`{${field}}\``).join(', ')}`,
    fallbackText: '`Merge <branch> into <base>`; with `squash` the title of the task',
    meaning:
      'title of the merge or squash commit, and of the pull request when it is made: `{id}` is the run that was asked for, `{run}` that whose head lands',
  }),
} as const;

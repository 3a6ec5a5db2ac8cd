/** The config keys of a backlog. Those of its repository count whenever a task is taken in. */
import { z } from 'zod';
import { isProject, PROJECT_RULE } from '../../protocol/actors/project.js';
import {
  BACKLOG_GATES,
  CONFLICTS,
  DEFAULT_BACKLOG,
  MAX_CONCURRENT,
  ORDERS,
  SLOT_ENDS,
  STARTS_FROM,
} from '../../protocol/run/backlog-policy.js';
import { row } from './key-table.js';
import { integer, oneOf } from './key-values.js';

const PREFIX = /^(?=.{1,60}$)(?:[A-Za-z0-9][A-Za-z0-9_-]*\/)+$/;

const PREFIX_RULE = 'names of letters, digits, _ and -, each followed by a slash, of at most 60 characters';

const MAX_PARKED_DAYS = 365;

export const BACKLOG_KEYS = {
  'project.name': row({
    at: 'project.name',
    schema: z
      .string({ error: `must be a name: ${PROJECT_RULE}` })
      .refine(isProject, { error: `must be ${PROJECT_RULE}` }),
    type: 'name',
    fallbackText: "the name of the repository's folder",
    meaning: 'what its backlog is called, and begins the ids of its runs; two repositories of one name have one each',
    scope: 'files',
  }),
  'branch.prefix': row({
    at: 'branch.prefix',
    schema: z
      .string({ error: `must be a text like sluice/: ${PREFIX_RULE}` })
      .refine((text) => PREFIX.test(text), { error: `must be ${PREFIX_RULE}` }),
    type: 'text',
    fallback: 'sluice/',
    meaning: 'what the branches of the tasks of its backlog begin with: `<prefix>task-<n>-<words>`',
    scope: 'files',
  }),
  'backlog.maxConcurrent': row({
    at: 'backlog.maxConcurrent',
    schema: integer(1, MAX_CONCURRENT),
    type: `1 to ${MAX_CONCURRENT}`,
    fallback: DEFAULT_BACKLOG.maxConcurrent,
    meaning: 'how many tasks of its backlog run at once',
    scope: 'files',
  }),
  'backlog.order': row({
    at: 'backlog.order',
    schema: oneOf(ORDERS),
    type: ORDERS.map((order) => `\`${order}\``).join(' or '),
    fallback: DEFAULT_BACKLOG.order,
    meaning:
      'which task starts next: the one that could start first; before that the one of the higher priority, or of the person who has the fewest at work',
    scope: 'files',
  }),
  'backlog.conflicts': row({
    at: 'backlog.conflicts',
    schema: oneOf(CONFLICTS),
    type: CONFLICTS.map((one) => `\`${one}\``).join(' or '),
    fallback: DEFAULT_BACKLOG.conflicts,
    meaning: 'what is done with tasks that say that they touch one file: people are told, or they never run at once',
    scope: 'files',
  }),
  'backlog.from': row({
    at: 'backlog.from',
    schema: oneOf(STARTS_FROM),
    type: STARTS_FROM.map((one) => `\`${one}\``).join(' or '),
    fallback: DEFAULT_BACKLOG.from,
    meaning:
      'where the run of a task begins: behind what is checked and waits for its base to be free, so that tasks build on each other while you have the base checked out; or at the base as it is',
    scope: 'files',
  }),
  'backlog.parkedDays': row({
    at: 'backlog.parkedDays',
    schema: integer(1, MAX_PARKED_DAYS),
    type: `1 to ${MAX_PARKED_DAYS}`,
    fallback: DEFAULT_BACKLOG.parkedDays,
    meaning: 'how long a parked task waits for somebody who takes it up; then it is closed, and its branch stays',
    scope: 'files',
  }),
  'backlog.gate': row({
    at: 'backlog.gate',
    schema: oneOf(BACKLOG_GATES),
    type: BACKLOG_GATES.map((gate) => `\`${gate}\``).join(' or '),
    fallback: DEFAULT_BACKLOG.gate,
    meaning: 'whether a person must say that a task may start: `sluice task approve`',
    scope: 'files',
  }),
  'backlog.slotUntil': row({
    at: 'backlog.slotUntil',
    schema: oneOf(SLOT_ENDS),
    type: SLOT_ENDS.map((end) => `\`${end}\``).join(', '),
    fallback: DEFAULT_BACKLOG.slotUntil,
    meaning:
      'how long a task holds its slot: until its run has ended; only while its change is made, not while that is judged; or until that is ready or on its base. A task that waits for a person, or is paused, holds none',
    scope: 'files',
  }),
} as const;

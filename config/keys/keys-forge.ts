/** The config keys of the forge. Whoever writes them decides where the change goes and who gets the token: a project's file needs trust. */
import { z } from 'zod';
import { DEFAULT_FORGE, FORGE_KINDS } from '../../protocol/run/forge-policy.js';
import { forgeAddress, isForgeRepository } from './forge-address.js';
import { row } from './key-table.js';
import { duration, integer, oneOf } from './key-values.js';

const MINUTE = 60_000;

const MAX_LABELS = 20;

const MAX_REACT_ROUNDS = 10;

const LABELS = `must be a list of at most ${MAX_LABELS} labels of 1 to 50 characters in one line`;

const label = z.string({ error: LABELS }).regex(/^(?=.*\S)[^\p{Cc}\p{Cf},]{1,50}$/u, { error: LABELS });

export const FORGE_KEYS = {
  'forge.kind': row({
    at: 'forge.kind',
    schema: oneOf(FORGE_KINDS),
    type: FORGE_KINDS.map((kind) => `\`${kind}\``).join(' or '),
    fallback: DEFAULT_FORGE.kind,
    meaning: 'what kind of forge holds the repository',
    scope: 'files',
    executes: true,
  }),
  'forge.repo': row({
    at: 'forge.repo',
    schema: z
      .string({ error: 'must be owner/name' })
      .refine(isForgeRepository, { error: 'must be owner/name, as the forge has it' }),
    type: '`owner/name`',
    fallbackText: 'none: there is no forge',
    meaning: 'the repository on the forge',
    scope: 'files',
    executes: true,
  }),
  'forge.apiUrl': row({
    at: 'forge.apiUrl',
    schema: z.string({ error: 'must be an address' }).refine((text) => forgeAddress(text) !== null, {
      error: "must be https://api.<host>, or https://<host>/api/v3 of a forge of one's own",
    }),
    type: 'address',
    fallback: DEFAULT_FORGE.apiUrl,
    meaning: "the address of the forge's API, which gets the token",
    scope: 'files',
    executes: true,
  }),
  'landing.labels': row({
    at: 'forge.labels',
    schema: z.array(label, { error: LABELS }).max(MAX_LABELS, { error: LABELS }).readonly(),
    type: 'list of labels',
    fallback: DEFAULT_FORGE.labels,
    fallbackText: 'none',
    meaning: 'added to each pull request; none is ever taken away',
    merge: 'union',
  }),
  'landing.checksTimeout': row({
    at: 'forge.checksTimeoutMs',
    schema: duration(MINUTE, 24 * 60 * MINUTE),
    type: 'duration',
    fallback: DEFAULT_FORGE.checksTimeoutMs,
    unit: 'duration',
    meaning: 'how long required checks of the forge may be pending before they are timed out',
  }),
  'landing.reactRounds': row({
    at: 'forge.reactRounds',
    schema: integer(0, MAX_REACT_ROUNDS),
    type: '0 to 10',
    fallback: DEFAULT_FORGE.reactRounds,
    meaning:
      'how many runs repair what a review of the pull request asks for or its required checks show before a person is asked',
  }),
} as const;

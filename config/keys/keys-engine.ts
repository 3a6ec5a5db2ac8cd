/** The config keys of this host: its local engine, its worker, its page. From a person's own file alone. */
import { availableParallelism } from 'node:os';
import { ENGINE_PORTS } from '../../protocol/names.js';
import { engineWebhook } from './engine-webhook.js';
import { row } from './key-table.js';
import { hostNames, integer, oneOf } from './key-values.js';

export const ENGINE_KEYS = {
  'engine.durability': row({
    at: 'durability',
    schema: oneOf(['process', 'power']),
    type: '`process` or `power`',
    fallback: 'process',
    meaning: 'marks survive the death of every process, or a power cut as well',
    scope: 'user',
  }),
  'engine.ports.server': row({
    at: null,
    schema: integer(1024, 65_535),
    type: 'port',
    fallback: ENGINE_PORTS.server,
    meaning: 'of the local server, on loopback; the next free one if taken',
    scope: 'user',
  }),
  'engine.ports.ui': row({
    at: null,
    schema: integer(1024, 65_535),
    type: 'port',
    fallback: ENGINE_PORTS.ui,
    meaning: 'of the Web UI, on a loopback address that `sluice up` prints, only with `--ui`',
    scope: 'user',
  }),
  'engine.webhook': row({
    at: null,
    schema: engineWebhook,
    type: '`{port: number, secretEnv: NAME}`',
    fallbackText: 'off',
    meaning:
      'where the worker listens on loopback for the web hook of a forge, which only has pull requests looked at sooner; ' +
      "the worker's variable `secretEnv` has its secret",
    scope: 'user',
    // People write a secret where its name belongs.
    hides: (_, wrong) => wrong !== undefined && typeof wrong !== 'number',
  }),
  'web.hosts': row({
    at: null,
    schema: hostNames,
    type: 'list of host names',
    fallback: [],
    fallbackText: 'none',
    meaning:
      'names, each with its port where it has one, by which a tunnel of yours reaches the page of `sluice web`; by any other than its own address the page is not answered. ' +
      'A name other than `localhost` needs https: a browser lets the page work only so',
    scope: 'user',
  }),
  slots: row({
    at: null,
    schema: integer(1, 256),
    type: 'number',
    fallback: Math.max(4, availableParallelism()),
    fallbackText: 'max(4, cores)',
    meaning: 'turns and validations at once on this host',
    scope: 'user',
  }),
  askSlots: row({
    at: null,
    schema: integer(1, 64),
    type: 'number',
    fallback: 4,
    meaning: 'questions about tasks that wait to be let in at once on this host; they never wait behind turns',
    scope: 'user',
  }),
} as const;

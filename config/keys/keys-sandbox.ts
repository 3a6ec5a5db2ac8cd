/**
 * The config keys of the sandbox. A start input can only make it stricter; what opens it (hosts, folders) comes from files, and from a
 * project's file only if the person trusted it: a repository must not choose how far it is kept in.
 */
import { NETWORK_USES, SANDBOX_USES } from '../../protocol/run/policy.js';
import { inOrder, row } from './key-table.js';
import { homePaths, networkHosts, oneOf } from './key-values.js';

export const SANDBOX_KEYS = {
  sandbox: row({
    at: 'sandbox.use',
    schema: oneOf(SANDBOX_USES),
    type: '`required`, `auto` or `off`',
    fallback: 'auto',
    meaning:
      'keeps agents, set-up and validation commands inside their checkout (bubblewrap, Linux); `auto`: where it works and it is known of every ' +
      'agent of the run what it needs; `required`: or the run is refused; strictest first',
    merge: 'stricter',
    allows: inOrder(SANDBOX_USES),
    executes: true,
  }),
  network: row({
    at: 'sandbox.network',
    schema: oneOf(NETWORK_USES),
    type: '`off`, `proxy` or `on`',
    fallback: 'proxy',
    meaning:
      'what can be reached from inside the sandbox: nothing, the hosts of a list, or all that the host can; strictest first',
    merge: 'stricter',
    allows: inOrder(NETWORK_USES),
    executes: true,
  }),
  networkAllow: row({
    at: 'sandbox.allow',
    schema: networkHosts,
    type: 'list of `host`, `host:port` and `*.domain`',
    fallback: [],
    meaning:
      'hosts that `network: proxy` lets through beside package registries and those of the agents; port 443 where none is named, an address ' +
      'of this machine only by number and port; lists add up',
    scope: 'files',
    merge: 'union',
    executes: true,
  }),
  sandboxHome: row({
    at: 'sandbox.home',
    schema: homePaths,
    type: 'list of paths below HOME',
    fallback: [],
    meaning: 'what agents, set-up and validation commands may read and write below HOME, such as `.npm`; lists add up',
    scope: 'files',
    merge: 'union',
    executes: true,
  }),
} as const;

/** Wraps a program so that loopback is the only network it has: what a CLI calls beside its provider then fails instead of leaving the machine. */
import { spawnSync } from 'node:child_process';

export interface Wrapped {
  readonly argv: readonly [string, ...string[]];
  /** For people: what the program can reach. */
  readonly network: string;
}

/** Needs root, `unshare` and `ip`; without them the program is not wrapped, and `network` says so. */
export function withoutNetwork(argv: readonly [string, ...string[]]): Wrapped {
  const own = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'] as const;
  if (spawnSync(own[0], [...own.slice(1), 'true']).status !== 0)
    return { argv, network: "the machine's: a network namespace needs root, unshare and ip" };
  return { argv: [...own, ...argv], network: 'loopback only, in a namespace of its own' };
}

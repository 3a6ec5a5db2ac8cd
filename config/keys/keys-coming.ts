/**
 * Keys whose feature this version does not have. A value that changes nothing is accepted, so that a file in Vibestrate's
 * spelling parses; every other value is an error, because a key without effect would be a false promise.
 */
import type { ComingRow } from './key-table.js';

const coming = (meaning: string, inForce: readonly unknown[] = [], aliases: readonly string[] = []): ComingRow => ({
  meaning,
  inForce,
  aliases,
});

export const COMING_KEYS: Readonly<Record<string, ComingRow>> = {
  'recovery.push': coming("whether a run's commits are pushed as refs", ['off']),
  'limits.hostLost': coming('when a silent host is given up', ['off']),
};

/** Where a downloaded or built server binary is kept: one per pinned version and platform, shared by all homes of a user. */
import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { messageOf } from '../../../config/system/error-code.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { PINNED_CLI_VERSION } from './version.js';

export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  const base = environment['XDG_CACHE_HOME'];
  // The XDG specification tells to ignore a relative one.
  return join(base !== undefined && isAbsolute(base) ? base : join(homedir(), '.cache'), 'sluice');
}

/** Called `temporal` in a folder of its own, so that the folder can be put on PATH. */
export function cachedBinary(environment: NodeJS.ProcessEnv): string {
  return join(cacheFolder(environment), `${PINNED_CLI_VERSION}-${process.platform}-${process.arch}`, 'temporal');
}

/**
 * Whether nobody but this user can put another program there: what lies there is run. A folder that does not exist is no danger, nor is a
 * binary that a umask of 002 left writable for a group which cannot reach it.
 */
export function isPrivateCache(environment: NodeJS.ProcessEnv): boolean {
  const owner = process.getuid?.();
  const at = (path: string) => statSync(path, { throwIfNoEntry: false });
  const binary = at(cachedBinary(environment));
  const folders = [dirname(cachedBinary(environment)), cacheFolder(environment)]
    .map(at)
    .filter((stat) => stat !== undefined);
  if (owner === undefined) return true;
  if ([...folders, ...(binary === undefined ? [] : [binary])].some((stat) => stat.uid !== owner)) return false;
  if (folders.some(({ mode }) => (mode & 0o022) !== 0)) return false;
  const isReachable = folders.every(({ mode }) => (mode & 0o011) !== 0);
  return binary === undefined || (binary.mode & 0o022) === 0 || !isReachable;
}

/** Errors: RefusedError. */
export function makeCacheFolder(environment: NodeJS.ProcessEnv): string {
  const folder = cacheFolder(environment);
  try {
    mkdirSync(dirname(cachedBinary(environment)), { recursive: true, mode: 0o700 });
    return folder;
  } catch (error) {
    throw new RefusedError(
      {
        what: `The cache folder ${folder} cannot be made: ${messageOf(error)}.`,
        why: 'The server binary (138 MB) is kept there.',
        now: 'Nothing was started.',
        mend: 'Make it writable, or name a binary that you have: export SLUICE_TEMPORAL_CLI=<path of temporal>',
      },
      { cause: error },
    );
  }
}

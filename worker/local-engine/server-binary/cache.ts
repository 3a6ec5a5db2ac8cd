/** Where a downloaded or built server binary is kept: one per pinned version and platform, shared by all homes of a user. */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { EngineError, reasonOf } from '../engine-error.js';
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

/** Errors: EngineError. */
export function makeCacheFolder(environment: NodeJS.ProcessEnv): string {
  const folder = cacheFolder(environment);
  try {
    mkdirSync(dirname(cachedBinary(environment)), { recursive: true, mode: 0o700 });
    return folder;
  } catch (error) {
    throw new EngineError(
      {
        what: `The cache folder ${folder} cannot be made: ${reasonOf(error)}.`,
        why: 'The server binary (138 MB) is kept there.',
        now: 'Nothing was started.',
        mend: 'Make it writable, or name a binary that you have: export SLUICE_TEMPORAL_CLI=<path of temporal>',
      },
      { cause: error },
    );
  }
}

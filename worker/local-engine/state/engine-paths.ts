/**
 * Where the local engine keeps its things in a sluice home.
 * It promises no folder before `makeEngineFolders` ran.
 */
import { join } from 'node:path';
import { makeFolder } from '../../../config/home/make-folder.js';
import { openSocketFolder, socketFolder } from '../../../config/home/socket-folder.js';
import { messageOf } from '../../../config/system/error-code.js';
import { realPathOr } from '../../../config/system/paths.js';
import { systemTrouble } from '../../../config/system/system-trouble.js';
import { RefusedError } from '../../../protocol/text/refusal.js';

export interface EnginePaths {
  readonly home: string;
  readonly socket: string;
  /** Where the worker makes the calls of the command line. */
  readonly calls: string;
  readonly lock: string;
  readonly state: string;
  /** Where it listened last. */
  readonly address: string;
  readonly database: string;
  /** While the database is being made, or where that was cut short. */
  readonly databaseMark: string;
  readonly logs: string;
  readonly engineLog: string;
  readonly serverLog: string;
  readonly workerLog: string;
}

/** Pure but for the home's real path, so it can be asked for a home that does not exist. */
export function enginePaths(home: string): EnginePaths {
  const real = realPathOr(home);
  const logs = join(real, 'logs');
  return {
    home: real,
    socket: join(socketFolder(real), 'engine.sock'),
    calls: join(socketFolder(real), 'calls.sock'),
    lock: join(real, 'engine.lock'),
    state: join(real, 'engine.json'),
    address: join(real, 'address.json'),
    database: join(real, 'temporal.db'),
    databaseMark: join(real, 'temporal.db.making'),
    logs,
    engineLog: join(logs, 'engine.log'),
    serverLog: join(logs, 'server.log'),
    workerLog: join(logs, 'worker.log'),
  };
}

/** Effects: makes home, logs and the socket's folder, readable by their owner only. Errors: RefusedError. */
export function makeEngineFolders(home: string): EnginePaths {
  try {
    openSocketFolder(home);
    const paths = enginePaths(home);
    makeFolder(paths.logs);
    return paths;
  } catch (error) {
    const trouble = systemTrouble(error, home);
    throw new RefusedError(
      {
        what: `The sluice home ${home} cannot be written: ${messageOf(error)}.`,
        why: `The engine keeps its database, logs and socket there${trouble === null ? '' : `; ${trouble.short}`}.`,
        now: 'Nothing was started.',
        mend: trouble?.mend ?? 'Make it writable, or choose another: export SLUICE_HOME=<a folder of your own>',
      },
      { cause: error },
    );
  }
}

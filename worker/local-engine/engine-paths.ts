/**
 * Where the local engine keeps its things in a sluice home.
 * A socket path over the system's limit would be cut silently (Node 20) and meet another home's socket,
 * so a long home gets its socket in a short private folder of the temp directory.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { EngineError, reasonOf } from './engine-error.js';

export interface EnginePaths {
  readonly home: string;
  readonly socket: string;
  readonly lock: string;
  readonly state: string;
  readonly database: string;
  readonly logs: string;
  readonly engineLog: string;
  readonly serverLog: string;
  readonly workerLog: string;
}

/** macOS' limit is the smaller one: 104 with the end. */
const MAX_SOCKET_BYTES = 103;

/** Pure but for the home's real path, so it can be asked for a home that does not exist. */
export function enginePaths(home: string): EnginePaths {
  const real = realPathOr(home);
  const logs = join(real, 'logs');
  return {
    home: real,
    socket: socketPath(real),
    lock: join(real, 'engine.lock'),
    state: join(real, 'engine.json'),
    database: join(real, 'temporal.db'),
    logs,
    engineLog: join(logs, 'engine.log'),
    serverLog: join(logs, 'server.log'),
    workerLog: join(logs, 'worker.log'),
  };
}

/** Effects: makes home, logs and the socket's folder, readable by their owner only. Errors: EngineError. */
export function makeEngineFolders(home: string): EnginePaths {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const paths = enginePaths(home);
    mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
    const folder = join(paths.socket, '..');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (folder !== paths.home) requireOwn(folder);
    return paths;
  } catch (error) {
    throw new EngineError(
      {
        what: `The sluice home ${home} cannot be written: ${reasonOf(error)}.`,
        why: 'The engine keeps its database, logs and socket there.',
        now: 'Nothing was started.',
        mend: 'Make it writable, or choose another: export SLUICE_HOME=<a folder of your own>',
      },
      { cause: error },
    );
  }
}

function socketPath(home: string): string {
  const plain = join(home, 'engine.sock');
  if (Buffer.byteLength(plain) <= MAX_SOCKET_BYTES) return plain;
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  return join(tmpdir(), `sluice-${userInfo().uid}`, `${name}.sock`);
}

/** The temp directory is shared: a folder that somebody else made first is not ours. */
function requireOwn(folder: string): void {
  const info = lstatSync(folder);
  if (!info.isDirectory() || info.uid !== userInfo().uid || (info.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a private folder of this user`);
  }
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

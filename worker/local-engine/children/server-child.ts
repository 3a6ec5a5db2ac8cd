/** The development server as a child process, and the one setting that it takes only after its start. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { retentionArguments, type ServerSettings, serverArguments, serverEnvironment } from './server-command.js';

const RETENTION_TRIES = 20;
const RETENTION_PAUSE_MS = 100;

/**
 * It works in the folder of its database and is told the file's name alone: the server puts what it is told into a URI as it stands, where a `#`, a `?` or a
 * `%41` of the path above would lead elsewhere. Source: temporal, sqlite/plugin.go, buildDSN.
 */
export function spawnServer(binary: string, log: number, settings: ServerSettings): ChildProcess {
  const args = serverArguments({ ...settings, database: basename(settings.database) });
  const cwd = dirname(settings.database);
  return spawn(binary, args, { cwd, stdio: ['ignore', log, log], env: serverEnvironment(process.env) });
}

/** Returns when the server answered, which is later than its port. Effects: the namespace's retention, kept in its database. */
export async function setRetention(binary: string, address: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await promisify(execFile)(binary, retentionArguments(address), {
        env: serverEnvironment(process.env),
        timeout: 10_000,
      });
      return;
    } catch (error) {
      if (attempt === RETENTION_TRIES) throw new Error(`the server at ${address} does not answer`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, RETENTION_PAUSE_MS));
    }
  }
}

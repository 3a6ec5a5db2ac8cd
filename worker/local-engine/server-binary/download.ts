/**
 * The SDK's own download of the pinned server, in a process of its own so that a dead network costs DOWNLOAD_LIMIT_MS and no more.
 * What arrives is checked like any other binary and moved to the cache by rename. A failure is an outcome: there is still the build.
 */
import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { entryFile } from '../../../config/system/entries.js';
import { signalGroup } from '../../../config/system/send-signal.js';
import { spawnBound } from './go-build.js';
import { readVersion } from './version.js';

export const DOWNLOAD_LIMIT_MS = 10_000;

export interface Download {
  readonly folder: string;
  readonly target: string;
  /** Program and arguments; the folder to download into is appended. */
  readonly command?: readonly [string, ...string[]];
  readonly limitMs?: number;
}

const BEGUN = 'download-';

/** True if the target is there now. The caller holds the lock: what another began and left is removed. */
export async function downloadServer(download: Download): Promise<boolean> {
  for (const left of readdirSync(download.folder).filter((name) => name.startsWith(BEGUN)))
    rmSync(join(download.folder, left), { recursive: true, force: true });
  const temporary = mkdtempSync(join(download.folder, BEGUN));
  try {
    const [program, ...args] = download.command ?? [process.execPath, entryFile('server-download')];
    await runLimited([program, ...args, temporary], download.limitMs ?? DOWNLOAD_LIMIT_MS);
    const [name] = readdirSync(temporary).filter((entry) => !entry.includes('.download'));
    if (name === undefined) return false;
    const file = join(temporary, name);
    chmodSync(file, 0o700);
    if ((await readVersion(file)).kind !== 'right') return false;
    renameSync(file, download.target);
    return true;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function runLimited(command: readonly string[], limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    // A group of its own: the SDK starts what it downloaded, and that must end with it.
    const child = spawnBound(command, 'ignore');
    const end = () => signalGroup(child, 'SIGKILL');
    const limit = setTimeout(end, limitMs);
    const done = (): void => {
      clearTimeout(limit);
      end();
      resolve();
    };
    child.once('error', done);
    child.once('exit', done);
  });
}

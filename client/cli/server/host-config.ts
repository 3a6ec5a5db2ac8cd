/**
 * What the commands need of this host: its name, the repositories it serves, stored commands. A thin layer over config/, which is loaded
 * only by the commands that need it, so that help does not pay for YAML and schemas.
 */
import { readForeignFile, textOf } from '../../../config/system/foreign-file.js';
import { hostQueue } from '../../../protocol/names.js';
import type { Sluice } from '../../sluice.js';

/** Where runs lie when nobody says otherwise, and where the original has them (V-97). */
const RUNS_DIRS = ['.sluice/runs', '.vibestrate/runs'];

export async function sluiceHome(env: NodeJS.ProcessEnv): Promise<string> {
  const { homeRoot } = await import('../../../config/home/home.js');
  return homeRoot(env);
}

/** The repositories on this host's list; none where the list cannot be read. */
export async function knownRepositories(home: string): Promise<readonly string[]> {
  const { listRepositories } = await import('../../../config/home/host-list.js');
  try {
    return listRepositories(home);
  } catch {
    return [];
  }
}

/** Unit: bytes. A config that counts is far smaller. */
const MAX_LOOK_BYTES = 1024 * 1024;

/** Folders, relative to a repository, in which its runs may lie. Only looked at, so a config that is wrong is no error here. */
export async function runsDirsOf(root: string): Promise<readonly string[]> {
  const path = `${root}/.sluice/config.yaml`;
  // A link is a person's own way to keep a config elsewhere.
  const text = await readForeignFile(path, { maxBytes: MAX_LOOK_BYTES, links: 'followed' }).then(textOf, () => null);
  const named = /^(?:\s{2,})?runsDir:\s*["']?([^"'#\n]+?)["']?\s*(?:#.*)?$/m.exec(text ?? '')?.[1];
  return [...new Set([...(named === undefined || named.includes('..') ? [] : [named]), ...RUNS_DIRS])];
}

/** Effects: makes the home if needed, adds the repository to the host's list. */
export async function serveRepository(home: string, root: string): Promise<void> {
  const [{ ensureHome }, { addRepository }] = await Promise.all([
    import('../../../config/home/home.js'),
    import('../../../config/home/host-list.js'),
  ]);
  ensureHome(home);
  await addRepository(home, root);
}

/** Effects: stores the command in the home; only its hash travels. Errors: ConfigError for what is no program. */
export async function keepCommand(home: string, program: readonly [string, ...string[]]): Promise<string> {
  const { storeCommand } = await import('../../../config/home/command-store.js');
  return storeCommand(home, program);
}

/** Null where this home has no host yet. */
export async function readHostId(home: string): Promise<string | null> {
  const { homePaths } = await import('../../../config/home/home.js');
  const text = await readForeignFile(homePaths(home).hostId, { maxBytes: MAX_LOOK_BYTES }).then(textOf, () => null);
  return text === null || text.trim() === '' ? null : text.trim();
}

/** This host, where it works for that server; null leaves the choice to the run (`pickHost`). */
export async function hostIdFor(home: string, sluice: Sluice, isOwnEngine: boolean): Promise<string | null> {
  if (isOwnEngine) {
    const { readOrMakeHostId } = await import('../../../config/home/host-id.js');
    return readOrMakeHostId(home);
  }
  const hostId = await readHostId(home);
  if (hostId === null) return null;
  return (await sluice.pollers(hostQueue(hostId))).activity > 0 ? hostId : null;
}

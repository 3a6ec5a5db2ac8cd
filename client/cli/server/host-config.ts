/**
 * What the commands need of this host: its name, the repositories it serves, stored commands. A thin layer over config/, which is loaded
 * only by the commands that need it, so that help does not pay for YAML and schemas.
 */
import { readForeignFile, textOf } from '../../../config/system/foreign-file.js';
import { hostQueue } from '../../../protocol/names.js';
import type { Sluice } from '../../sluice.js';

/** Unit: bytes. */
const MAX_LOOK_BYTES = 1024 * 1024;

export async function sluiceHome(env: NodeJS.ProcessEnv): Promise<string> {
  const { homeRoot } = await import('../../../config/home/home.js');
  return homeRoot(env);
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

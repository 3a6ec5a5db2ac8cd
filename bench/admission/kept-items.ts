/**
 * Tasks that a host has taken in, as folders beside each other. They are made by the store that `admit` keeps them in, without the 10 000 Updates of as many creates: whoever compares reads
 * folders and asks no backlog.
 */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';
import { ItemStore, KEYS_FOLDER } from '../../activities/admission/number-item.js';
import { findRepository, repoKeyOf } from '../../activities/git/refs/find-repository.js';
import type { ItemRecord } from '../../activities/unit/item-record.js';
import { ensureHome } from '../../config/home/home.js';
import { makeFolder } from '../../config/home/make-folder.js';
import { noFailpoint } from '../../protocol/failpoints.js';
import type { Place } from '../backlog/backlog-place.js';

/** The folder of the items of a place. */
export async function itemsDirOf({ host }: Pick<Place, 'host'>): Promise<string> {
  const { commonDir } = await findRepository(host.repository);
  return ensureHome(host.home).itemsDir(repoKeyOf(host.hostId, commonDir));
}

/** Of one store: each looks for the highest number of its folder whenever a task is added, so that one of 10 000 takes half a minute. */
const AT_ONCE = 200;

/** One task for each text, numbered from 1, in a place that has none yet. */
export async function keepItems(place: Place, texts: readonly string[]): Promise<void> {
  const dir = await itemsDirOf(place);
  makeFolder(join(dir, KEYS_FOLDER));
  const part = join(dir, '.part');
  for (let from = 0; from < texts.length; from += AT_ONCE) {
    const store = await ItemStore.open(part, { durability: 'process', failpoint: noFailpoint });
    for (const [at, text] of texts.slice(from, from + AT_ONCE).entries())
      store.add(recordOf(place.backlog.project, { key: `kept ${from + at}`, text }), from);
    moveAll(join(part, KEYS_FOLDER), join(dir, KEYS_FOLDER));
    rmSync(join(part, KEYS_FOLDER), { recursive: true });
    moveAll(part, dir);
    // The empty activities of the baselines have their worker in this process.
    await otherWork();
  }
  rmSync(part, { recursive: true });
}

function moveAll(from: string, to: string): void {
  for (const name of readdirSync(from)) renameSync(join(from, name), join(to, name));
}

function recordOf(project: string, { key, text }: { readonly key: string; readonly text: string }): ItemRecord {
  return {
    version: 1,
    key,
    project,
    run: { task: text },
    priority: 0,
    gate: null,
    kind: 'change',
    dependsOn: [],
    files: [],
    admission: null,
    createdAt: new Date().toISOString(),
    by: 'ann',
  };
}

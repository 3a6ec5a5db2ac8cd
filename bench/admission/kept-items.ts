/**
 * Tasks that a host has taken in, as folders beside each other. They are made by the store that `admit` keeps them in, without the 10 000 Updates of as many creates: whoever compares reads
 * folders and asks no backlog.
 */
import { setImmediate as otherWork } from 'node:timers/promises';
import { ItemStore } from '../../activities/admission/number-item.js';
import { findRepository, repoKeyOf } from '../../activities/git/refs/find-repository.js';
import type { ItemRecord } from '../../activities/unit/item-record.js';
import { ensureHome } from '../../config/home/home.js';
import { noFailpoint } from '../../protocol/failpoints.js';
import type { Place } from '../backlog/backlog-place.js';

/** The folder of the items of a place. */
export async function itemsDirOf({ host }: Pick<Place, 'host'>): Promise<string> {
  const { commonDir } = await findRepository(host.repository);
  return ensureHome(host.home).itemsDir(repoKeyOf(host.hostId, commonDir));
}

/** One task for each text, numbered from 1. */
export async function keepItems(place: Place, texts: readonly string[]): Promise<void> {
  const store = new ItemStore(await itemsDirOf(place), { durability: 'process', failpoint: noFailpoint });
  for (const [at, text] of texts.entries()) {
    store.add(recordOf(place.backlog.project, { key: `kept ${at}`, text }), at);
    await otherWork();
  }
}

function recordOf(project: string, { key, text }: { readonly key: string; readonly text: string }): ItemRecord {
  return {
    ...{ version: 1, key, project, run: { task: text }, priority: 0, gate: null, kind: 'change' },
    ...{ dependsOn: [], files: [], createdAt: new Date().toISOString(), by: 'ann' },
  };
}

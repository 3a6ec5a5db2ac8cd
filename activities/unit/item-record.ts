/**
 * What a host keeps of an item: its text and what its runs are started with, below `<home>/items/<repoKey>/<id>/`. Workflows know of it by its hash, so that a text of thousands of
 * characters is in no history of an item or a run, and a record that somebody changed starts nothing.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { HomePaths } from '../../config/home/home.js';
import { bytesOf, readForeignFileSync } from '../../config/system/foreign-file.js';
import type { RunOfTask } from '../../protocol/actors/backlog.js';
import type { ItemAdmission } from '../../protocol/actors/item-admission.js';
import { isItemId } from '../../protocol/actors/item-id.js';
import type { TaskDedup } from '../../protocol/actors/task-dedup.js';
import type { TaskKind } from '../../protocol/actors/task-links.js';
import { mergeAnswers } from '../../protocol/admission/clarify-text.js';
import type { RunInput, RunItem } from '../../protocol/messages/messages.js';
import { parseRecord } from '../../protocol/text/json.js';
import { MAX_MARK_BYTES } from '../process/marks.js';
import { badInput } from './run-failures.js';

export const ITEM_RECORD_FILE = 'item.json';

export interface ItemRecord {
  readonly version: 1;
  /** Of whoever created it. */
  readonly key: string;
  readonly project: string;
  readonly run: RunOfTask;
  readonly priority: number;
  readonly gate: 'start' | null;
  readonly kind: TaskKind;
  /** Ids. */
  readonly dependsOn: readonly string[];
  readonly files: readonly string[];
  /** As the config said when it was taken in. Null: nothing is asked. */
  readonly admission: ItemAdmission | null;
  /** What came of comparing it; missing: it was not compared. */
  readonly dedup?: TaskDedup;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly by: string | null;
}

export interface KeptItem {
  readonly record: ItemRecord;
  /** SHA-256 of the file. */
  readonly hash: string;
}

/** Null: there is none, or no whole one. */
export function readItem(folder: string): KeptItem | null {
  const bytes = readBytes(folder);
  const record = bytes === null ? null : recordIn(bytes);
  return bytes === null || record === null ? null : { record, hash: hashOf(bytes) };
}

/** The same, for whoever reads ten thousand and asks for the hash of none. */
export function readItemRecord(folder: string): ItemRecord | null {
  const bytes = readBytes(folder);
  return bytes === null ? null : recordIn(bytes);
}

function readBytes(folder: string): Buffer | null {
  return bytesOf(readForeignFileSync(join(folder, ITEM_RECORD_FILE), { maxBytes: MAX_MARK_BYTES }));
}

/** Written by `admit` alone, below the sluice home; the version vouches for the shape. */
function recordIn(bytes: Buffer): ItemRecord | null {
  const record = parseRecord(bytes.toString('utf8'));
  return record?.['version'] === 1 ? (record as unknown as ItemRecord) : null;
}

export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What a run of an item is really started with. Errors: BadInput where this host has not the record that is meant. */
export function inputOfItem(home: HomePaths, { run, item, repoKey }: OfItem): RunInput {
  const kept = isItemId(item.id) ? readItem(join(home.itemsDir(repoKey), item.id)) : null;
  if (kept === null || kept.hash !== item.hash)
    throw badInput(
      'item',
      `the record of item ${JSON.stringify(item.id.slice(0, 20))} is not on this host as it was taken in`,
    );
  const { run: own } = kept.record;
  return { ...run, ...own, task: mergeAnswers(own.task, item.rounds ?? []) };
}

interface OfItem {
  readonly run: RunInput;
  readonly item: RunItem;
  readonly repoKey: string;
}

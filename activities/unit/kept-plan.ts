/** The plan of a task as its host keeps it, beside the task: by the hash of its text, which whoever approves it names. Source: S-38, S-39. */
import { join } from 'node:path';
import { makeFolder } from '../../config/home/make-folder.js';
import { bytesOf, readForeignFileSync } from '../../config/system/foreign-file.js';
import { replaceFile } from '../../config/system/replace-file.js';
import { canonicalPlan, type PlanStep } from '../../protocol/admission/plan-steps.js';
import { parseRecord } from '../../protocol/text/json.js';
import { type Durability, MAX_MARK_BYTES } from '../process/marks.js';
import { hashOf } from './item-record.js';

/** `itemDir`: of the item. Answers the hash. Effects: one file; harmless when repeated. */
export function keepPlan(itemDir: string, steps: readonly PlanStep[], durability: Durability): string {
  const hash = hashOf(canonicalPlan(steps));
  makeFolder(join(itemDir, PLANS_FOLDER));
  const flush = durability === 'power' ? 'flushed' : 'written';
  replaceFile(fileOf(itemDir, hash), `${JSON.stringify({ version: 1, steps })}\n`, flush);
  return hash;
}

/** Null: there is none of that hash, or somebody changed it. */
export function readKeptPlan(itemDir: string, hash: string): readonly PlanStep[] | null {
  if (!/^[0-9a-f]{64}$/.test(hash)) return null;
  const bytes = bytesOf(readForeignFileSync(fileOf(itemDir, hash), { maxBytes: MAX_MARK_BYTES }));
  const steps = bytes === null ? null : parseRecord(bytes.toString('utf8'))?.['steps'];
  if (!Array.isArray(steps)) return null;
  try {
    // The hash of all its fields vouches for the shape.
    const kept = steps as readonly PlanStep[];
    return hashOf(canonicalPlan(kept)) === hash ? kept : null;
  } catch {
    // An entry that is no object.
    return null;
  }
}

const PLANS_FOLDER = 'plans';

function fileOf(itemDir: string, hash: string): string {
  return join(itemDir, PLANS_FOLDER, `${hash}.json`);
}

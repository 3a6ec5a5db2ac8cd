/**
 * Where all refs of a repository stand that no run of ours owns, read as files: it costs no process. Two looks are compared by whoever watches a repository.
 * It does not know the reftable storage, whose repositories look as if they had no refs.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { withForeignFile } from '../../../config/system/foreign-file.js';
import { listWatchedFolder } from '../start/list-watched-folder.js';
import { eachLine } from './each-line.js';
import { readTextIfThere } from './read-ref.js';

/** Name → commit or `ref: <name>`. */
export type RefList = Readonly<Record<string, string>>;

/** With more, the list is one hash: a look is kept with each turn. */
const MAX_LISTED = 500;

/** Loose files that are open at once. */
const BATCH = 64;

/** Unit: bytes. Longer is no path, so no name of a ref. */
const MAX_REF_BYTES = 4_096;

/** Of one folder; a larger one counts as one entry. */
const MAX_ENTRIES = 100_000;

const TOO_MANY = 'one of many refs';

/** A branch of a run stands where its run put it; each run looks at its own. */
const OF_RUNS = /^refs\/(?:sluice|heads\/sluice)\//;

export async function readAllRefs(commonDir: string): Promise<RefList> {
  const refs = new Map<string, string>();
  for (const line of eachLine((await readTextIfThere(join(commonDir, 'packed-refs'))) ?? '')) {
    const [, sha = '', name = ''] = /^([0-9a-f]{40,64}) (.+)$/.exec(line) ?? [];
    if (name !== '' && !OF_RUNS.test(name)) refs.set(name, sha);
  }
  const loose = await looseRefs(commonDir, 'refs', refs);
  for (let i = 0; i < loose.length; i += BATCH) {
    await Promise.all(
      loose.slice(i, i + BATCH).map(async (name) => {
        const text = await readRefText(join(commonDir, name)).catch(() => null);
        if (text !== null) refs.set(name, text);
      }),
    );
  }
  const sorted = [...refs].sort(([a], [b]) => (a < b ? -1 : 1));
  if (sorted.length <= MAX_LISTED) return Object.fromEntries(sorted);
  return { [TOO_MANY]: createHash('sha256').update(JSON.stringify(sorted)).digest('hex') };
}

/** Of a loose ref git takes the first word, or the name behind `ref:`. An agent can give it any size, and many are read at once. */
async function readRefText(path: string): Promise<string | null> {
  const head = await withForeignFile(path, { links: 'followed' }, (file) =>
    file.piece({ from: 0, length: MAX_REF_BYTES }),
  );
  return head === null ? null : head.toString('utf8').trim().slice(0, 200);
}

/** A folder that is not listed goes into `refs` itself. */
async function looseRefs(commonDir: string, folder: string, refs: Map<string, string>): Promise<readonly string[]> {
  const found: string[] = [];
  // One folder after the other: each holds a descriptor while it is listed.
  const entries = await listWatchedFolder(join(commonDir, folder), MAX_ENTRIES);
  if (typeof entries === 'string') refs.set(folder, entries);
  for (const entry of typeof entries === 'string' ? [] : entries) {
    const name = `${folder}/${entry.name}`;
    if (OF_RUNS.test(`${name}/`)) continue;
    if (entry.isDirectory()) for (const below of await looseRefs(commonDir, name, refs)) found.push(below);
    else if (!name.endsWith('.lock')) found.push(name);
  }
  return found;
}

/** After a reset of a run its branch stands at a commit that the replayed history does not know yet; it is moved back, and the left commit is kept. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../protocol/text/json.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { readJson } from '../process/marks.js';
import { type RunOnHost, startOf } from '../unit/run-record.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';

/** True if the branch stood where it should; otherwise `restore` must follow. Only a commit of the run's own records counts as its own: an agent can write trailers and refs, but not in the sluice home. */
export async function moveBranchBack({ git, input, run }: TurnOnHost): Promise<boolean> {
  const actual = await git.head();
  if (actual === input.expectedHead) return true;
  if (actual !== null && (await isLeft(run, actual, input.expectedHead)))
    await git.moveBack(actual, input.expectedHead);
  return false;
}

/** A commit of somebody else that a person agreed to, and then took off the branch again, is not put back. */
async function isLeft(run: RunOnHost, actual: string, expected: string): Promise<boolean> {
  const own = await ownCommits(run.stateDir, startOf(run.record));
  if (!own.has(actual)) return false;
  return own.has(expected) || (await readAncestry(run.workplace.repository, actual, expected)) !== 'ancestor';
}

async function ownCommits(stateDir: string, start: string): Promise<ReadonlySet<string>> {
  const turns = join(stateDir, 'turns');
  const commits = new Set([start]);
  for (const folder of await readdir(turns).catch(() => [])) {
    const value = readJson(join(turns, folder, 'outcome.json'))?.['value'];
    const planned = isRecord(value) ? value['planned'] : null;
    if (isRecord(planned) && typeof planned['commit'] === 'string') commits.add(planned['commit']);
  }
  return commits;
}

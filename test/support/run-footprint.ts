/** Everything that a closed run left and that another run could change: its files, its worktree, the host's state of it, and its refs. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { EndedRun } from './ended-run.js';
import type { TestHost } from './test-host.js';

/** One line a file (path, time of change, hash) and a ref. */
export function footprintOf({ home }: TestHost, { run, repository, view }: EndedRun): readonly string[] {
  const state = join(home, 'state');
  const ofHost = readdirSync(state).map((repoKey) => join(state, repoKey, run.runId));
  const folders = [
    run.runDir,
    view.worktree ?? '',
    ...ofHost.filter((folder) => lstatSync(folder, { throwIfNoEntry: false }) !== undefined),
  ];
  const refs = repository.git('for-each-ref').split('\n');
  return [...folders.flatMap(filesBelow), ...refs.filter((line) => line.includes(`/${run.runId}`))];
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path);
    return `${path} ${stat.mtimeMs} ${contentOf(path, stat)}`;
  });
}

function contentOf(path: string, stat: { isFile(): boolean; isSymbolicLink(): boolean }): string {
  if (stat.isSymbolicLink()) return readlinkSync(path);
  return stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
}

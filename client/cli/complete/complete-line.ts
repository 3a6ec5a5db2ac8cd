/** `sluice complete`: what a shell asks at Tab. It reads names of folders, and starts and asks nobody. */
import { dirname, join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { listForeignFolder } from '../../../config/system/foreign-file.js';
import { isRunId } from '../../../protocol/run/run-id.js';
import { runsDirsOf } from '../../look/known-runs.js';
import { type Candidate, findCandidates } from './candidates.js';

/** A shell shows a list; more of it helps nobody. */
const MAX_RUNS = 200;
const MAX_FOLDERS = 10_000;

/** Shape: a word, a tab and what it means, a line each. */
export async function completeLine(program: Command, words: readonly string[], cwd: string): Promise<string> {
  const found = await findCandidates(program, words, { runs: () => runsAround(cwd), configKeys });
  return found.map(({ word, about }) => `${word}\t${about}\n`).join('');
}

async function runsAround(cwd: string): Promise<readonly Candidate[]> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const runs = await runsIn(folder);
    if (runs.length > 0) return [{ word: '@last', about: 'the newest run here' }, ...runs];
    if (folder === dirname(folder)) return [];
  }
}

/** Anybody may have made these folders: only what can be the name of a run is said. */
async function runsIn(root: string): Promise<readonly Candidate[]> {
  const dirs = await runsDirsOf(root);
  const folders = await Promise.all(dirs.map((dir) => listForeignFolder(join(root, dir), { maxEntries: MAX_FOLDERS })));
  const names = folders.flatMap((entries) => entries?.map(({ name }) => name) ?? []).filter(isRunId);
  return names.slice(0, MAX_RUNS).map((word) => ({ word, about: 'a run' }));
}

async function configKeys(): Promise<readonly Candidate[]> {
  const { KEYS } = await import('../../../config/keys/keys.js');
  return Object.entries(KEYS).map(([word, { meaning }]) => ({ word, about: meaning.split('\n')[0] ?? '' }));
}

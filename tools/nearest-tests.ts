/** Which tests are worth a minute after a change: those nearest to it first, as long as they fit. Pure. */
import { dirname, relative } from 'node:path';

export interface Candidate {
  /** From the root. */
  readonly file: string;
  readonly nearness: Nearness;
  /** As long as it took the last time. */
  readonly seconds: number;
}

/** `changed`: the test itself differs · `kills`: a mutant of what changed is killed by it · `names`: it imports what changed, or has its path as a word · `reaches`: it does by way of others. */
export type Nearness = 'changed' | 'kills' | 'names' | 'reaches';

/** It replays the workflows as they are built. */
const REPLAY = 'test/replay/replay.test.ts';

export const isUnitTest = (file: string): boolean => file.startsWith('test/unit/');

/** As the project of that name in jest.config.js: of the page its own folder alone. */
export const isServerTest = (file: string): boolean =>
  /^test\/(?:(?:workflow|replay|conformance|chaos|security|e2e)\/|page\/[^/]+$)/.test(file);

export interface Change {
  /** From the root; some are gone. */
  readonly changed: readonly string[];
  /** Tests that notice a mutant of what changed. */
  readonly killers: readonly { readonly file: string }[];
  /** Test files that import what changed, by whatever way. */
  readonly reaching: ReadonlySet<string>;
}

/** Null: the test has nothing to do with it. */
export function nearnessOf(
  { file, text }: { readonly file: string; readonly text: string },
  { changed, killers, reaching }: Change,
): Nearness | null {
  const isReplayed = file === REPLAY && changed.some((path) => path.startsWith('workflows/'));
  if (changed.includes(file) || isReplayed) return 'changed';
  if (killers.some((test) => test.file === file)) return 'kills';
  const namesIt = (path: string) =>
    text.includes(`${relative(dirname(file), path).replace(/\.ts$/, '.js')}'`) || text.includes(path);
  if (changed.some(namesIt)) return 'names';
  return reaching.has(file) ? 'reaches' : null;
}

const ORDER: readonly Nearness[] = ['changed', 'kills', 'names', 'reaches'];

/** What changed itself is always taken; of the others of one nearness the quickest first. **Unit** `seconds`: of all files together. */
export function chooseNearest(candidates: readonly Candidate[], seconds: number): readonly Candidate[] {
  const rankOf = ({ nearness }: Candidate) => ORDER.indexOf(nearness);
  const sorted = [...candidates].sort((a, b) => rankOf(a) - rankOf(b) || a.seconds - b.seconds);
  const chosen: Candidate[] = [];
  let sum = 0;
  for (const candidate of sorted) {
    if (candidate.nearness !== 'changed' && sum + candidate.seconds > seconds) continue;
    sum += candidate.seconds;
    chosen.push(candidate);
  }
  return chosen;
}

/** Which tests are worth a minute after a change: those nearest to it first, as long as they fit. Pure. */

export interface Candidate {
  /** From the root. */
  readonly file: string;
  readonly nearness: Nearness;
  /** As long as it took the last time. */
  readonly seconds: number;
}

/** `changed`: the test itself differs · `kills`: a mutant of what changed is killed by it · `names`: it imports what changed, or has its path as a word · `reaches`: it does by way of others. */
export type Nearness = 'changed' | 'kills' | 'names' | 'reaches';

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

/** Finds the name that somebody probably meant: few edits away, upper and lower case alike. */
import leven from 'leven';

/** Null if nothing is near: more than a third of the letters, and more than two, would have to change. */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let bestEdits = Math.max(2, Math.floor(name.length / 3)) + 1;
  if (name.length > 60) return null;
  for (const candidate of candidates) {
    const edits = leven(name.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits && edits < candidate.length) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}

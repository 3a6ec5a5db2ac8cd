/** Finds the name that somebody probably meant: few edits away, upper and lower case alike. */

/** Null if nothing is near: more than a third of the letters, and more than two, would have to change. */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let bestEdits = Math.max(2, Math.floor(name.length / 3)) + 1;
  if (name.length > 60) return null;
  for (const candidate of candidates) {
    const edits = editsBetween(name.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits && edits < candidate.length) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}

/** Levenshtein distance. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

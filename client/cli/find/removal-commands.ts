/** The commands by which a person removes what an ended run left in their repository. Source: V-72. */
import { foreign } from '../terminal/io.js';

export interface LeftBehind {
  readonly worktree: string | null;
  readonly branch: string | null;
}

/** Shape: the worktree first, since git keeps a branch that is checked out. */
export function removalCommands({ worktree, branch }: LeftBehind): readonly string[] {
  return [
    ...(worktree === null ? [] : [`git worktree remove --force ${shellWord(worktree)}`]),
    ...(branch === null ? [] : [`git branch -D ${shellWord(branch)}`]),
  ];
}

/** A word that a shell takes as it is. */
export function shellWord(text: string): string {
  const clean = foreign(text);
  return /^[\w@%+=:,./-]+$/.test(clean) ? clean : `'${clean.replaceAll("'", "'\\''")}'`;
}

/** The commands by which a person removes what an ended run left in their repository. Source: V-72. */
import { shellWord } from '../../../protocol/text/shell-word.js';
import { foreign } from '../terminal/io.js';

export interface LeftBehind {
  readonly worktree: string | null;
  readonly branch: string | null;
}

/** Shape: the worktree first, since git keeps a branch that is checked out. */
export function removalCommands({ worktree, branch }: LeftBehind): readonly string[] {
  return [
    ...(worktree === null ? [] : [`git worktree remove --force ${shellWord(foreign(worktree))}`]),
    ...(branch === null ? [] : [`git branch -D ${shellWord(foreign(branch))}`]),
  ];
}

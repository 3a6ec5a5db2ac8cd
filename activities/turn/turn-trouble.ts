/**
 * Turns what git or the file system says about what a turn left into an outcome of the turn: the same tree gives the same answer however
 * often it is asked, so that an error would only be retried for ever. Trouble that passes with time stays an error, and its activity is tried again.
 */

import { MAX_SENTENCE_CHARS } from '../../protocol/limits.js';
import type { Observation } from '../../protocol/messages/journal.js';
import type { RunTurnInput } from '../../protocol/messages/messages.js';
import type { TurnOutcome } from '../../protocol/run/outcomes.js';
import { redact } from '../../protocol/text/redact.js';
import { violation } from '../checks/check-change.js';
import { lastingTrouble } from '../git/start/lasting-trouble.js';
import { RepositoryGone } from '../git/start/repository-gone.js';
import { WorktreeViolation } from '../git/start/worktree-violation.js';

export interface TurnTrouble {
  readonly outcome: TurnOutcome;
  /** Where somebody else moved the branch to. Missing where nobody did. */
  readonly elsewhere?: string | null;
  readonly observations: readonly Observation[];
}

/** What is true after a violation that concerns the worktree itself. */
export const PUT_BACK = 'the worktree was put back to the last commit';

/** Null: it does not lie in what the turn left. */
export function troubleOf(input: RunTurnInput, error: unknown): TurnTrouble | null {
  if (error instanceof WorktreeViolation) return outsidePath(input, error.message, error.paths);
  // Nothing that the turn left: a person moved it, and can put it back.
  if (error instanceof RepositoryGone)
    return { outcome: { kind: 'repository_changed', why: error.message }, observations: [] };
  const what = lastingTrouble(error);
  return what === null ? null : repositoryChanged(what);
}

/** The worktree is not the run's own any more, or holds what no commit can be made of. */
export function outsidePath({ stage, place }: RunTurnInput, what: string, paths: readonly string[] = []): TurnTrouble {
  const why = `${what}; ${PUT_BACK}`.slice(0, MAX_SENTENCE_CHARS);
  return {
    outcome: { kind: 'policy_violation', rule: 'outside_path', why },
    observations: [violation(why, { rule: 'outside_path', stage, seq: place.seq, paths })],
  };
}

function repositoryChanged(what: string): TurnTrouble {
  // Redacted before it is cut: half a token has no shape.
  const why = redact(`git cannot work with what the turn left: ${what}`).slice(0, MAX_SENTENCE_CHARS);
  return { outcome: { kind: 'repository_changed', why }, observations: [] };
}

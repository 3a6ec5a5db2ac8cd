/** Everything one attempt of a turn works with. */
import type { RunTurnInput } from '../../protocol/messages/messages.js';
import { mayWrite } from '../../protocol/run/stages.js';
import type { RunGit } from '../git/run/open-run-git.js';
import type { AtPlace } from './at-place.js';

export interface TurnOnHost extends AtPlace {
  readonly input: RunTurnInput;
  readonly git: RunGit;
}

/** A write turn: its change becomes a commit. In a read-only run there is none (V-129). */
export function isWriteTurn({ run, input }: Pick<TurnOnHost, 'run' | 'input'>): boolean {
  return mayWrite(input.stage) && run.record.policy.permissions !== 'read-only';
}

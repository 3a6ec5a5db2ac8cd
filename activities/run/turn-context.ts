/** Everything one attempt of a turn works with. */
import type { RunTurnInput } from '../../protocol/messages.js';
import { mayWrite } from '../../protocol/run/stages.js';
import type { RunGit } from '../git/open-run-git.js';
import type { Signals } from '../unit/attempts.js';
import type { HostDeps } from '../unit/host-deps.js';
import type { PlaceFolder } from '../unit/place-record.js';
import type { RunOnHost } from '../unit/run-record.js';

export interface TurnContextOnHost {
  readonly deps: HostDeps;
  readonly run: RunOnHost;
  readonly input: RunTurnInput;
  readonly place: PlaceFolder;
  readonly git: RunGit;
  readonly signals: Signals;
}

/** A write turn: its change becomes a commit. In a read-only run there is none (V-129). */
export function isWriteTurn({ run, input }: Pick<TurnContextOnHost, 'run' | 'input'>): boolean {
  return mayWrite(input.stage) && run.record.policy.permissions !== 'read-only';
}

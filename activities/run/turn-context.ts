/** Everything one attempt of a turn works with. */
import type { RunTurnInput } from '../../protocol/messages.js';
import type { RunGit } from '../git/open-run-git.js';
import type { Signals } from './attempts.js';
import type { HostDeps } from './host-deps.js';
import type { PlaceFolder } from './place-record.js';
import type { RunOnHost } from './run-record.js';

export interface TurnContextOnHost {
  readonly deps: HostDeps;
  readonly run: RunOnHost;
  readonly input: RunTurnInput;
  readonly place: PlaceFolder;
  readonly git: RunGit;
  readonly signals: Signals;
}

export function mayWrite(stage: RunTurnInput['stage']): boolean {
  return stage === 'executing' || stage === 'fixing';
}

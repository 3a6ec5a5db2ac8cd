/** Types of the host activities, for `import type` by the workflows. A value import from here would pull Node code into their bundle. */
import type {
  CloseRunInput,
  CloseRunResult,
  OpenRunInput,
  OpenRunResult,
  PickHostInput,
  PickHostResult,
  RunTurnInput,
  RunTurnResult,
  ValidateInput,
  ValidateResult,
} from '../protocol/messages.js';

/** Served by any host on `sluice-host`. */
export interface AnyHostActivities {
  /** Checks that this host serves the repository and answers its id. Effects: none. Errors: RepositoryNotServed. */
  pickHost(input: PickHostInput): Promise<PickHostResult>;
}

/** Light work on the host's own queue. All are idempotent by their place. */
export interface HostActivities {
  openRun(input: OpenRunInput): Promise<OpenRunResult>;
  closeRun(input: CloseRunInput): Promise<CloseRunResult>;
}

/** Agents and commands, on the host's turns queue. All are idempotent by their place. */
export interface HostTurnActivities {
  runTurn(input: RunTurnInput): Promise<RunTurnResult>;
  validate(input: ValidateInput): Promise<ValidateResult>;
}

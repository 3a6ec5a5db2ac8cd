/** Types of the ApplicationFailures that cross a boundary. None of them is cured by a retry. `details[1]` of a refusal has its parts (refusal.ts). */

export const FAILURES = {
  /** The start input is wrong; `details[0]` names the field. */
  BadInput: 'BadInput',
  /** Nobody polls for this repository, or it is not on the host's list. The message names `sluice init`. */
  RepositoryNotServed: 'RepositoryNotServed',
  /** The run directory, branch or worktree belongs to another workflow chain. */
  RunExists: 'RunExists',
  /** What a run was opened with on its host was changed by somebody; nothing of it is used. */
  RunChanged: 'RunChanged',
  /** A branch that a later run goes on at has lost its commits, or was moved while that was opened. A person looks. */
  RepositoryChanged: 'RepositoryChanged',
  /** Not a git repository, bare, without commits, or the base branch is unknown. */
  BadRepository: 'BadRepository',
  /** Config cannot be used: the message says file:line:column. */
  BadConfig: 'BadConfig',
  /** Config that runs programs is not trusted. The message names `sluice trust`. */
  NotTrusted: 'NotTrusted',
  /** No agent, an unknown one, or its program cannot be run. */
  BadAgent: 'BadAgent',
  /** An Update that the run refuses; the message says why. It leaves no trace. */
  MessageRefused: 'MessageRefused',
  /** An Update that is refused for now alone: sent again later it may be taken. It leaves no trace. */
  MessageBusy: 'MessageBusy',
  /**
   * An Update that would change nothing, so that the run takes it without effect: the message is the answer, `details[0]` the run's status. A
   * failure, because a server counts the Updates of a run that are accepted and not those that are refused.
   */
  MessageUnchanged: 'MessageUnchanged',
} as const;

export type FailureType = (typeof FAILURES)[keyof typeof FAILURES];

/** `PayloadsTooLarge` is the SDK's; retrying it runs the activity again for nothing. */
export const NON_RETRYABLE_TYPES: readonly string[] = [...Object.values(FAILURES), 'PayloadsTooLarge'];

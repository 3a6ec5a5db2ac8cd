/** Refusals of a run before it is opened: nothing was started, and the message says what to do. */
import { ApplicationFailure } from '@temporalio/common';
import { ConfigError } from '../../config/config-error.js';
import { FAILURES } from '../../protocol/failures.js';

export function badInput(field: string, message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`${message}. Nothing was started.`, FAILURES.BadInput, field);
}

export function runExists(runId: string, where: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `run ${runId} belongs to another workflow: ${where} exists.\nAn id names one run for ever: its branch, folder and workflow.\nNothing was changed.\nStart with another id, or look: sluice status ${runId}`,
    FAILURES.RunExists,
  );
}

export function runCleaned(runId: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `run ${runId} was cleaned: its worktree, branch and artifacts are gone.\nA reset goes on with what the run left on its host; what \`sluice clean\` removed does not come back.\nNothing was started.\nStart anew: sluice run "<task>"`,
    FAILURES.RunExists,
  );
}

export function runChanged(runId: string, stateDir: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `what run ${runId} was opened with was changed in ${stateDir}: its policy, its environment or its git config.\nThese are frozen when a run opens; an agent without a sandbox can write them.\nNothing of them was used, and no later turn is started.\nLook at its turns, then start anew: sluice audit ${runId}`,
    FAILURES.RunChanged,
  );
}

export function repositoryNotServed(repo: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `${repo} is not on this host's list of repositories.\nA host works only in repositories that a person of it named, whoever can reach the server.\nNothing was started.\nIn that repository, once: sluice init`,
    FAILURES.RepositoryNotServed,
  );
}

/** What config/ refuses, a file of the sluice home that holds garbage included, refuses the run: no retry mends a file. */
export async function withConfigRefusals<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ConfigError) throw ApplicationFailure.nonRetryable(error.message, error.type, error.field);
    throw error;
  }
}

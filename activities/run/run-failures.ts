/** Refusals of a run before it is opened: nothing was started, and the message says what to do. */
import { ApplicationFailure } from '@temporalio/common';
import { FAILURES } from '../../protocol/failures.js';

export function badInput(field: string, message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`${message}. Nothing was started.`, FAILURES.BadInput, field);
}

export function runExists(runId: string, where: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `run ${runId} belongs to another workflow: ${where} exists. Nothing was changed. Start with another id, or see \`sluice status ${runId}\`.`,
    FAILURES.RunExists,
  );
}

export function repositoryNotServed(repo: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `${repo} is not on this host's list of repositories. Nothing was started. Run \`sluice init\` in it, once.`,
    FAILURES.RepositoryNotServed,
  );
}

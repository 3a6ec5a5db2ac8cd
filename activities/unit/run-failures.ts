/** Refusals of a run before it is opened: nothing was started, and each says what to do. */
import { ApplicationFailure } from '@temporalio/common';
import { ConfigError } from '../../config/system/config-error.js';
import { FAILURES } from '../../protocol/failures.js';
import { badInputFailure, refusalFailure } from '../../protocol/text/refusal.js';

const NOTHING = 'Nothing was started.';

export function badInput(field: string, message: string): ApplicationFailure {
  return ApplicationFailure.create(badInputFailure(field, message));
}

export function runExists(runId: string, where: string): ApplicationFailure {
  const parts = {
    what: `run ${runId} belongs to another workflow: ${where} exists.`,
    why: 'An id names one run for ever: its branch, folder and workflow.',
    now: 'Nothing was changed.',
    mend: `Start with another id, or look: sluice status ${runId}`,
  };
  return ApplicationFailure.create(refusalFailure(FAILURES.RunExists, parts));
}

export function runCleaned(runId: string): ApplicationFailure {
  const parts = {
    what: `run ${runId} was cleaned: its worktree, branch and artifacts are gone.`,
    why: 'A reset goes on with what the run left on its host; what `sluice clean` removed does not come back.',
    now: NOTHING,
    mend: 'Start anew: sluice run "<task>"',
  };
  return ApplicationFailure.create(refusalFailure(FAILURES.RunExists, parts));
}

export function worktreeTaken(runId: string): ApplicationFailure {
  const parts = {
    what: `the worktree of run ${runId} belongs to a later run of its task.`,
    why: 'Two runs never work in one worktree.',
    now: NOTHING,
    mend: 'Look at the task: sluice task show',
  };
  return ApplicationFailure.create(refusalFailure(FAILURES.RunExists, parts));
}

export function runChanged(runId: string, stateDir: string): ApplicationFailure {
  const parts = {
    what: `what run ${runId} was opened with was changed in ${stateDir}: its policy, its environment or its git config.`,
    why: 'These are frozen when a run opens; an agent without a sandbox can write them.',
    now: 'Nothing of them was used, and no later turn is started.',
    mend: `Look at its turns, then start anew: sluice audit ${runId}`,
  };
  return ApplicationFailure.create(refusalFailure(FAILURES.RunChanged, parts));
}

export function repositoryNotServed(repo: string): ApplicationFailure {
  const parts = {
    what: `${repo} is not on this host's list of repositories.`,
    why: 'A host works only in repositories that a person of it named, whoever can reach the server.',
    now: NOTHING,
    mend: 'In that repository, once: sluice init',
  };
  return ApplicationFailure.create(refusalFailure(FAILURES.RepositoryNotServed, parts));
}

/** What config/ refuses, a file of the sluice home that holds garbage included, refuses the run: no retry mends a file. */
export async function withConfigRefusals<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ConfigError)
      throw ApplicationFailure.create(refusalFailure(error.type, error.parts, error.field));
    throw error;
  }
}

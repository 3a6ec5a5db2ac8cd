/** Failures that end an activity for good, with the command that mends them. */
import { ApplicationFailure } from '@temporalio/common';
import type { ResolvedProgram } from '../process/resolve-program.js';
import { FAILURES } from '../../protocol/failures.js';

/** Why a program cannot be run, as a clause. */
export function programProblem(program: Exclude<ResolvedProgram, { kind: 'found' }>): string {
  switch (program.kind) {
    case 'missing':
      return `${program.name} is not on PATH`;
    case 'not_executable':
      return `${program.path} is not executable`;
    case 'forbidden':
      return `${program.path} lies in ${program.root}, where an agent can write`;
    case 'relative':
      return `${program.name === '' ? 'an empty name' : program.name} is relative; a name on PATH or an absolute path is needed`;
  }
}

export function badAgent(what: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `${what}. Name an agent with \`--agent\`, or configure one in .sluice/config.yaml; \`sluice init\` writes a first one.`,
    FAILURES.BadAgent,
  );
}

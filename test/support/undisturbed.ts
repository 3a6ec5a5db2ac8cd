/** What a plain run leaves when nothing went wrong, and so what every run must leave that a fault was only to delay. */
import { expect } from '@jest/globals';

const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];

export const UNDISTURBED = {
  outcome: 'merge_ready',
  error: null,
  agents: STAGES.flatMap((stage) => [`${stage} START`, `${stage} END`]),
  commits: 1,
  change: expect.stringMatching(/^\+changed$/m),
  journal: [
    'run.created',
    'git.worktree.created',
    'state.changed',
    'turn.started',
    'turn.completed',
    'state.changed',
    'state.changed',
    'turn.started',
    'turn.completed',
    'state.changed',
    'state.changed',
    'turn.started',
    'turn.completed',
    'git.committed',
    'state.changed',
    'validation.started',
    'validation.command.completed',
    'state.changed',
    'turn.started',
    'turn.completed',
    'review.decision',
    'state.changed',
    'turn.started',
    'turn.completed',
    'verification.decision',
    'state.changed',
    'run.completed',
  ],
  told: 0,
  living: [],
};

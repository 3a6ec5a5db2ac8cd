/** The walls around a run: what agents, repositories and other processes get hold of, and what ends it. */
import type { Mutant } from '../mutant.js';
import { GUARDED_PATH_MUTANTS } from './walls/guarded.js';
import { INHERITANCE_MUTANTS } from './walls/inheritance.js';
import { WALL_MESSAGE_MUTANTS } from './walls/messages.js';
import { READ_MUTANTS } from './walls/reads.js';
import { RESOURCE_MUTANTS } from './walls/resources.js';
import { STREAM_MUTANTS } from './walls/streams.js';
import { WORKTREE_MUTANTS } from './walls/worktree.js';

export const WALL_MUTANTS: readonly Mutant[] = [
  ...WORKTREE_MUTANTS,
  ...INHERITANCE_MUTANTS,
  ...STREAM_MUTANTS,
  ...READ_MUTANTS,
  ...WALL_MESSAGE_MUTANTS,
  ...GUARDED_PATH_MUTANTS,
  ...RESOURCE_MUTANTS,
];

/** Walls: what an agent leaves in its worktree. */
import type { Mutant } from '../../mutant.js';

export const WORKTREE_MUTANTS: readonly Mutant[] = [];

/** Walls: what a process inherits. */
import type { Mutant } from '../../mutant.js';

export const INHERITANCE_MUTANTS: readonly Mutant[] = [];

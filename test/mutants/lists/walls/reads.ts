/** Walls: bounds of what is read. */
import type { Mutant } from '../../mutant.js';

export const READ_MUTANTS: readonly Mutant[] = [];

/** Walls: guarded paths. */
import type { Mutant } from '../../mutant.js';

export const GUARDED_PATH_MUTANTS: readonly Mutant[] = [];

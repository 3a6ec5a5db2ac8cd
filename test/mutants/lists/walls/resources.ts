/** Walls: ends of resources. */
import type { Mutant } from '../../mutant.js';

export const RESOURCE_MUTANTS: readonly Mutant[] = [];

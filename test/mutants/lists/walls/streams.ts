/** Walls: the files behind an agent's descriptors. */
import type { Mutant } from '../../mutant.js';

export const STREAM_MUTANTS: readonly Mutant[] = [];

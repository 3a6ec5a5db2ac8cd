/** Walls: messages past a limit of the server. */
import type { Mutant } from '../../mutant.js';

export const WALL_MESSAGE_MUTANTS: readonly Mutant[] = [];

/** Where the live text of a turn stands, in its folder. Positions in it are facts of the data: a file, and a byte in it. */

import type { TurnStage } from '../run/stages.js';

/** More than one only where something else stood in the way, or the agent was started again. */
export const MAX_LIVE_FILES = 9;

/** **Unit** bytes of one file. */
export const MAX_LIVE_BYTES = 1024 * 1024;

/** `n` from 1: `live.md`, `live.2.md`. */
export function liveName(n: number): string {
  return n === 1 ? 'live.md' : `live.${n}.md`;
}

export interface LiveTurn {
  readonly seq: number;
  readonly stage: TurnStage;
}

/** In the folder of its run. */
export function turnFolder({ seq, stage }: LiveTurn): string {
  return `turns/${seq}-${stage}`;
}

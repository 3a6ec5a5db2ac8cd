/** What a scenario of the bench is made of. */
import type { Measuring } from './plain-run.js';

export type Parts = Readonly<Record<string, (measuring: Measuring) => Promise<void>>>;

/** How many of something: as many as usual, or the least that still tries the part. */
export type Few = (usual: number, least: number) => number;

/** What every command gets: the terminal, the sluice home and whether it answers in JSON. */
import type { Io } from './io.js';

export interface Context {
  readonly io: Io;
  /** The sluice home; it may not exist yet. */
  readonly home: string;
  readonly json: boolean;
}

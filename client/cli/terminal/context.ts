/** What every command gets: the terminal, the sluice home and whether it answers in JSON. */
import { EXIT, type ExitCode } from './exit-codes.js';
import type { Io } from './io.js';

export interface Context {
  readonly io: Io;
  /** The sluice home; it may not exist yet. */
  readonly home: string;
  readonly json: boolean;
}

/** The person stopped before anything was done. */
export function tellStopped({ io }: Context, now: string): ExitCode {
  io.err(`Stopped. ${now}`);
  return EXIT.detached;
}

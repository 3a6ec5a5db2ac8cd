/** What every command gets: the terminal, the sluice home and whether it answers in JSON. */
import type { LookPlace } from '../../look/find-runs.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import type { Io } from './io.js';

export interface Context {
  readonly io: Io;
  /** The sluice home; it may not exist yet. */
  readonly home: string;
  readonly json: boolean;
}

/** Where a command looks for runs. */
export function lookPlaceOf({ io, home }: Pick<Context, 'io' | 'home'>): LookPlace {
  return { home, cwd: io.cwd, warn: (text) => io.err(text) };
}

/** The person stopped before anything was done. */
export function tellStopped({ io }: Context, now: string): ExitCode {
  io.err(`Stopped. ${now}`);
  return EXIT.detached;
}

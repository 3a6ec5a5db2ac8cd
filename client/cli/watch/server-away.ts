/**
 * How long whoever watches waits for a server that does not answer, one rule for all: a restarted server is back in a second, a stopped one is not worth waiting for.
 * It counts from the first answer that was missed, for what was asked long before may have had a live server until then.
 */
import { lacksPart } from '../../../config/system/error-code.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';

/** What is watched goes on. */
export function tellServerAway({ io }: Pick<Context, 'io'>): ExitCode {
  io.err('The server stays away; the runs go on when it is back.');
  io.err('Come back with: sluice up && sluice watch');
  return EXIT.detached;
}

/** **Unit** ms. */
const SERVER_AWAY_MS = 30_000;

export interface Absence {
  /** An answer did not come. Answers whether the server stays away. */
  missed(): boolean;
  answered(): void;
}

export function countAbsence(serverAwayMs = SERVER_AWAY_MS): Absence {
  let awaySince: number | null = null;
  return {
    missed() {
      awaySince ??= Date.now();
      return Date.now() - awaySince > serverAwayMs;
    },
    answered() {
      awaySince = null;
    },
  };
}

/** Of a look that failed: there was no answer. Errors: of a part of this program that is gone, for no server that comes back brings it. */
export function missAnswer(error: unknown): null {
  if (lacksPart(error)) throw error;
  return null;
}

/**
 * Who sends a message: the person at this machine. Messages of people are not sent from inside a turn, so that an agent which finds
 * `sluice` cannot decide about its own work. Without a sandbox an agent can drop the turn tag; gates do not promise to stop hostile code.
 */
import { hostname, userInfo } from 'node:os';
import { MAX_BY_CHARS } from '../../../protocol/limits.js';
import { TURN_TAG } from '../../../protocol/names.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { Context } from './context.js';
import { foreign } from './io.js';

/** Names the sender, overrides user and host name. */
const BY_VARIABLE = 'SLUICE_BY';

/** Errors: RefusedError inside a turn, or for a name that is too long. */
export function personOf({ io }: Pick<Context, 'io'>): string {
  if (isInsideTurn(io.env)) throw new RefusedError(INSIDE_TURN);
  const said = (io.env[BY_VARIABLE] ?? '').trim();
  if (said.length > MAX_BY_CHARS) {
    throw new RefusedError({
      what: `${BY_VARIABLE} is "${foreign(said).slice(0, 60)}…"`,
      why: `a sender's name has at most ${MAX_BY_CHARS} characters`,
      now: NOTHING_SENT,
      mend: `export ${BY_VARIABLE}='<name>'    or: unset ${BY_VARIABLE}`,
    });
  }
  return said === '' ? `${userName(io.env)}@${hostname()}`.slice(0, MAX_BY_CHARS) : said;
}

/** True in everything that a turn starts. */
export function isInsideTurn(env: NodeJS.ProcessEnv): boolean {
  return (env[TURN_TAG] ?? '') !== '';
}

export const NOTHING_SENT = 'Nothing was sent.';

const INSIDE_TURN = {
  what: `this command runs inside a turn (${TURN_TAG} is set)`,
  why: 'commands of people are not sent from inside a turn: an agent must not decide about its own work',
  now: NOTHING_SENT,
  mend: 'a person runs the same command in a shell of their own',
};

function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the system's list, as in many containers.
    return env['USER'] ?? `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Why a word to a task, a backlog, a landing or a queue counts for nothing. Only what was accepted or queued counts, so every other end of it is told as what it is. */
import type { Sent } from '../../sluice.js';
import { EXIT } from '../terminal/exit-codes.js';
import { CANCELLED } from './send-to-run.js';

export interface NotTaken {
  readonly why: string;
  /** Source: docs/cli.md "Commands of people". */
  readonly exitCode: typeof EXIT.needsPerson | typeof EXIT.notStarted;
}

/** Null: it was taken, or the server keeps it. */
export function whyNotTaken(sent: Sent): NotTaken | null {
  switch (sent.kind) {
    case 'accepted':
    case 'queued':
      return null;
    case 'refused':
      return { why: sent.why, exitCode: EXIT.needsPerson };
    case 'closed':
      return { why: 'it is closed', exitCode: EXIT.needsPerson };
    case 'not_kept':
      return { why: `the server keeps no more messages of it: ${sent.why}`, exitCode: EXIT.notStarted };
    case 'cancelled':
      return { why: CANCELLED, exitCode: EXIT.notStarted };
    case 'unknown':
      return { why: 'the server does not know it', exitCode: EXIT.notStarted };
  }
}

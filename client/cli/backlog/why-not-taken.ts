/** Why a word to a task or to a backlog counts for nothing. Only what was accepted or queued counts, so every other end of it is told as what it is. */
import type { Sent } from '../../sluice.js';
import { CANCELLED } from '../gates/send-to-run.js';

/** Null: it was taken, or the server keeps it. */
export function whyNotTaken(sent: Sent): string | null {
  switch (sent.kind) {
    case 'accepted':
    case 'queued':
      return null;
    case 'refused':
      return sent.why;
    case 'not_kept':
      return `the server keeps no more messages of it: ${sent.why}`;
    case 'cancelled':
      return CANCELLED;
    case 'closed':
      return 'it is closed';
    case 'unknown':
      return 'the server does not know it';
  }
}

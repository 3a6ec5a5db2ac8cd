/** The status of a run in words, and what it waits for. Pure; foreign text leaves printable. */
import { isFromFiles, type ListedRun } from '../../calls/listed-run.js';
import { foreign } from '../terminal/io.js';
import { elapsed } from './waiting-text.js';

/** The status, and what an open run waits for. */
export function statusText(run: ListedRun): string {
  if (run.refused) return 'refused';
  const status = run.status ?? (run.execution === 'RUNNING' ? 'starting' : (run.execution ?? 'unknown').toLowerCase());
  if (isFromFiles(run) && run.closedAt === null) return `${status} (unknown to the server)`;
  if (run.landing !== null) return landedText(status, run.landing);
  return run.waiting === null || run.closedAt !== null
    ? status
    : `${status} (waits: ${foreign(run.waiting)}${leftText(run)})`;
}

/** Of a closed run, whose status stays what it was. */
function landedText(status: string, { merge, entry, gate, paused, pull }: NonNullable<ListedRun['landing']>): string {
  if (merge === 'merged') return merge;
  if (paused) return `${status} (landing paused)`;
  if (entry === 'watched') return `${status} (others merge it)`;
  if (gate !== null) return `${status} (landing waits: ${gate.replaceAll('_', ' ')})`;
  if (merge === 'unmerged' && pull !== null)
    return `${status} (pull request ${pull.number}: ${(pull.at ?? 'asked').replaceAll('_', ' ')})`;
  return merge === 'abandoned' ? `${status} (given up)` : `${status} (lands: ${entry ?? 'asked'})`;
}

/** Only of what ends by itself: a gate's expiry is no promise. */
function leftText({ waiting, waitingUntil }: ListedRun): string {
  const left = waiting === 'usage_limit' && waitingUntil !== null ? Date.parse(waitingUntil) - Date.now() : Number.NaN;
  if (Number.isNaN(left)) return '';
  return left > 0 ? `, ${elapsed(left)} left` : ', due now';
}

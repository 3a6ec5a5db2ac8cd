/** The status of a run in words, and what it waits for. Pure; foreign text leaves printable. */
import { isTerminal } from '../../protocol/run/lifecycle.js';
import { isFromFiles, type ListedRun } from '../calls/listed-run.js';
import { foreign } from './foreign.js';
import { elapsed } from './waiting-text.js';

/** One word for a column. */
export function stateWord(run: ListedRun): string {
  const { status, landing, closedAt } = run;
  if (run.refused) return 'refused';
  if (closedAt === null && isFromFiles(run)) return 'unknown';
  if (landing !== null) return landingWord(landing);
  if (run.merged) return 'merged';
  if (closedAt === null && status === 'paused') return 'paused';
  if (closedAt === null && run.waiting !== null) return 'waits';
  if (closedAt !== null || (status !== null && isTerminal(status)))
    return status === 'merge_ready' ? 'ready' : (status ?? (run.execution ?? 'unknown').toLowerCase());
  return status === null ? 'starting' : 'works';
}

function landingWord({ merge, gate, paused, entry, pull }: NonNullable<ListedRun['landing']>): string {
  if (merge === 'merged') return merge;
  if (merge === 'abandoned') return 'given up';
  if (paused) return 'paused';
  if (gate !== null) return 'waits';
  return entry === null && pull === null ? 'ready' : 'lands';
}

/** Where an open run is, or what it or its landing waits for; empty where nothing is to be said beside the state. */
export function whereText(run: ListedRun): string {
  const { landing, closedAt, stage, waiting, round } = run;
  if (landing !== null && landing.merge !== 'merged' && landing.merge !== 'abandoned') return landingPlace(landing);
  if (closedAt !== null || run.refused) return '';
  const rounds = round !== null && round > 0 ? `, round ${round}` : '';
  const at = stage === null ? '' : `${foreign(stage)}${rounds}`;
  return waiting === null ? at : `${foreign(waiting).replaceAll('_', ' ')}${leftText(run)}`;
}

function landingPlace({ base, entry, gate, paused, pull }: NonNullable<ListedRun['landing']>): string {
  if (paused) return 'to land';
  if (gate !== null) return foreign(gate).replaceAll('_', ' ');
  if (pull !== null) return `pull ${pull.number}${pull.at === null ? '' : `: ${pull.at.replaceAll('_', ' ')}`}`;
  if (entry === 'watched') return 'others merge it';
  return `${entry === 'ready' ? 'ready ' : ''}onto ${foreign(base ?? 'its base')}`;
}

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

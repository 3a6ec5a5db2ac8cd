/**
 * Notices of the browser, after a person allowed them: a gate or question that opened, a run that ended. One each, by the one tab that reads the stream for
 * all, and none while some tab is looked at.
 */
import type { RunRow } from '../../client/http/shapes.js';
import { printableLine } from '../../protocol/text/printable.js';
import type { Live } from './live.js';

export interface Notice {
  /** Two of one tag are one. */
  readonly tag: string;
  readonly title: string;
  readonly runId: string;
}

/**
 * Of what changed between two lists; nothing of what was there when the page began, and nothing where one of both is of files alone: these know less of a
 * run than its server, so that it seems to change when the server is lost or found. Pure.
 */
export function noticesOf(before: Live, after: Live): readonly Notice[] {
  if (before.rows === null || after.rows === null || before.rows === after.rows) return [];
  if (before.source?.kind === 'files' || after.source?.kind === 'files') return [];
  const known = before.rows;
  const newest = [...known.values()].reduce((last, { startedAt }) => (startedAt > last ? startedAt : last), '');
  return [...after.rows.values()].flatMap((row) => {
    const group = known.get(row.runId)?.group ?? null;
    // An older run was there before, though it is listed only now; a newer one has begun since.
    return group === null && row.startedAt <= newest ? [] : noticeOf(group ?? 'working', row);
  });
}

function noticeOf(before: RunRow['group'], { runId, title, group, state, since }: RunRow): readonly Notice[] {
  // The system shows it, and takes no markup, but it would show text reordered.
  const name = printableLine(title ?? runId);
  if (group === 'yours' && before !== 'yours')
    return [{ tag: `${runId} waits ${since}`, title: `${name} waits for you`, runId }];
  const hasEnded = group === 'done' || group === 'ready';
  if (hasEnded && (before === 'working' || before === 'queued' || before === 'yours'))
    return [{ tag: `${runId} ${state}`, title: `${name}: ${state}`, runId }];
  return [];
}

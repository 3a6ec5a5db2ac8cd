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

/** Of what changed between two looks; nothing of what was there when the page began. Pure. */
export function noticesOf(before: Live['rows'], after: Live['rows']): readonly Notice[] {
  if (before === null || after === null) return [];
  const newest = [...before.values()].reduce((last, { startedAt }) => (startedAt > last ? startedAt : last), '');
  return [...after.values()].flatMap((row) => {
    const group = before.get(row.runId)?.group ?? null;
    // The rest of a long list comes piece by piece, older runs last; a newer one has begun since.
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

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isClosedOnHost, markClosedOnHost } from '../../../activities/unit/closed-mark.js';
import { createFlushJournal } from '../../../activities/unit/flush-journal.js';
import { buryRecord } from '../../../activities/unit/run-tombstone.js';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import type { FlushJournalResult } from '../../../protocol/messages/messages.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { removeFolders } from '../git/repository-fixture.js';
import { aView, events } from '../journal/journal-builders.js';
import { type OpenedHost, openHost } from './opened-host.js';

afterEach(removeFolders);

/** `at`: the second in which the workflow made the batch. */
function flush(
  host: OpenedHost,
  lines: readonly JournalEvent[],
  at: number,
  view: Partial<RunView> = {},
): Promise<FlushJournalResult> {
  const { runId, repoKey } = host.run.record;
  const updatedAt = new Date(Date.parse('2026-11-21T10:00:00.000Z') + at * 1000).toISOString();
  const journal = {
    events: lines,
    view: aView({ runId, status: 'executing', seq: lines.at(-1)?.seq ?? 0, updatedAt, ...view }),
    gates: null,
  };
  return host.act(() => createFlushJournal(host.deps)({ run: { runId, repoKey }, journal }));
}

function state(host: OpenedHost): Partial<RunView> {
  return JSON.parse(readFileSync(join(host.run.record.runDir, 'state.json'), 'utf8')) as Partial<RunView>;
}

describe('flushJournal', () => {
  it('run out of order shows the newest, and answers each what it knows', async () => {
    const host = await openHost();

    const answers = [
      await flush(host, events(1, 5), 5),
      await flush(host, events(1, 3), 3),
      await flush(host, events(4, 6), 6),
    ];

    expect(answers).toEqual([{ journalSeq: 5 }, { journalSeq: 3 }, { journalSeq: 6 }]);
    expect(state(host).seq).toBe(6);
  });

  it('at once, many times over, loses and doubles no line', async () => {
    const host = await openHost();

    await Promise.all(Array.from({ length: 10 }, (_, n) => flush(host, events(1, 10 - n), 10 - n)));

    const lines = readFileSync(join(host.run.record.runDir, 'events.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as JournalEvent).seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(existsSync(join(host.run.record.runDir, 'events.1.jsonl'))).toBe(false);
    expect(state(host).seq).toBe(10);
  });

  it('by a late attempt does not open a closed run again, and a reset does', async () => {
    const host = await openHost();
    await flush(host, events(1, 6), 6, { status: 'merge_ready' });
    markClosedOnHost(host.run.stateDir, 'merge_ready', 'process');

    await flush(host, events(1, 4), 4);
    expect(isClosedOnHost(host.run.stateDir)).toBe(true);
    expect(state(host).status).toBe('merge_ready');

    await flush(host, events(3, 4, { message: 'after the reset' }), 60);
    expect(isClosedOnHost(host.run.stateDir)).toBe(false);
    expect(state(host)).toMatchObject({ status: 'executing', seq: 4 });
  });

  it('of a reset of a cleaned run writes its lines and does not open it again', async () => {
    const host = await openHost();
    buryRecord(host.run.stateDir, host.run.record, 'process');
    markClosedOnHost(host.run.stateDir, 'merge_ready', 'process');

    expect(await flush(host, events(1, 2), 5)).toEqual({ journalSeq: 2 });

    expect(isClosedOnHost(host.run.stateDir)).toBe(true);
  });
});

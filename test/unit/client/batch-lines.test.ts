import { describe, expect, it } from '@jest/globals';
import { listedRun } from '../../../client/calls/listed-run.js';
import {
  changedRows,
  exitCodeOfBatch,
  rowLine,
  sumLine,
  tableLines,
  withKnownOutcomes,
} from '../../../client/cli/watch/batch-lines.js';
import type { BatchRow, BatchView } from '../../../protocol/actors/batch.js';

function aRow(part: Partial<BatchRow> = {}): BatchRow {
  return {
    runId: 'nightly-0a1b2c3d',
    title: 'fix it',
    state: 'ended',
    outcome: 'merge_ready',
    blockedReason: null,
    branch: null,
    error: null,
    ...part,
  };
}

const WAITING = { state: 'waiting', outcome: null } as const;
const RUNNING = { state: 'running', outcome: null } as const;

function aView(...rows: Partial<BatchRow>[]): BatchView {
  return { batchId: 'nightly', workflowId: 'batch:nightly', aborted: false, rows: rows.map(aRow) };
}

describe('a batch for people', () => {
  it('tells a row when it begins, when it ends, and not in between', () => {
    const views = [
      [WAITING, WAITING],
      [RUNNING, WAITING],
      [RUNNING, WAITING],
      [{}, RUNNING],
      [{}, { outcome: 'failed' } as const],
    ];
    let before: readonly BatchRow[] = [];
    const told = views.map((rows) => {
      const now = rows.map((row, index) => aRow({ ...row, runId: String(index) }));
      const changed = changedRows(before, now);
      before = now;
      return changed.map(({ runId, state, outcome }) => `${runId} ${outcome ?? state}`);
    });

    expect(told).toEqual([[], ['0 running'], [], ['0 merge_ready', '1 running'], ['1 failed']]);
  });

  it('says why a run did not come out, and shows no control sequence of a title', () => {
    const line = rowLine(
      aRow({ outcome: 'blocked', blockedReason: 'validation_failed', error: 'npm test is red', title: 'a\u001b[2Jb' }),
    );

    expect(line).toContain('blocked: validation_failed (npm test is red)');
    expect(line).not.toContain('\u001b');
  });

  it('shows open and failed runs before others where there is little room, and says how many are hidden', () => {
    const view = aView(
      { title: 'good' },
      { ...WAITING, title: 'later' },
      { ...RUNNING, title: 'now' },
      { outcome: 'failed', title: 'bad' },
    );

    const lines = tableLines(view, { columns: 80, rows: 2 });

    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain('now');
    expect(lines[2]).toContain('bad');
    expect(lines[3]).toBe('… and 2 more');
    expect(sumLine(view)).toBe('4 tasks: 1 merge_ready, 1 waiting, 1 running, 1 failed');
  });

  it.each([
    ['every run is ready', 0, aView({}, {})],
    ['the rest was run before', 0, aView({}, { state: 'skipped', outcome: null })],
    ['a run is blocked', 3, aView({}, { outcome: 'blocked' })],
    ['a run changed nothing', 3, aView({}, { outcome: 'no_changes' })],
    ['it was aborted', 3, aView({}, { state: 'not_started', outcome: null })],
    ['a run was aborted', 3, aView({ outcome: 'aborted' })],
    ['a run failed and another is blocked', 2, aView({ outcome: 'blocked' }, { outcome: 'failed' })],
    ['a run was refused', 2, aView({ state: 'refused', outcome: null })],
  ])('when %s ends with exit code %i', (_name, code, view) => {
    expect(exitCodeOfBatch(view)).toBe(code);
  });

  it('takes the outcome of a skipped run from the list of runs', () => {
    const view = aView(
      { runId: 'nightly-1', state: 'skipped', outcome: null },
      { runId: 'nightly-2', state: 'skipped', outcome: null },
    );
    const run = listedRun({
      workflowId: 'nightly-1',
      execution: 'COMPLETED',
      startTime: new Date(0),
      memo: { status: 'failed' },
    });

    const known = withKnownOutcomes(view, [run]);

    expect(known.rows.map(({ state, outcome }) => `${state} ${outcome}`)).toEqual(['skipped failed', 'skipped null']);
    expect(exitCodeOfBatch(known)).toBe(2);
  });
});

describe('a task that stands twice in a list', () => {
  it('is skipped where it stands again, so that a good batch is done', () => {
    const skipped = aRow({ state: 'skipped', outcome: null, error: 'the same task is entry 1 of the list' });

    expect(
      exitCodeOfBatch({ batchId: 'nightly', workflowId: 'batch:nightly', aborted: false, rows: [aRow(), skipped] }),
    ).toBe(0);
  });
});

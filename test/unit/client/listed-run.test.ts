import { describe, expect, it } from '@jest/globals';
import { createColors } from 'picocolors';
import stringWidth from 'string-width';
import type { ListedExecution } from '../../../client/calls/listed-execution.js';
import { type ListedRun, newestPerWorkflow } from '../../../client/calls/listed-run.js';
import { isListed, readSince } from '../../../client/cli/commands/list.js';
import { plainRows, renderRuns } from '../../../client/cli/find/run-table.js';
import { age } from '../../../client/views/local-time.js';
import { stateWord, whereText } from '../../../client/views/run-status.js';
import { aListedRun } from '../../support/gate-builder.js';

const anExecution = (workflowId: string, start: string, over: Partial<ListedExecution> = {}): ListedExecution => ({
  workflowId,
  status: { name: 'COMPLETED' },
  startTime: new Date(start),
  closeTime: new Date('2026-11-21T13:00:00Z'),
  memo: { status: 'merge_ready', title: 'Fix it' },
  ...over,
});

const NOW = Date.parse('2026-11-26T10:00:00.000Z');
const CLOSED = { status: 'merge_ready', closedAt: '2026-11-21T11:00:00.000Z', execution: 'COMPLETED' } as const;
const LANDING = { merge: 'queued', base: 'main', entry: null, gate: null, paused: false, pull: null } as const;

describe('the list of runs', () => {
  it('shows a run that was reset once, by its newest execution', async () => {
    const runs = await newestPerWorkflow(
      [
        anExecution('shop-1', '2026-11-21T10:00:00Z', { status: { name: 'TERMINATED' } }),
        anExecution('shop-1', '2026-11-21T11:00:00Z'),
        anExecution('shop-2', '2026-11-21T10:30:00Z'),
      ],
      10,
    );

    expect(runs.map(({ runId, execution }) => [runId, execution])).toEqual([
      ['shop-1', 'COMPLETED'],
      ['shop-2', 'COMPLETED'],
    ]);
  });

  it('takes the open execution where the reset one began at the same moment', async () => {
    const { closeTime: _closed, ...running } = anExecution('shop-1', '2026-11-21T10:00:00Z', {
      status: { name: 'RUNNING' },
    });

    const runs = await newestPerWorkflow([anExecution('shop-1', '2026-11-21T10:00:00Z'), running], 10);

    expect(runs.map(({ execution }) => execution)).toEqual(['RUNNING']);
  });

  it('tells a start that was refused from a run that failed', async () => {
    const failed = { status: { name: 'FAILED' } };

    const runs = await newestPerWorkflow(
      [
        anExecution('shop-2', '2026-11-21T10:00:00Z', { ...failed, memo: { status: 'executing', title: 'Fix it' } }),
        anExecution('shop-1', '2026-11-21T09:00:00Z', { ...failed, memo: {} }),
      ],
      10,
    );
    const table = renderRuns(runs, { columns: () => 120, colors: createColors(false) });

    expect(runs.map(({ refused }) => refused)).toEqual([false, true]);
    expect(table).toMatch(/shop-1 +refused .* why: sluice watch shop-1/);
    expect(table).toMatch(/shop-2 +failed .* Fix it/);
  });

  it('shows the attempt and its failure before the title of a run that only retries', async () => {
    const [run] = await newestPerWorkflow(
      [anExecution('shop-1', '2026-11-21T09:00:00Z', { status: { name: 'RUNNING' } })],
      1,
    );
    const retrying = { activity: 'runTurn', attempt: 10, message: 'no space left on device' };

    const table = renderRuns(run === undefined ? [] : [{ ...run, retrying }], {
      columns: () => 120,
      colors: createColors(false),
    });

    expect(table).toContain('attempt 10: no space left on device · Fix it');
  });

  it.each([20, 30, 40, 60, 80, 120, 300])('never wraps a row at %d columns, whatever the titles are', (columns) => {
    const titles = ['漢字と絵文字🎉'.repeat(40), 'x'.repeat(500), '\u001b[2J\u202eevil\n', '👩‍👩‍👧‍👦 family', ''];
    const waits = { waiting: 'usage_limit', waitingUntil: new Date(NOW + 3_600_000).toISOString() };
    const runs = titles.flatMap((title, n) => [
      aListedRun(`newcomer-261126-bdz${n}`, { title, ...waits, costMicroUsd: 12_345_678, round: 2 }),
      aListedRun(`${'long-'.repeat(25)}${n}`, { title, status: 'merge_ready', closedAt: new Date(NOW).toISOString() }),
    ]);
    const lines = renderRuns(runs, { columns: () => columns, colors: createColors(false) }, NOW).split('\n');

    expect(lines).toHaveLength(runs.length + 1);
    expect(lines.filter((line) => stringWidth(line) >= columns)).toEqual([]);
    expect(lines.join('')).not.toMatch(/[\u001b\u202e]/);
  });

  it.each<[string, Partial<ListedRun>, string]>([
    ['at work', {}, 'works  executing'],
    ['in a round', { stage: 'fixing', round: 2 }, 'works  fixing, round 2'],
    ['at a gate', { status: 'waiting_for_approval', waiting: 'approval' }, 'waits  approval'],
    ['paused', { status: 'paused' }, 'paused  executing'],
    ['before it opened', { status: null, stage: null }, 'starting'],
    ['that was refused', { ...CLOSED, status: null, refused: true }, 'refused'],
    ['that is ready', { ...CLOSED, status: 'merge_ready' }, 'ready'],
    ['that failed', { ...CLOSED, status: 'failed' }, 'failed'],
    ['that landed', { ...CLOSED, landing: { ...LANDING, merge: 'merged' } }, 'merged'],
    ['that lands', { ...CLOSED, landing: { ...LANDING, entry: 'waiting' } }, 'lands  onto main'],
    ['whose landing is paused', { ...CLOSED, landing: { ...LANDING, paused: true } }, 'paused  to land'],
    ['that waits for its checkout', { ...CLOSED, landing: { ...LANDING, entry: 'ready' } }, 'lands  ready onto main'],
    ['whose landing waits', { ...CLOSED, landing: { ...LANDING, gate: 'checks_failed' } }, 'waits  checks failed'],
    ['that was given up', { ...CLOSED, landing: { ...LANDING, merge: 'abandoned' } }, 'given up'],
    ['of another server', { execution: 'UNKNOWN' }, 'unknown  executing'],
  ])('says of one %s in a word, and where', (_what, over, said) => {
    const run = aListedRun('shop-1', over);

    expect(`${stateWord(run)}  ${whereText(run)}`.trim()).toBe(said);
  });

  it('is whole in a pipe, with tabs and a time that names its zone', () => {
    const title = 'a long title '.repeat(40).trim();
    const run = aListedRun('shop-1', { title, since: '2026-11-21T10:00:00.000Z', costMicroUsd: 300_000 });

    expect(plainRows([run])).toEqual([`shop-1\tworks\texecuting\t2026-11-21T10:00:00.000Z\t$0.30\t${title}`]);
  });

  it.each([
    [59_000, 'now'],
    [-1, 'now'],
    [Number.NaN, 'now'],
    [180_000, '3 min'],
    [7_200_000, '2 h'],
    [5 * 86_400_000, '5 d'],
  ])('says how old a run is: %d ms are %s', (ms, text) => {
    expect(age(ms)).toBe(text);
  });

  it('leaves out what was not asked for: closed ones, older ones', () => {
    const open = { ...aListedRun('a', { since: '2026-11-21T10:00:00.000Z' }), runDir: null };
    const closed = { ...aListedRun('b', { ...CLOSED, since: '2026-11-20T10:00:00.000Z' }), runDir: null };
    const landing = { ...closed, landing: { ...LANDING, entry: 'waiting' as const } };
    const listed = (isOpenOnly: boolean, from: number | null) =>
      [open, closed, landing].map((run) => isListed(run, { open: isOpenOnly, waiting: false }, from));

    expect(listed(true, null)).toEqual([true, false, true]);
    expect(listed(false, Date.parse('2026-11-21T00:00:00.000Z'))).toEqual([true, false, false]);
    expect(readSince('2h', NOW)).toBe(NOW - 7_200_000);
    expect(readSince('2026-11-01T00:00:00.000Z', NOW)).toBe(Date.parse('2026-11-01T00:00:00.000Z'));
    expect(() => readSince('yesterday', NOW)).toThrow('--since is yesterday');
  });

  it('counts runs against the limit, not executions', async () => {
    const twice = [1, 2, 3].map((n) => anExecution('shop-1', `2026-11-21T10:0${n}:00Z`));

    const runs = await newestPerWorkflow(
      [...twice, anExecution('shop-2', '2026-11-21T09:00:00Z'), anExecution('shop-3', '2026-11-21T08:00:00Z')],
      2,
    );

    expect(runs.map(({ runId }) => runId)).toEqual(['shop-1', 'shop-2']);
  });
});

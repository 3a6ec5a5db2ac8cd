import { describe, expect, it } from '@jest/globals';
import { createColors } from 'picocolors';
import { type ListedExecution, newestPerWorkflow } from '../../../client/calls/listed-run.js';
import { renderTable } from '../../../client/cli/find/run-table.js';

const anExecution = (workflowId: string, start: string, over: Partial<ListedExecution> = {}): ListedExecution => ({
  workflowId,
  status: { name: 'COMPLETED' },
  startTime: new Date(start),
  closeTime: new Date('2026-11-21T13:00:00Z'),
  memo: { status: 'merge_ready', title: 'Fix it' },
  ...over,
});

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
    const table = renderTable(runs, { columns: () => 120, colors: createColors(false) });

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

    const table = renderTable(run === undefined ? [] : [{ ...run, retrying }], {
      columns: () => 120,
      colors: createColors(false),
    });

    expect(table).toContain('attempt 10: no space left on device · Fix it');
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

/** A list of runs tells of the tasks that have none yet. */
import { describe, expect, it } from '@jest/globals';
import type { ListedItem } from '../../../client/calls/backlog-calls.js';
import { tellTasks } from '../../../client/cli/commands/list.js';
import { findRun } from '../../../client/cli/find/find-run.js';
import type { Sluice } from '../../../client/sluice.js';
import { openTerminal } from './fake-io.js';

const anItem = (state: ListedItem['state'], closedAt: string | null = null): ListedItem => ({
  project: 'shop',
  id: '1',
  workflowId: 'item:shop/1',
  title: 'one',
  repo: '/shop',
  state,
  reason: null,
  head: null,
  isHeld: false,
  waits: null,
  why: null,
  run: null,
  runs: 0,
  branch: null,
  startedAt: '2026-11-21T10:00:00.000Z',
  closedAt,
});

async function told(items: readonly ListedItem[], live = true): Promise<readonly string[]> {
  const terminal = openTerminal({ live });
  await tellTasks(terminal.context, { items: () => Promise.resolve(items) }, { all: true });
  return terminal.err;
}

describe('tasks that wait', () => {
  it('are counted on a terminal, those that are to be approved apart', async () => {
    const items = [anItem('queued'), anItem('queued'), anItem('gated'), anItem('running'), anItem('queued', 'x')];

    expect(await told(items)).toEqual(['(tasks that wait: 2 queued, 1 to approve: sluice queue)']);
    expect(await told([anItem('gated')])).toEqual(['(tasks that wait: 1 to approve: sluice queue)']);
  });

  it('are called unknown where the server does not answer', async () => {
    const terminal = openTerminal();
    await tellTasks(terminal.context, { items: () => Promise.reject(new Error('14 UNAVAILABLE')) }, { all: true });

    expect(terminal.err).toEqual(['(tasks that wait are not known: 14 UNAVAILABLE)']);
  });

  it('are nothing to tell where there is none, in a pipe, or while the engine is down', async () => {
    const terminal = openTerminal();
    await tellTasks(terminal.context, null, { all: true });

    expect(terminal.err).toEqual([]);
    expect(await told([anItem('running'), anItem('parked')])).toEqual([]);
    expect(await told([anItem('queued')], false)).toEqual([]);
  });
});

describe('a name that no run has', () => {
  const find = (items: Sluice['items']) => {
    const part: Pick<Sluice, 'list' | 'items'> = { list: async () => [], items };
    return findRun(openTerminal().context, part as Sluice, 'one');
  };

  it('may be of a task that waits, or of one that the server does not tell', async () => {
    await expect(find(async () => [anItem('queued')])).rejects.toThrow('the task shop-1 has no run yet');
    await expect(find(async () => [])).rejects.toMatchObject({ parts: { now: 'Nothing was changed.' } });
    await expect(find(() => Promise.reject(new Error('14 UNAVAILABLE')))).rejects.toMatchObject({
      parts: {
        what: 'no run has "one" in its id or title',
        now: 'Nothing was changed. Whether a task is called so is not known: 14 UNAVAILABLE',
      },
    });
  });
});

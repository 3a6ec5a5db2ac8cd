/** Watching a task that has no run yet, over a server that does not answer for a while. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ListedItem } from '../../../client/calls/backlog-calls.js';
import { awaitRunOfTask } from '../../../client/cli/watch/await-task.js';
import type { Sluice } from '../../../client/sluice.js';
import { BUILT_ANEW } from '../../../config/system/error-code.js';
import type { ItemView } from '../../../protocol/actors/item.js';
import { openTerminal } from './fake-io.js';

const LISTED: ListedItem = {
  project: 'shop',
  id: '1',
  workflowId: 'item:shop/1',
  title: 'one',
  repo: '/shop',
  state: 'queued',
  reason: null,
  head: null,
  isHeld: false,
  waits: null,
  why: null,
  run: null,
  runs: 0,
  branch: null,
  startedAt: '2026-11-21T10:00:00.000Z',
  closedAt: null,
};

/** Answers one after the other; `away` is none. */
async function awaited(answers: readonly ('away' | Error | Partial<ItemView> | null)[], each: () => void = () => {}) {
  const terminal = openTerminal();
  let asked = 0;
  const sluice = {
    items: () => Promise.resolve([LISTED]),
    item: () => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      each();
      if (answer instanceof Error) return Promise.reject(answer);
      return answer === 'away' ? Promise.reject(new Error('14 UNAVAILABLE')) : Promise.resolve(answer);
    },
  } as unknown as Sluice; // Nothing else of it is asked.
  return { end: await awaitRunOfTask(terminal.context, sluice, '1'), said: terminal.err };
}

describe('a task that waits for its turn', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is watched on once its server answers again', async () => {
    const { end, said } = await awaited(['away', { run: 'shop-1', state: 'running' }]);

    expect(end).toEqual({ kind: 'run', runId: 'shop-1' });
    expect(said).toEqual(['shop-1 waits, and the server does not answer; it is watched once it runs']);
  });

  it('is left at once where a part of the program is gone that asks for it', async () => {
    const gone = Object.assign(new Error('it was built anew'), { code: BUILT_ANEW });

    await expect(awaited([gone, { run: 'shop-1', state: 'running' }])).rejects.toBe(gone);
  });

  it('is left where its server stays away, and has no run where it is parked or gone', async () => {
    let now = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    const away = await awaited(['away'], () => (now += 31_000));

    expect(away.end).toEqual({ kind: 'server_away' });
    expect((await awaited([{ run: null, state: 'parked' }])).end).toEqual({ kind: 'none' });
    expect((await awaited([null])).end).toEqual({ kind: 'none' });
  });
});

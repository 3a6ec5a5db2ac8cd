import { describe, expect, it } from '@jest/globals';
import type { ListedRun } from '../../../client/calls/listed-run.js';
import { type WatchedRuns, watchAll } from '../../../client/cli/watch/watch-all.js';
import { BUILT_ANEW } from '../../../config/system/error-code.js';
import { aListedRun } from '../../support/gate-builder.js';
import { openTerminal } from './fake-io.js';

const CLOSED = { closedAt: '2026-11-21T11:00:00.000Z' };
const a = (over: Partial<ListedRun> = {}) => aListedRun('a', over);
const b = (over: Partial<ListedRun> = {}) => aListedRun('b', over);
const old = aListedRun('old', { status: 'failed', ...CLOSED });

/** Each look answers the next list; an error where the server is away. */
function looks(lists: readonly (readonly ListedRun[] | Error)[]): WatchedRuns {
  let next = 0;
  return {
    everyMs: 1,
    serverAwayMs: 50,
    async look() {
      const answer = lists[Math.min(next, lists.length - 1)];
      next += 1;
      if (answer instanceof Error || answer === undefined) throw answer ?? new Error('no answer');
      return answer;
    },
  };
}

const both = [a(), b(), old];
const done = [a({ status: 'merge_ready', ...CLOSED }), b({ status: 'merge_ready', ...CLOSED }), old];

describe('watching all runs', () => {
  it('tells every change on one line in a pipe, and nothing of runs that were closed before', async () => {
    const { context, out } = openTerminal({ live: false });

    const code = await watchAll(
      context,
      looks([both, both, [a(), b({ status: 'waiting_for_approval', waiting: 'approval' }), old], done]),
    );

    expect(code).toBe(0);
    expect(out).toHaveLength(5);
    expect(out[2]).toMatch(/ b waiting_for_approval \(waits: approval\) {2}sluice approvals show b/);
    expect(out.join('\n')).not.toContain('old');
  });

  it('is one object a change with --json', async () => {
    const { context, objects } = openTerminal({}, true);

    await watchAll(context, looks([both, done]));

    expect(objects.map((object) => object)).toMatchObject([
      { kind: 'run', runId: 'a', status: 'executing' },
      { kind: 'run', runId: 'b', status: 'executing' },
      { kind: 'run', runId: 'a', status: 'merge_ready' },
      { kind: 'run', runId: 'b', status: 'merge_ready' },
    ]);
  });

  it.each<[ListedRun['status'], number]>([
    ['merge_ready', 0],
    ['blocked', 3],
    ['aborted', 3],
    ['failed', 2],
  ])('ends with the weightiest code: one %s gives %d', async (status, code) => {
    const { context } = openTerminal({ live: false });

    expect(
      await watchAll(context, looks([both, [a({ status, ...CLOSED }), b({ status: 'merge_ready', ...CLOSED })]])),
    ).toBe(code);
  });

  it('redraws its table in place on a terminal', async () => {
    const { context, written } = openTerminal();

    await watchAll(context, looks([both, both, done]));

    expect(written).toHaveLength(2);
    expect(written[1]).toMatch(/^\r\u001b\[\d+A\u001b\[0J/);
  });

  it('goes on over a server that comes back, and gives up one that stays away', async () => {
    const away = openTerminal({ live: false });

    expect(await watchAll(openTerminal({ live: false }).context, looks([both, new Error('away'), done]))).toBe(0);
    expect(await watchAll(away.context, looks([both, new Error('away')]))).toBe(130);
    expect(away.err.join('\n')).toContain('sluice up');
  });

  it('ends at once where a part of the program is gone that looks', async () => {
    const gone = Object.assign(new Error('it was built anew'), { code: BUILT_ANEW });
    const { context, err } = openTerminal({ live: false });

    await expect(watchAll(context, looks([both, gone]))).rejects.toBe(gone);
    expect(err).toEqual([]);
  });

  it('detaches and says how to come back', async () => {
    const { context, stopping, err } = openTerminal({ live: false });
    const code = watchAll(context, looks([both]));

    stopping.abort();

    expect(await code).toBe(130);
    expect(err.join('\n')).toContain('sluice watch');
  });
});

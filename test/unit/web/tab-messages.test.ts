/** What the tabs of a browser tell each other: one that comes later lacks nothing. */
import { describe, expect, it } from '@jest/globals';
import type { RunRow } from '../../../client/http/shapes.js';
import { applyEvent, keepOnly, type Live, NOTHING_LIVE, runOf } from '../../../page/state/live.js';
import { eventsOf, Leadership, topicsWanted } from '../../../page/state/tab-messages.js';

const ROW: RunRow = {
  runId: 'a',
  state: 'works',
  title: 'a',
  group: 'working',
  where: '',
  retrying: null,
  since: '',
  startedAt: '',
  costMicroUsd: null,
  repo: null,
  branch: null,
  host: null,
};

const line = (seq: number) => ({ seq, timestamp: '', type: 'state.changed', message: `line ${seq}` });

describe('the topics of a stream', () => {
  it('are those of all tabs, each once, the last asked for first', () => {
    const wants = new Map([
      ['one', ['a', 'b']],
      ['two', []],
      ['three', ['b', 'c']],
    ]);

    expect(topicsWanted(wants)).toEqual(['b', 'c', 'a']);
  });

  it('are as many as an address of a stream may name beside the list', () => {
    const wants = new Map(Array.from({ length: 50 }, (_, n) => [`tab-${n}`, [`run-${n}`]]));

    expect(topicsWanted(wants)).toHaveLength(31);
    expect(topicsWanted(wants)[0]).toBe('run-49');
  });
});

describe('a tab that comes later', () => {
  it('knows the same after what it is told', () => {
    const work = { kind: 'agent', command: null, since: '', lines: ['one'] };
    const source = { kind: 'server', why: null } as const;
    const shown = keepOnly(NOTHING_LIVE, ['run:a', 'run:not-known', 'live:a/2', 'batch:b']);
    const known = [
      { topic: 'list', whole: true, rows: [ROW], gone: [], source },
      { topic: 'list', whole: false, rows: [], gone: [], source },
      { topic: 'list', whole: true, rows: [{ ...ROW, runId: 'b' }], gone: [], source },
      { topic: 'run', runId: 'a', whole: true, position: '2.00000000', events: [line(1), line(2)] },
      { topic: 'work', runId: 'a', work },
      { topic: 'limits', page: { accounts: [], budgets: [], source } },
      { topic: 'live', runId: 'a', turn: 2, whole: true, position: '1.3', text: 'one' },
      { topic: 'batch', id: 'b', page: { workflowId: 'b', aborted: false, rows: [] }, why: null },
    ] as const;
    const first = known.reduce((live, event) => applyEvent(live, structuredClone(event) as never), shown);

    const second = eventsOf(first, ['run:a', 'run:not-known', 'limits', 'live:a/2', 'batch:b', 'batches']).reduce(
      applyEvent,
      shown,
    );
    const ids = ({ rows }: Live) => [...(rows?.keys() ?? [])];
    const ends = [first, second].map((live) =>
      applyEvent(live, { topic: 'list', whole: false, rows: [], gone: [], source }),
    );

    expect(second.rows).toEqual(first.rows);
    expect([first, second, ...ends].map(ids)).toEqual([['a'], ['a'], ['b'], ['b']]);
    expect(runOf(second, 'a')).toMatchObject({ events: runOf(first, 'a').events, position: '2.00000000', work });
    expect([second.limits, second.batch, second.texts]).toEqual([first.limits, first.batch, first.texts]);
    expect(second.batches).toBeNull();
    expect(second.runs.has('not-known')).toBe(false);
  });

  it('is told nothing that is not known yet', () => {
    expect(eventsOf(NOTHING_LIVE, ['run:a', 'limits', 'landings', 'batches', 'batch:b'])).toEqual([]);
  });
});

describe('tabs of which one leads', () => {
  it('hear no more of one that was halted, once another leads', () => {
    const [halted, next, other] = [new Leadership(), new Leadership(), new Leadership()];
    halted.begin(1_000);
    const before = [next.hears(halted), other.hears(halted)];
    next.begin(2_000);

    expect(before).toEqual([true, true]);
    expect([other.hears(next), other.hears(halted), next.hears(halted)]).toEqual([true, false, false]);
    expect([halted.isOver, next.isOver]).toEqual([false, false]);
    expect(halted.hears(next)).toBe(true);
    expect(halted.isOver).toBe(true);
  });

  it('hear the next one though the clock was set back', () => {
    const [first, next, other] = [new Leadership(), new Leadership(), new Leadership()];
    first.begin(5_000);
    for (const tab of [next, other]) tab.hears(first);
    next.begin(1_000);

    expect([other.hears(next), other.hears(first)]).toEqual([true, false]);
  });
});

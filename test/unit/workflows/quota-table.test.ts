import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { closedUntil } from '../../../protocol/actors/quota.js';
import {
  afterEvent,
  isIdle,
  NOBODY_WAITS,
  type QuotaEvent,
  type QuotaState,
  type Send,
  viewOf,
  wakesAt,
} from '../../../workflows/quota/quota-table.js';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const at = (ms: number) => new Date(NOW + ms).toISOString();

const park = (
  run: string,
  until: string | null = at(HOUR_MS),
  over: Partial<Extract<QuotaEvent, { kind: 'park' }>> = {},
): QuotaEvent => ({
  kind: 'park',
  workflowId: run,
  wait: `${run}-1`,
  limit: 'usage',
  until,
  turnMs: 20 * MINUTE_MS,
  overdue: false,
  ...over,
});
const rated = (run: string, until: string) => park(run, until, { limit: 'rate' });
const probed = (run: string, result: 'limited' | 'passed' | 'gone', until: string | null = null): QuotaEvent => ({
  kind: 'probed',
  workflowId: run,
  wait: `${run}-1`,
  result,
  until,
});
const TICK: QuotaEvent = { kind: 'tick' };

/** Events with the ms after NOW at which they come. */
function play(...events: readonly (readonly [number, QuotaEvent])[]) {
  let state: QuotaState = NOBODY_WAITS;
  const sends: Send[] = [];
  for (const [ms, event] of events) {
    const step = afterEvent(state, event, NOW + ms);
    state = step.state;
    sends.push(...step.errands);
  }
  const told = sends.map(({ workflowId, word }) => `${workflowId} ${word.word}`);
  return { state, sends, told, view: viewOf('robot/default', state) };
}

const THREE = [
  [0, park('a')],
  [1, park('b')],
  [2, park('c')],
] as const;
const PROBING = [...THREE, [HOUR_MS, TICK]] as const;

describe('a quota gate', () => {
  it('closes with the first that waits, tells nobody what they know, and does nothing before its time', () => {
    const { state, told, view } = play(...THREE, [HOUR_MS - 1, TICK]);

    expect(view).toMatchObject({
      state: 'closed',
      until: at(HOUR_MS),
      since: at(0),
      waiting: 3,
      runs: ['a', 'b', 'c'],
      probe: null,
      refusals: 0,
      note: null,
    });
    expect(told).toEqual([]);
    expect(wakesAt(state)).toBe(NOW + HOUR_MS);
  });

  it('takes the seats of one workflow for as many waiters: one of them meets no limit that another one passed', () => {
    const seat = (name: string, over = {}) => park('item', at(HOUR_MS), { seat: name, wait: name, ...over });
    const asked = [
      [0, seat('plan')],
      [1, seat('classify')],
      [2, park('a')],
    ] as const;
    const probing = [...asked, [HOUR_MS, TICK]] as const;

    expect(play(...asked).view).toMatchObject({ waiting: 3, runs: ['item', 'item', 'a'] });
    expect(play(...probing).told).toEqual(['item probe', 'item probing', 'a probing']);
    const late = [...probing, [HOUR_MS + 1, seat('classify', { overdue: true })]] as const;
    expect(play(...late).view).toMatchObject({ state: 'probing', waiting: 2, refusals: 0 });
    const passed = { kind: 'probed', workflowId: 'item', wait: 'plan', result: 'passed', until: null } as const;
    expect(play(...late, [HOUR_MS + 2, passed]).view).toMatchObject({ state: 'open', waiting: 0 });
    const again = [...probing, [HOUR_MS + 1, seat('plan', { wait: 'plan-2' })]] as const;
    expect(play(...again).view).toMatchObject({ state: 'closed', refusals: 1, waiting: 3 });
    expect(play(...again).sends.filter(({ word }) => word.wait === 'plan')).toHaveLength(1);
  });

  it('lets the oldest probe at the reset and tells the others by when there is news', () => {
    const { sends, view } = play(...PROBING);
    const by = at(HOUR_MS + 30 * MINUTE_MS);

    expect(view).toMatchObject({ state: 'probing', probe: 'a', until: by, waiting: 2 });
    expect(sends).toEqual([
      { workflowId: 'a', word: { wait: 'a-1', word: 'probe', opening: at(HOUR_MS) } },
      { workflowId: 'b', word: { wait: 'b-1', word: 'probing', until: by } },
      { workflowId: 'c', word: { wait: 'c-1', word: 'probing', until: by } },
    ]);
  });

  it('opens for all once the probe went well, with one word for all, and is idle', () => {
    const { sends, state } = play(...PROBING, [HOUR_MS + 5, probed('a', 'passed')]);

    expect(sends.slice(3)).toEqual(
      ['b', 'c'].map((run) => ({
        workflowId: run,
        word: { wait: `${run}-1`, word: 'open', opening: at(HOUR_MS + 5) },
      })),
    );
    expect(isIdle(state)).toBe(true);
    expect(wakesAt(state)).toBeNull();
  });

  it('closes anew where the probe meets the limit again, tells who waits, and lets the next one probe', () => {
    const again = [
      ...PROBING,
      [HOUR_MS + 5, probed('a', 'limited', at(3 * HOUR_MS))],
      [HOUR_MS + 6, park('a', at(3 * HOUR_MS), { wait: 'a-2' })],
    ] as const;
    const { told, view } = play(...again);

    expect(view).toMatchObject({ state: 'closed', until: at(3 * HOUR_MS), refusals: 1, runs: ['b', 'c', 'a'] });
    expect(told.slice(3)).toEqual(['b hold', 'c hold']);
    expect(play(...again, [3 * HOUR_MS, TICK]).view.probe).toBe('b');
  });

  it('takes a probe that waits again for one that met the limit, though it could not say so', () => {
    const { view, told } = play(...PROBING, [HOUR_MS + 5, park('a', at(2 * HOUR_MS), { wait: 'a-2' })]);

    expect(view).toMatchObject({ state: 'closed', until: at(2 * HOUR_MS), refusals: 1, runs: ['b', 'c', 'a'] });
    expect(told.slice(3)).toEqual(['b hold', 'c hold']);
  });

  it.each([
    ['is gone', [HOUR_MS + 5, probed('a', 'gone')]],
    ['left', [HOUR_MS + 5, { kind: 'leave', workflowId: 'a', wait: 'a-1' }]],
    ['cannot be reached', [HOUR_MS + 5, { kind: 'unreachable', workflowId: 'a' }]],
    ['says nothing for its turn and ten minutes', [HOUR_MS + 30 * MINUTE_MS, TICK]],
  ] as const)('lets the next one probe where the probe %s', (_what, event) => {
    const { view, told } = play(...PROBING, event);

    expect(view).toMatchObject({ state: 'probing', probe: 'b', runs: ['c'] });
    expect(told.slice(3)).toEqual(['b probe', 'c probing']);
  });

  it('opens when a probe that was given up went well after all, and hears nothing else of it', () => {
    const givenUp = [...PROBING, [2 * HOUR_MS, TICK]] as const;

    expect(play(...givenUp, [2 * HOUR_MS + 1, probed('a', 'passed')]).told.slice(-1)).toEqual(['c open']);
    expect(play(...givenUp, [2 * HOUR_MS + 1, probed('a', 'limited')]).view).toMatchObject({
      state: 'probing',
      probe: 'b',
    });
  });

  it('opens when nobody is left to probe', () => {
    const gone = play([0, park('a')], [1, { kind: 'leave', workflowId: 'a', wait: 'a-1' }]);

    expect(gone.view).toMatchObject({ state: 'closed', waiting: 0 });
    expect(
      isIdle(play([0, park('a')], [1, { kind: 'leave', workflowId: 'a', wait: 'a-1' }], [HOUR_MS, TICK]).state),
    ).toBe(true);
    expect(isIdle(play([0, park('a')], [HOUR_MS, TICK], [HOUR_MS, probed('a', 'gone')]).state)).toBe(true);
  });

  it('opens at once when a person says so, also while a run probes', () => {
    expect(play(...THREE, [5, { kind: 'open' }]).told).toEqual(['a open', 'b open', 'c open']);
    expect(play(...PROBING, [HOUR_MS + 1, { kind: 'open' }]).told.slice(3)).toEqual(['b open', 'c open']);
    expect(play([0, { kind: 'open' }])).toMatchObject({ state: NOBODY_WAITS, told: [] });
  });

  it('takes the earliest time that was told: a late one that is wrong would hold everybody', () => {
    const { view, told } = play(
      [0, park('a', at(10 * HOUR_MS))],
      [1, park('b', at(HOUR_MS))],
      [2, park('c', at(5 * HOUR_MS))],
    );

    expect(view.until).toBe(at(HOUR_MS));
    expect(told).toEqual(['c hold']);
  });

  it('takes a told time for one that nobody told, and not the other way round', () => {
    expect(play([0, park('a', null)], [1, park('b', at(3 * HOUR_MS))]).view.until).toBe(at(3 * HOUR_MS));
    expect(play([0, park('a', at(3 * HOUR_MS))], [1, park('b', null)])).toMatchObject({
      view: { until: at(3 * HOUR_MS) },
      told: ['b hold'],
    });
    expect(play([0, park('a', null)]).view).toMatchObject({
      until: new Date(closedUntil(null, NOW, 0).at).toISOString(),
      note: expect.stringContaining('did not say'),
    });
  });

  it('tells a run that comes while another probes by when there is news', () => {
    expect(play(...PROBING, [HOUR_MS + 1, park('d')]).told.slice(3)).toEqual(['d probing']);
  });

  it('is not changed by a message that comes twice, or after the run was let go', () => {
    const twice = play(...THREE, [5, park('b')]);
    const late = play(
      ...PROBING,
      [HOUR_MS + 5, probed('a', 'passed')],
      [HOUR_MS + 6, park('b')],
      [HOUR_MS + 6, park('a')],
    );

    expect(twice.view.runs).toEqual(['a', 'c', 'b']);
    expect(isIdle(late.state)).toBe(true);
    expect(play(...PROBING, [HOUR_MS + 1, park('a')]).view).toMatchObject({
      state: 'probing',
      probe: 'a',
      refusals: 0,
    });
  });

  it('lets a run probe at once that waited out its time at a gate that was lost', () => {
    const { view } = play(
      [0, park('a', null, { overdue: true })],
      [0, TICK],
      [1, park('b', at(-1), { overdue: true })],
    );

    expect(view).toMatchObject({ state: 'probing', probe: 'a', runs: ['b'] });
  });

  it('opens for all at the end of a rate limit, without a probe: of several the latest counts, and who waits hears of it', () => {
    const { told, view, state } = play(
      [0, rated('a', at(2_000))],
      [1, rated('b', at(9_000))],
      [2, rated('c', at(4_000))],
      [8_999, TICK],
    );

    expect(view).toMatchObject({ state: 'closed', limit: 'rate', until: at(9_000), runs: ['a', 'b', 'c'] });
    expect(told).toEqual(['a hold', 'c hold']);
    const opened = afterEvent(state, TICK, NOW + 9_000);
    expect(opened.errands.map(({ workflowId, word }) => `${workflowId} ${word.word}`)).toEqual([
      'a open',
      'b open',
      'c open',
    ]);
    expect(isIdle(opened.state)).toBe(true);
  });

  it('keeps runs with a rate limit waiting for a usage limit of their account, whichever came first', () => {
    const later = play([0, rated('a', at(2_000))], [1, park('b')]);
    const before = play([0, park('b')], [1, rated('a', at(2_000))]);

    for (const { view, told } of [later, before]) {
      expect(view).toMatchObject({ state: 'closed', limit: 'usage', until: at(HOUR_MS), waiting: 2 });
      expect(told).toEqual(['a hold']);
    }
    expect(play(...PROBING, [HOUR_MS + 1, rated('d', at(HOUR_MS + 2_000))]).told.slice(3)).toEqual(['d probing']);
  });

  it('answers a run that asks again with what it knows', () => {
    const { told, view } = play([0, park('a', at(3 * HOUR_MS))], [HOUR_MS, park('a', null, { overdue: true })]);

    expect(told).toEqual(['a hold']);
    expect(view).toMatchObject({ state: 'closed', until: at(3 * HOUR_MS), waiting: 1 });
  });

  const runs = fc.constantFrom('a', 'b', 'c', 'd');
  const anEvent: fc.Arbitrary<QuotaEvent> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .tuple(
          runs,
          fc.nat(3),
          fc.option(fc.integer({ min: -HOUR_MS, max: 50 * 24 * HOUR_MS })),
          fc.boolean(),
          fc.constantFrom('usage', 'rate'),
        )
        .map(([run, n, ms, overdue, limit]) =>
          park(run, ms === null ? null : at(ms), { wait: `${run}-${n}`, overdue, limit }),
        ),
    },
    { weight: 3, arbitrary: fc.constant(TICK) },
    fc
      .tuple(runs, fc.constantFrom('limited', 'passed', 'gone'), fc.nat(3))
      .map(([run, result, n]) => ({ ...probed(run, result), wait: `${run}-${n}` }) as QuotaEvent),
    fc.tuple(runs, fc.nat(3)).map(([run, n]) => ({ kind: 'leave', workflowId: run, wait: `${run}-${n}` }) as const),
    runs.map((workflowId) => ({ kind: 'unreachable', workflowId }) as const),
    fc.constant({ kind: 'open' } as const),
  );

  it('holds, whatever comes: one probe, every waiter once, each wait let go at most once, and a timer for whoever waits', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3 * HOUR_MS), anEvent), { maxLength: 60 }), (steps) => {
        let state = NOBODY_WAITS;
        let now = NOW;
        const letGo: string[] = [];
        for (const [ms, event] of steps) {
          now += ms;
          const { state: next, errands } = afterEvent(state, event, now);
          const released = errands.flatMap(({ word }) =>
            word.word === 'probe' || word.word === 'open' ? [word.wait] : [],
          );
          const waiting = next.waiters.map(({ workflowId }) => workflowId);

          expect(errands.filter(({ word }) => word.word === 'probe').length).toBeLessThanOrEqual(1);
          expect(new Set(waiting).size).toBe(waiting.length);
          expect(released.filter((wait) => letGo.includes(wait))).toEqual([]);
          expect(next.mode.kind === 'open').toBe(wakesAt(next) === null);
          if (next.mode.kind === 'open') expect(waiting).toEqual([]);
          if (next.mode.kind === 'probing') expect(waiting).not.toContain(next.mode.waiter.workflowId);
          expect(JSON.parse(JSON.stringify(next))).toEqual(next);
          letGo.push(...released);
          state = next;
        }
      }),
    );
  });
});

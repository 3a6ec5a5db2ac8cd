/** The list of runs for many readers, each at its own pace. */
import { describe, expect, it } from '@jest/globals';
import { ListFeed } from '../../../client/http/list-feed.js';
import type { ListedRuns } from '../../../client/http/list-runs.js';
import { applyEvent, type Live, NOTHING_LIVE } from '../../../page/state/live.js';
import { noticesOf } from '../../../page/state/notices.js';
import { aFoundRun } from './a-found-run.js';

/** A list that a test changes; each look is one that it awaits. */
function openFeed() {
  let runs: ListedRuns['runs'] = [];
  let looked: () => void = () => {};
  const lister = {
    async list(): Promise<ListedRuns> {
      return { runs, source: { kind: 'server', why: null } };
    },
  };
  const feed = new ListFeed(lister, 1);
  feed.wakers.add(() => looked());
  return {
    feed,
    async show(now: ListedRuns['runs']) {
      runs = now;
      // Two looks: one may have begun before.
      for (const _ of [1, 2])
        await new Promise<void>((resolve) => {
          looked = resolve;
        });
    },
  };
}

function takeAll(live: Live, next: ReturnType<ListFeed['reader']>): { readonly live: Live; readonly events: number } {
  let known = live;
  let events = 0;
  for (let event = next(); event !== null; event = next()) {
    known = applyEvent(known, event);
    events += 1;
  }
  return { live: known, events };
}

const ids = ({ rows }: Live) => [...(rows?.keys() ?? [])].toSorted((a, b) => a.localeCompare(b));

describe('the live list', () => {
  it('tells a new reader all of it in pieces, and then only what changed', async () => {
    const { feed, show } = openFeed();
    const many = Array.from({ length: 250 }, (_, n) => aFoundRun(`run-${n}`));
    await show(many);
    const next = feed.reader();

    const first = takeAll(NOTHING_LIVE, next);
    await show([aFoundRun('run-0', { title: 'another' }), ...many.slice(1, 200)]);
    const event = next();

    expect([first.events, first.live.rows?.size]).toEqual([4, 250]);
    expect(event).toMatchObject({ whole: false, rows: [{ runId: 'run-0', title: 'another' }] });
    expect(event?.topic === 'list' && event.gone).toHaveLength(50);
    expect(next()).toMatchObject({ whole: false, rows: [], gone: [] });
    expect(next()).toBeNull();
    feed.close();
  });

  it('is told anew to who knows it already without a row that goes and comes back, or a notice of what is old', async () => {
    const { feed, show } = openFeed();
    const startedAt = (n: number) => ({ startedAt: `2026-01-01T00:00:00.${String(n).padStart(3, '0')}Z` });
    const many = Array.from({ length: 153 }, (_, n) => aFoundRun(`run-${n}`, startedAt(n)));
    await show(many);
    const atGate = { status: 'waiting_for_approval', waiting: 'approval' } as const;
    await show(many.map((run, n) => (n < 5 || n > 147 ? { ...run, ...atGate } : run)));
    let { live } = takeAll(NOTHING_LIVE, feed.reader());
    const next = feed.reader();
    const seen: unknown[] = [];
    const told: unknown[] = [];

    for (let event = next(); event !== null; event = next()) {
      const before = live;
      live = applyEvent(live, event);
      told.push(...noticesOf(before, live));
      seen.push(live.rows?.size);
    }

    expect([told, seen]).toEqual([[], [153, 153, 153]]);
    expect([...(live.rows?.values() ?? [])].filter(({ group }) => group === 'yours')).toHaveLength(10);
    feed.close();
  });

  it('leaves one who reads late with the same as one who reads at once', async () => {
    const { feed, show } = openFeed();
    await show([aFoundRun('a'), aFoundRun('b')]);
    const early = feed.reader();
    const late = feed.reader();
    let known = takeAll(NOTHING_LIVE, early).live;
    for (const runs of [['b', 'c'], ['c'], ['a', 'c', 'd']]) {
      await show(runs.map((runId) => aFoundRun(runId)));
      known = takeAll(known, early).live;
    }

    expect(ids(takeAll(NOTHING_LIVE, late).live)).toEqual(['a', 'c', 'd']);
    expect(ids(known)).toEqual(['a', 'c', 'd']);
    feed.close();
  });

  it('is known to be empty', async () => {
    const { feed, show } = openFeed();
    const next = feed.reader();
    await show([]);

    expect([next(), next()]).toMatchObject([{ whole: true, rows: [] }, null]);
    feed.close();
  });

  it('tells readers who lack the same with the same event, and one who was told another with his own', async () => {
    const { feed, show } = openFeed();
    const many = Array.from({ length: 150 }, (_, n) => aFoundRun(`run-${n}`));
    await show(many);
    const [one, other] = [feed.reader(), feed.reader()];
    const pieces = [one(), other(), one(), other()];
    await show([aFoundRun('run-0', { title: 'another' }), ...many.slice(1)]);
    const changes = [one(), other(), feed.reader()()];
    feed.close();

    expect([pieces[0] === pieces[1], pieces[2] === pieces[3], changes[0] === changes[1]]).toEqual([true, true, true]);
    expect(pieces[2]).toMatchObject({ whole: false, rows: { length: 50 } });
    expect(changes[0]).toMatchObject({ whole: false, rows: [{ title: 'another' }] });
    expect(changes[2]).toMatchObject({ whole: true, rows: { 0: { runId: 'run-1' }, length: 100 } });
  });
});

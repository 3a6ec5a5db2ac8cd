/** The list of runs for many readers, each at its own pace. */
import { describe, expect, it } from '@jest/globals';
import { ListFeed } from '../../../client/http/list-feed.js';
import type { ListedRuns } from '../../../client/http/list-runs.js';
import { applyEvent, type Live, NOTHING_LIVE } from '../../../page/state/live.js';
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

    expect([first.events, first.live.rows?.size]).toEqual([3, 250]);
    expect(event).toMatchObject({ whole: false, rows: [{ runId: 'run-0', title: 'another' }] });
    expect(event?.topic === 'list' && event.gone).toHaveLength(50);
    expect(next()).toBeNull();
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

/** What the page knows after each event of the stream. */
import { describe, expect, it } from '@jest/globals';
import type { JournalLine, RunRow, Source } from '../../../client/http/shapes.js';
import { applyEvent, keepOnly, type Live, NOTHING_LIVE, runOf, topicsFor } from '../../../page/state/live.js';

const SOURCE: Source = { kind: 'server', why: null };

const row = (runId: string, state = 'works'): RunRow => ({
  runId,
  state,
  title: runId,
  group: 'working',
  where: '',
  retrying: null,
  since: '',
  startedAt: '',
  costMicroUsd: null,
  repo: null,
  branch: null,
  host: null,
});

const line = (seq: number): JournalLine => ({ seq, timestamp: '', type: 'state.changed', message: `line ${seq}` });

type More = { readonly whole?: boolean; readonly gone?: string[] };

const piece = (live: Live, rows: readonly RunRow[], more: More = {}) =>
  applyEvent(live, { topic: 'list', whole: false, gone: [], source: SOURCE, ...more, rows: [...rows] });

const listed = (live: Live, rows: readonly RunRow[], more: More = {}) => piece(piece(live, rows, more), []);

/** Nothing is known, and the run is shown. */
const SHOWN = keepOnly(NOTHING_LIVE, ['run:a', 'live:a/2']);

const told = (live: Live, events: readonly JournalLine[], whole = false) =>
  applyEvent(live, { topic: 'run', runId: 'a', whole, position: `${events.length}.00000000`, events: [...events] });

describe('the list', () => {
  it('is what was told whole, with the rows that changed and without those that are gone', () => {
    const first = listed(NOTHING_LIVE, [row('a'), row('b')], { whole: true });
    const then = listed(first, [row('b', 'waits'), row('c')], { gone: ['a'] });

    expect([...(then.rows ?? [])].map(([runId, { state }]) => [runId, state])).toEqual([
      ['b', 'waits'],
      ['c', 'works'],
    ]);
    expect([...(listed(then, [row('z')], { whole: true }).rows?.keys() ?? [])]).toEqual(['z']);
  });

  it('is not known before it was told', () => {
    expect(NOTHING_LIVE.rows).toBeNull();
  });

  it('is put in place once it is complete, and until then is the one before', () => {
    const before = listed(NOTHING_LIVE, [row('a'), row('b')], { whole: true });
    const first = piece(before, [row('b', 'waits')], { whole: true });
    const second = piece(first, [row('c')]);

    expect([first.rows, second.rows]).toEqual([before.rows, before.rows]);
    expect([...(piece(second, []).rows?.keys() ?? [])]).toEqual(['b', 'c']);
    expect([...(listed(second, [row('z')], { whole: true }).rows?.keys() ?? [])]).toEqual(['z']);
  });

  it('has a run that is shown asked for again when its row changes, and no other', () => {
    const shown = told(SHOWN, [line(1)], true);
    const before = runOf(shown, 'a').changes;

    const after = listed(shown, [row('a', 'lands'), row('b')]);

    expect([runOf(after, 'a').changes, after.runs.has('b')]).toEqual([before + 1, false]);
  });
});

describe('the journal of a run', () => {
  it('grows, counts a line that is told twice once, and is begun anew where it is told whole', () => {
    const two = told(told(SHOWN, [line(1), line(2)], true), [line(2), line(3)]);
    expect(runOf(two, 'a').events.map(({ seq }) => seq)).toEqual([1, 2, 3]);

    expect(runOf(told(two, [line(1)], true), 'a').events.map(({ seq }) => seq)).toEqual([1]);
  });

  it('is not begun in its middle, where another tab has its beginning', () => {
    const before = told(SHOWN, [line(11), line(12)]);

    expect(runOf(before, 'a')).toMatchObject({ events: [], position: null });
    expect(runOf(told(before, [line(1)], true), 'a').events).toHaveLength(1);
  });

  it('is asked for from where it ends', () => {
    const live = told(SHOWN, [line(1)], true);

    expect(topicsFor(live, ['run:a', 'run:b', 'limits'])).toEqual(['list', 'run:a@1.00000000', 'run:b', 'limits']);
  });
});

it('what an agent says is not begun in its middle, where another tab has its beginning', () => {
  const said = (live: Live, text: string, whole: boolean) =>
    applyEvent(live, { topic: 'live', runId: 'a', turn: 2, whole, position: '1.9', text });
  const before = said(SHOWN, 'end', false);

  expect(before.texts.size).toBe(0);
  expect(said(said(before, 'one ', true), 'two', false).texts.get('a/2')?.text).toBe('one two');
});

it('the work of a run is shown while there is some', () => {
  const work = { kind: 'agent', command: null, since: '', lines: ['one'] };
  const at = applyEvent(SHOWN, { topic: 'work', runId: 'a', work });

  expect(runOf(at, 'a').work).toEqual(work);
  expect(runOf(applyEvent(at, { topic: 'work', runId: 'a', work: null }), 'a').work).toBeNull();
});

describe('of what is not shown', () => {
  const told = [
    { topic: 'run', runId: 'a', whole: true, position: '1.00000000', events: [line(1)] },
    { topic: 'changed', runId: 'a', seq: 1 },
    { topic: 'work', runId: 'a', work: null },
    { topic: 'live', runId: 'a', turn: 2, whole: true, position: '1.9', text: 'one' },
    { topic: 'batch', id: 'b', page: { workflowId: 'b', aborted: false, rows: [] }, why: null },
  ] as const;
  const TOPICS = ['run:a', 'live:a/2', 'batch:b'];
  const sizes = ({ runs, texts, batch }: Live) => [runs.size, texts.size, batch.size];
  const after = (live: Live) => told.reduce((known, event) => applyEvent(known, structuredClone(event) as never), live);

  it('nothing is kept that another tab is told', () => {
    expect(sizes(after(NOTHING_LIVE))).toEqual([0, 0, 0]);
    expect(sizes(after(keepOnly(NOTHING_LIVE, TOPICS)))).toEqual([1, 1, 1]);
  });

  it.each([
    ['run:a', [1, 0, 0]],
    ['live:a/2', [0, 1, 0]],
    ['batch:b', [0, 0, 1]],
  ])('nothing is left once only %s is shown', (topic, left) => {
    expect(sizes(keepOnly(after(keepOnly(NOTHING_LIVE, TOPICS)), [topic]))).toEqual(left);
  });
});

/** What a host said of a task is believed only where what it resembles is open still. Source: S-07, S-11. */
import { describe, expect, it } from '@jest/globals';
import type { AdmitResult } from '../../../protocol/actors/backlog.js';
import type { TaskDedup } from '../../../protocol/actors/task-dedup.js';
import { DEFAULT_BACKLOG } from '../../../protocol/run/backlog-policy.js';
import { readAdmitted } from '../../../workflows/backlog/admission.js';
import { type BacklogState, emptyBacklog } from '../../../workflows/backlog/backlog-state.js';

import { findStale, noteClosed, withClosings } from '../../../workflows/backlog/closings.js';
import { anItemInput } from '../../support/an-item.js';

const NOW = Date.parse('2026-11-27T10:00:00.000Z');

function like(of: string): TaskDedup {
  return {
    duplicate: { of, layer: 'minhash', score: 1, isEqual: true, why: 'the same' },
    forced: null,
    possible: [],
    pass: { at: '2026-11-27T10:00:00.000Z', ms: 1, layers: [], candidates: [], reason: 'the same' },
  };
}

type Task = AdmitResult['tasks'][number];

function admitted(id: string, dedup: TaskDedup | null): Task {
  const item = { ...anItemInput({ id }), ...(dedup === null ? {} : { dedup }) };
  return { kind: 'admitted', isKnown: false, item };
}

function resultOf(...tasks: readonly Task[]): AdmitResult {
  return { host: 'h1', repo: '/shop', repoKey: 'k', terms: DEFAULT_BACKLOG, compares: true, tasks };
}

const state = (part: Partial<BacklogState> = {}): BacklogState => ({
  ...emptyBacklog('shop', DEFAULT_BACKLOG),
  unheard: [],
  ...part,
});

describe('a hit', () => {
  it('is not believed where the task is closed, and its host is asked again from there on', () => {
    const said = { result: resultOf(admitted('8', null), admitted('9', like('7'))), told: [] };
    const stale = findStale(state(), said);

    expect(stale).toEqual({ from: 1, ids: ['7'] });
    const after = withClosings(state({ admitting: ['a#1', 'a#2'] }), { ...said, stale }, NOW);
    expect(after.recompare).toEqual(['a#2']);
    expect(after.closed).toEqual([{ id: '7', reason: null, at: '2026-11-27T10:00:00.000Z' }]);
  });

  it('has none asked about again that was answered before and came along: it was begun by the record that its host has', () => {
    const before = state({ last: 8, admitting: ['a#1', 'a#2', 'a#3'] });
    const known = { ...admitted('8', like('7')), isKnown: true };
    const said = { result: resultOf(admitted('9', like('7')), known, admitted('10', null)), told: [] };

    expect(withClosings(before, { ...said, stale: findStale(before, said) }, NOW).recompare).toEqual(['a#1', 'a#3']);
  });

  it('is asked about again, also where another host is asked for its tasks before', () => {
    const waits = state({ recompare: ['a#2', 'b#1'], admitting: ['b#1'] });

    expect(
      withClosings(waits, { result: resultOf(admitted('8', null)), told: [], stale: null }, NOW).recompare,
    ).toEqual(['a#2']);
    const hit = { result: resultOf(admitted('9', like('7'))), told: [] };
    const after = withClosings(waits, { ...hit, stale: findStale(waits, hit) }, NOW);
    expect(after.recompare).toEqual(['a#2', 'b#1']);
    const alone = { ...waits, recompare: ['b#1'] };
    expect(withClosings(alone, { result: resultOf(), told: [], stale: null }, NOW).recompare).toBeUndefined();
  });

  it('is believed where the task came in with it, waits to be started, or its closing was told', () => {
    const before = state({ unstarted: [anItemInput({ id: '7' })] });

    expect(
      findStale(state(), { result: resultOf(admitted('8', null), admitted('9', like('8'))), told: [] }),
    ).toBeNull();
    expect(findStale(before, { result: resultOf(admitted('9', like('7'))), told: [] })).toBeNull();
    expect(findStale(state(), { result: resultOf(admitted('9', like('7'))), told: ['7'] })).toBeNull();
  });
});

describe('what has closed', () => {
  it('is kept for the next admission, once each, where tasks are compared, and forgotten once it was told', () => {
    const compares = state({ closed: [] });
    const twice = [compares, compares].reduce((all) => noteClosed(all, { id: '3', reason: 'merged' }, NOW), compares);

    expect(twice.closed).toEqual([{ id: '3', reason: 'merged', at: '2026-11-27T10:00:00.000Z' }]);
    expect(withClosings(twice, { result: resultOf(), told: ['3'], stale: null }, NOW).closed).toEqual([]);
    expect(noteClosed(state(), { id: '3', reason: 'merged' }, NOW).closed).toBeUndefined();
  });

  it('is kept, as are the terms of the backlog, where another clone of the name refuses what was handed in there', () => {
    const closed = [{ id: '3', reason: null, at: '2026-11-27T10:00:00.000Z' }];
    const create = { key: 'a', repo: '/other', host: 'h2', by: null, verdicts: [], bytes: 1 };
    const tasks = [
      { run: { task: 'one' }, priority: 0, gate: null, kind: 'change' as const, dependsOn: [], files: [] },
    ];
    const home = { repo: '/shop', repoKey: 'k' };
    const before = state({ closed, home, creates: [{ ...create, tasks }], admitting: ['a#1'] });
    const refused = { kind: 'refused' as const, why: 'it is of another repository' };
    const terms = { ...DEFAULT_BACKLOG, maxConcurrent: 9 };
    const result = { host: 'h2', repo: '/other', repoKey: 'l', terms, tasks: [refused] };

    const after = readAdmitted(before, { result, told: ['3'] }, NOW);
    expect([after.terms, after.configured, after.closed, after.home]).toEqual([
      DEFAULT_BACKLOG,
      DEFAULT_BACKLOG,
      closed,
      home,
    ]);
    expect([after.admitting, after.answers]).toEqual([null, [{ key: 'a', verdicts: [refused] }]]);
  });

  it('is never more than two hundred', () => {
    const many = Array.from({ length: 300 }, (_, n) => String(n + 1));
    const all = many.reduce((one, id) => noteClosed(one, { id, reason: null }, NOW), state({ closed: [] }));

    expect([all.closed?.length, all.closed?.at(-1)?.id]).toEqual([200, '300']);
  });
});

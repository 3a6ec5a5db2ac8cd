/** What the scenario `landing-forge` counts and which faults it tries, told apart by traces and a log of our own. */
import { describe, expect, it } from '@jest/globals';
import { faultsAt, nameOfFault } from '../../chaos/matrix/landing-forge/forge-faults.js';
import { countForge, type ForgeTraces } from '../../chaos/matrix/landing-forge/forge-verdict.js';
import type { LogEntry } from '../../support/forge/faults.js';

const PULL = { count: 1, labels: ['bot'], comments: ['ann hello'], merged: 'm', isTheirs: false, head: 'h' } as const;

const CLEAN: ForgeTraces = {
  heads: ['h'],
  base: [['m', 'b', 'h']],
  contained: ['h'],
  tree: 't',
  expectedTree: 't',
  pulls: [PULL],
  labels: ['bot'],
  unchecked: 0,
  wrong: 0,
  merges: 1,
  again: 0,
  changed: 0,
  living: 0,
  leaks: 0,
};

const wrongIn = (part: Partial<ForgeTraces>) =>
  Object.entries(countForge({ ...CLEAN, ...part })).filter(([, count]) => count !== 0);

describe('a landing on a forge', () => {
  it('is clean where it is on the base once, by one pull request, checked and told', () => {
    expect(wrongIn({})).toEqual([]);
  });

  it.each<[string, Partial<ForgeTraces>]>([
    ['lost', { contained: [] }],
    [
      'twice',
      {
        base: [
          ['n', 'm', 'h'],
          ['m', 'b', 'h'],
        ],
      },
    ],
    [
      'foreign',
      {
        base: [
          ['n', 'm', 'x'],
          ['m', 'b', 'h'],
        ],
      },
    ],
    ['trees', { tree: 'u' }],
    ['pulls', { pulls: [{ ...PULL, count: 2 }] }],
    ['pulls', { pulls: [{ ...PULL, count: 0 }] }],
    ['labels', { pulls: [{ ...PULL, labels: ['bot', 'bot'] }] }],
    ['labels', { pulls: [{ ...PULL, labels: [] }] }],
    ['comments', { pulls: [{ ...PULL, comments: ['ann hello', 'ann hello'] }] }],
    ['merges', { merges: 2 }],
    ['again', { again: 1 }],
    ['unchecked', { unchecked: 1 }],
    ['wrong', { wrong: 1 }],
    ['bytes', { changed: 1 }],
    ['orphans', { living: 1 }],
    ['leaks', { leaks: 1 }],
  ])('is not for %s: %j', (name, part) => {
    expect(wrongIn(part)).toEqual([[name, 1]]);
  });

  it('may lack the labels that it would have got, had nobody merged it before', () => {
    expect(wrongIn({ pulls: [{ ...PULL, labels: [], isTheirs: true }] })).toEqual([]);
  });

  it('may bring what a person pushed behind its head', () => {
    expect(wrongIn({ base: [['m', 'b', 'late']], pulls: [{ ...PULL, head: 'late' }] })).toEqual([]);
  });
});

describe('the faults of a forge', () => {
  const came = (request: string, status: number | null = null): LogEntry => ({
    request,
    at: 'came',
    status,
    about: null,
  });
  const done = (request: string): LogEntry => ({ request, at: 'done', status: 200, about: null });

  it('are each tried where it can be', () => {
    const log = [
      came('git receive-pack', 401),
      came('git receive-pack'),
      came('git receive-pack'),
      came('git receive-pack'),
      came('POST pulls'),
      done('POST pulls'),
      came('PullState'),
    ];
    const names = faultsAt('handed', log).map(nameOfFault);

    expect(names).toContain('hang at git receive-pack 2 (handed)');
    expect(names).toContain('405 base modified at POST pulls 1 (handed)');
    expect(names).toContain('200 RATE_LIMITED at PullState 1 (handed)');
    expect(names).toContain('late merge at PullState 1 (handed)');
    expect(
      names.filter((name) => /receive-pack 3|(?:late|409).* at git|late.* at POST|409 at PullState/.test(name)),
    ).toEqual([]);
  });

  it('are tried only as far as a landing goes in the same way each time', () => {
    const log = ['PullState', 'Enqueue', 'PullState', 'git upload-pack', 'PullState'].flatMap((name) => [
      came(name),
      done(name),
    ]);
    const names = faultsAt('handed', log).map(nameOfFault);

    expect(names).toContain('hang at PullState 2 (handed)');
    expect(names.filter((name) => /PullState 3|at git/.test(name))).toEqual([]);
  });
});

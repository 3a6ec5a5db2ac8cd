/** What the scenario `backlog` counts, told apart by traces of our own. */
import { describe, expect, it } from '@jest/globals';
import type { ItemView } from '../../../protocol/actors/item.js';
import { backlogPoints } from '../../chaos/matrix/backlog/backlog-trials.js';
import { BACKLOG_COUNTS, type BacklogTraces, countBacklog } from '../../chaos/matrix/backlog/verdict.js';
import { nameOfCell } from '../../chaos/matrix/cells.js';

function item(end: Pick<ItemView, 'state' | 'reason' | 'runs'>, from: number): ItemView {
  const line = (to: ItemView['state'], at: number) => ({
    at: new Date(at).toISOString(),
    from: null,
    to,
    reason: null,
    driver: 'engine' as const,
    actor: null,
    note: null,
  });
  return {
    project: 'p',
    id: '1',
    title: 'one',
    why: null,
    head: null,
    waits: null,
    repo: '/r',
    host: 'h',
    run: 'p-1',
    result: null,
    isHeld: false,
    priority: 0,
    dependsOn: [],
    files: [],
    admission: null,
    createdAt: '',
    updatedAt: '',
    journal: [line('queued', from), line('running', from + 1), line('parked', from + 5)],
    ...end,
  };
}

const CLEAN: BacklogTraces = {
  items: [
    item({ state: 'closed', reason: 'forced', runs: 1 }, 0),
    item({ state: 'parked', reason: 'unmerged', runs: 1 }, 10),
    item({ state: 'parked', reason: 'unmerged', runs: 2 }, 20),
  ],
  slots: 0,
  open: 3,
  unreplayable: 0,
  numbers: 3,
  commits: [1, 1, 2],
  branches: 3,
  starts: 13,
  kept: 1,
  living: 0,
  answered: 3,
};

describe('the counts of a backlog under faults', () => {
  it('are all 0 where nothing was lost', () => {
    expect(Object.values(countBacklog(CLEAN))).toEqual(BACKLOG_COUNTS.map(() => 0));
  });

  it.each<[keyof ReturnType<typeof countBacklog>, Partial<BacklogTraces>]>([
    ['lost', { items: CLEAN.items.with(2, item({ state: 'parked', reason: 'run_gone', runs: 2 }, 20)) }],
    ['doubled', { open: 4 }],
    ['unreplayable', { unreplayable: 1 }],
    ['numbers', { numbers: 4 }],
    ['starts', { starts: 5 }],
    ['above', { items: CLEAN.items.with(1, item({ state: 'parked', reason: 'unmerged', runs: 1 }, 2)) }],
    ['slots', { slots: 1 }],
    ['commits', { commits: [1, 1, 1] }],
    ['branches', { branches: 4 }],
    ['files', { kept: 0 }],
    ['orphans', { living: 1 }],
    ['answers', { answered: 2 }],
  ])('tell %s', (name, part) => {
    const counts = countBacklog({ ...CLEAN, ...part });

    expect(BACKLOG_COUNTS.filter((count) => counts[count] !== 0)).toEqual([name]);
  });
});

describe('the points of a backlog', () => {
  it('are its own, each once in an activity, and the numbering of a second task too', () => {
    const points = backlogPoints([
      { role: 'worker', name: 'admit.after-texts', where: 'admit 1' },
      { role: 'worker', name: 'admit.after-texts', where: 'admit 1' },
      { role: 'worker', name: 'open.after-claim', where: 'openRun 1' },
      { role: 'worker', name: 'take-over.after-mark', where: 'openRun 1' },
    ]);

    expect(points.map((point) => nameOfCell({ point, fault: 'worker' }))).toEqual([
      'worker at admit.after-texts (admit 1)',
      'worker at admit.after-texts (admit 1, second)',
      'worker at take-over.after-mark (openRun 1)',
    ]);
  });
});

/** What a tab knows of the others: one that crashed says no farewell. */
import { describe, expect, it } from '@jest/globals';
import { TabBook } from '../../../page/state/tab-book.js';
import type { Shown } from '../../../page/state/tab-messages.js';

const says = (tab: string, fields: Partial<Shown> = {}): Shown => ({
  kind: 'ping',
  tab,
  topics: [],
  isSeen: false,
  ...fields,
});

const topicsAt = (book: TabBook, now: number) => [...book.wants(now).values()].flat();

describe('a tab', () => {
  it('that was in front and crashed counts no more after 10 s, and the own one always', () => {
    const book = new TabBook('own');
    book.note(says('own', { topics: ['a'] }), 0);
    book.note(says('other', { topics: ['b'], isSeen: true }), 0);
    book.note(says('other', { topics: ['b'], isSeen: true }), 2_000);

    expect([book.isAnySeen(12_000), topicsAt(book, 12_000)]).toEqual([true, ['a', 'b']]);
    expect([book.isAnySeen(12_001), topicsAt(book, 12_001)]).toEqual([false, ['a']]);
  });

  it('that nobody sees keeps what it shows as long as a browser holds its clock back, and keeps no notice away', () => {
    const book = new TabBook('own');
    book.note(says('other', { topics: ['b'], isSeen: true }), 0);
    book.note(says('other', { topics: ['b'] }), 1_000);

    expect([book.isAnySeen(1_000), topicsAt(book, 120_000), topicsAt(book, 160_000)]).toEqual([false, ['b'], []]);
  });

  it('that left counts no more', () => {
    const book = new TabBook('own');
    book.note(says('other', { topics: ['b'], isSeen: true }), 0);
    book.forget('other');

    expect([book.isAnySeen(0), topicsAt(book, 0)]).toEqual([false, []]);
  });

  it('may lack what it shows where it says so, shows something else, or was not heard for long', () => {
    const book = new TabBook('own');
    const note = (fields: Partial<Shown>, now: number) => book.note(says('other', fields), now);

    expect([note({}, 0), note({}, 2_000), note({ kind: 'wants' }, 2_000)]).toEqual([true, false, true]);
    expect([note({ topics: ['b'] }, 4_000), note({ topics: ['b'] }, 6_000)]).toEqual([true, false]);
    expect(note({ topics: ['b'] }, 200_000)).toBe(true);
  });

  it('is last where it asked last, whoever else is heard later', () => {
    const book = new TabBook('own');
    for (const tab of ['one', 'two', 'one']) book.note(says(tab, { topics: [tab] }), 0);
    const before = topicsAt(book, 0);
    book.note(says('one', { kind: 'wants', topics: ['one'] }), 0);

    expect([before, topicsAt(book, 0)]).toEqual([
      ['one', 'two'],
      ['two', 'one'],
    ]);
  });
});

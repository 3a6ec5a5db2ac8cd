/** The lines of a journal, told from where a reader stands: in order, none twice, none missing, also after a reset. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JournalLines } from '../../../client/http/journal-lines.js';
import { type Position, readTopics } from '../../../client/http/topics.js';
import type { JournalEvent } from '../../../protocol/messages/journal.js';

const event = (seq: number, message = `line ${seq}`): JournalEvent => ({
  seq,
  message,
  timestamp: '2026-01-01T00:00:00.000Z',
  type: 'state.changed',
  data: {},
});

/** What a reader has who takes all that is told. */
class Reader {
  position: Position | null = null;
  has: string[] = [];
  wholes = 0;

  take(lines: JournalLines): void {
    for (;;) {
      const piece = lines.after(this.position);
      if (piece.whole) {
        this.has = [];
        this.wholes += 1;
      }
      this.has.push(...piece.events.map(({ message }) => message));
      this.position = piece.end;
      if (piece.events.length === 0) return;
    }
  }
}

describe('lines of a journal', () => {
  it('come in pieces, each with where the reader stands after it', () => {
    const lines = new JournalLines();
    for (let seq = 1; seq <= 450; seq += 1) lines.add(event(seq));

    const first = lines.after(null);
    const second = lines.after(first.end);

    expect([first.whole, first.events.length, second.whole, second.events[0]?.seq]).toEqual([true, 200, false, 201]);
  });

  it('say to who has none of an empty journal that it has everything', () => {
    const lines = new JournalLines();

    const { end, whole } = lines.after(null);

    expect([whole, lines.after(end)]).toMatchObject([true, { whole: false, events: [] }]);
  });

  it('are told anew to who stands at a line that is another by now', () => {
    const lines = new JournalLines();
    for (const seq of [1, 2, 3]) lines.add(event(seq));
    const { end } = lines.after(null);

    lines.add(event(2, 'after the reset'));

    expect(lines.after(end)).toMatchObject({
      whole: true,
      events: [{ message: 'line 1' }, { message: 'after the reset' }],
    });
  });

  it.each([
    ['of another history', { seq: 2, hash: 'ffffffff' }],
    ['beyond the end', { seq: 9, hash: '00000000' }],
    ['of nothing with another hash', { seq: 0, hash: '00000001' }],
  ])('are told whole to who stands at a line %s', (_what, position) => {
    const lines = new JournalLines();
    for (const seq of [1, 2]) lines.add(event(seq));

    expect(lines.after(position)).toMatchObject({ whole: true, events: [{ seq: 1 }, { seq: 2 }] });
  });

  it('reach every reader, whenever it comes, goes and comes back, and whatever is reset', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const) }),
      fc.record({ kind: fc.constant('reset' as const), to: fc.nat(8) }),
      fc.record({ kind: fc.constant('read' as const), reader: fc.nat(2) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const lines = new JournalLines();
        const readers = [new Reader(), new Reader(), new Reader()];
        let journal: string[] = [];
        let told = 0;
        for (const one of steps) {
          if (one.kind === 'read') readers[one.reader]?.take(lines);
          else {
            if (one.kind === 'reset') journal = journal.slice(0, one.to);
            told += 1;
            journal.push(`text ${told}`);
            lines.add(event(journal.length, `text ${told}`));
          }
        }
        for (const reader of readers) {
          reader.take(lines);
          expect(reader.has).toEqual(journal);
        }
      }),
    );
  });

  it.each([0, -3, 1.5, 1e10, Number.POSITIVE_INFINITY])('are none whose number no position can name: %d', (seq) => {
    const lines = new JournalLines();
    lines.add(event(1));
    lines.add(event(seq));

    const { events, position } = lines.after(null);

    expect(events.map((line) => line.seq)).toEqual([1]);
    expect(readTopics([`run:a@${position}`])).not.toBeNull();
  });

  it('have a place however deep what a line tells is', () => {
    const lines = new JournalLines();
    const data = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as JournalEvent['data'];

    lines.add({ ...event(1), data });

    expect(lines.after(null).events).toHaveLength(1);
  });

  it('are cut where they are longer than anybody reads, come in small pieces, and say that the rest is left out', () => {
    const lines = new JournalLines();
    for (let seq = 1; seq <= 50; seq += 1) lines.add(event(seq, 'x'.repeat(1_000_000)));

    const piece = lines.after(null);

    expect(piece.events[0]?.message).toContain('cut here: 1000000 characters');
    expect(JSON.stringify(piece.events).length).toBeLessThan(256 * 1024);
    expect(piece.events.length).toBeGreaterThan(0);
  });

  it('end with a line that says so where there are more than any run leaves, and go on after a reset', () => {
    const lines = new JournalLines();
    const reader = new Reader();
    for (let seq = 1; seq <= 10_000; seq += 1) lines.add(event(seq));
    reader.take(lines);
    const before = [reader.has.length, reader.has.at(-1)];

    lines.add(event(3, 'after the reset'));
    reader.take(lines);

    expect(before).toEqual([4_001, expect.stringContaining('left out')]);
    expect(reader.has).toEqual(['line 1', 'line 2', 'after the reset']);
  });

  it('are told whole once, to who reads on', () => {
    const lines = new JournalLines();
    const reader = new Reader();
    reader.take(lines);
    for (let seq = 1; seq <= 5; seq += 1) {
      lines.add(event(seq));
      reader.take(lines);
    }

    expect([reader.wholes, reader.has.length]).toEqual([1, 5]);
  });
});

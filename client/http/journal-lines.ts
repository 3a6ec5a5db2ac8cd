/** The lines of a journal as a stream tells them: what a reader lacks behind its position, and all of it where that position is none of this journal. Pure. */
import { createHash } from 'node:crypto';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import { pickFacts } from '../views/timeline-facts.js';
import type { JournalLine } from './shapes.js';
import { type Position, positionText } from './topics.js';

interface KeptLine {
  readonly line: JournalLine;
  readonly hash: string;
}

export interface Piece {
  /** What the reader had is no part of this journal. */
  readonly whole: boolean;
  readonly events: readonly JournalLine[];
  /** Where the reader stands with it. */
  readonly end: Position;
  readonly position: string;
}

/** Before the first line. */
const NOWHERE: Position = { seq: 0, hash: '00000000' };

/** **Unit** lines of one piece. */
const LINES_AT_ONCE = 200;

export class JournalLines {
  private lines: KeptLine[] = [];

  /** It may take the place of lines that were there: the run was reset. */
  add(event: JournalEvent): void {
    const kept = this.lines.findLastIndex(({ line }) => line.seq < event.seq);
    const hash = createHash('sha256').update(JSON.stringify(event)).digest('hex').slice(0, 8);
    this.lines.splice(kept + 1, Number.POSITIVE_INFINITY, { line: lineOf(event), hash });
  }

  /** The next of what a reader lacks who stands there; null: from the beginning. */
  after(position: Position | null): Piece {
    const at = position === null ? -1 : this.lines.findLastIndex((kept) => isAt(kept, position));
    const whole = at < 0 && !(position !== null && isBegin(position));
    const piece = this.lines.slice(at + 1, at + 1 + LINES_AT_ONCE);
    const last = piece.at(-1) ?? this.lines[at];
    const end = last === undefined ? NOWHERE : { seq: last.line.seq, hash: last.hash };
    return { whole, events: piece.map(({ line }) => line), end, position: positionText(end) };
  }
}

/** As far as a page shows it. */
export function lineOf(event: JournalEvent): JournalLine {
  const { seq, timestamp, type, message } = event;
  const facts = pickFacts(event);
  return { seq, timestamp, type, message, ...(facts === null ? {} : { facts }) };
}

function isAt({ line, hash }: KeptLine, position: Position): boolean {
  return line.seq === position.seq && hash === position.hash;
}

function isBegin({ seq, hash }: Position): boolean {
  return seq === NOWHERE.seq && hash === NOWHERE.hash;
}

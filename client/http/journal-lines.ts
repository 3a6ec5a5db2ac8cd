/** The lines of a journal as a stream tells them: what a reader lacks behind its position, and all of it where that position is none of this journal. Pure. */
import { createHash } from 'node:crypto';
import { MAX_JOURNAL_EVENTS } from '../../protocol/limits.js';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import { pickFacts } from '../views/timeline-facts.js';
import { cutDeep } from './cut.js';
import type { JournalLine } from './shapes.js';
import { type Position, positionText } from './topics.js';

interface KeptLine {
  readonly line: JournalLine;
  readonly hash: string;
  /** **Unit** characters. */
  readonly length: number;
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

/** **Unit** lines of one piece, and characters of them. */
const LINES_AT_ONCE = 200;
const CHARS_AT_ONCE = 128 * 1024;

/** **Unit** lines: no run leaves as many. */
const MAX_LINES = 2 * MAX_JOURNAL_EVENTS;

/** **Unit** characters of each text of a line. */
const MAX_CHARS = 16 * 1024;

/** What a position can name. */
const MAX_SEQ = 999_999_998;

const CUT: Pick<JournalLine, 'type' | 'message'> = {
  type: 'journal.cut',
  message: 'events.jsonl is longer than a page can show; the rest of it is left out here.',
};

export class JournalLines {
  private lines: KeptLine[] = [];

  /** It may take the place of lines that were there: the run was reset. One that has no number that a position can name is none: anybody may have written it. */
  add(event: JournalEvent): void {
    if (!Number.isInteger(event.seq) || event.seq < 1 || event.seq > MAX_SEQ) return;
    const kept = this.lines.findLastIndex(({ line }) => line.seq < event.seq);
    if (kept + 1 >= MAX_LINES) return this.cut();
    this.lines.splice(kept + 1, Number.POSITIVE_INFINITY, keptOf(cutDeep(lineOf(event), MAX_CHARS)));
  }

  /** What follows is left out, and a last line says so. */
  cut(): void {
    const last = this.lines.at(-1)?.line;
    if (last?.type === CUT.type) return;
    this.lines.push(keptOf({ seq: (last?.seq ?? 0) + 1, timestamp: last?.timestamp ?? '', ...CUT }));
  }

  /** The next of what a reader lacks who stands there; null: from the beginning. */
  after(position: Position | null): Piece {
    const at = position === null ? -1 : this.lines.findLastIndex((kept) => isAt(kept, position));
    const whole = at < 0 && !(position !== null && isBegin(position));
    const piece = firstOf(this.lines.slice(at + 1, at + 1 + LINES_AT_ONCE));
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

/** Of what a reader is shown, so that a line has one hash however deep its data is. */
function keptOf(line: JournalLine): KeptLine {
  const text = JSON.stringify(line);
  return { line, hash: createHash('sha256').update(text).digest('hex').slice(0, 8), length: text.length };
}

/** One at least. */
function firstOf(lines: readonly KeptLine[]): readonly KeptLine[] {
  let chars = 0;
  const end = lines.findIndex(({ length }, place) => {
    chars += length;
    return place > 0 && chars > CHARS_AT_ONCE;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

function isAt({ line, hash }: KeptLine, position: Position): boolean {
  return line.seq === position.seq && hash === position.hash;
}

function isBegin({ seq, hash }: Position): boolean {
  return seq === NOWHERE.seq && hash === NOWHERE.hash;
}

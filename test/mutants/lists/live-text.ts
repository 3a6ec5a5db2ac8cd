/** Of what an agent says while it works: nothing of a secret early, no byte twice, nothing of anybody else overwritten or followed. */
import type { Mutant } from '../mutant.js';

const VISIBLE = 'test/unit/protocol/visible.test.ts';
const FILE = 'test/unit/journal/live-file.test.ts';
const TEXT = 'test/unit/run/live-text.test.ts';

export const LIVE_TEXT_MUTANTS: readonly Mutant[] = [
  {
    name: 'output that is cut while it is read holds its turn for ever',
    area: 'secrets',
    file: 'activities/unit/live-text.ts',
    find: 'if (block.length === 0) break;',
    replace: '',
    test: { file: TEXT, title: 'ends where the output does, which was cut while it was read' },
  },
  {
    name: 'one word more is shown of an open line',
    area: 'secrets',
    file: 'protocol/text/visible.ts',
    find: 'behindSpace(suspect < 0 ? fresh : fresh.slice(0, suspect))',
    replace: '(suspect < 0 ? fresh.length : suspect)',
    test: { file: VISIBLE, title: 'lags by a word where people are spoken to' },
  },
  {
    name: 'the lines of an open key are shown one by one',
    area: 'secrets',
    file: 'protocol/text/visible.ts',
    find: 'if (!this.key.isOpen) begin = end;',
    replace: 'begin = end;',
    test: { file: VISIBLE, title: 'is nothing of a key until its END, nor of one that goes on without any' },
  },
  {
    name: 'a key that begins in a line that is left out is shown',
    area: 'secrets',
    file: 'protocol/text/visible.ts',
    find: 'if (this.key.isOpen) continue;',
    replace: '',
    test: { file: VISIBLE, title: 'takes a key that begins in it along, to its END' },
  },
  {
    name: 'the live text shows the beginning of a secret in which the agent was ended',
    area: 'secrets',
    file: 'activities/unit/live-text.ts',
    find: "end.exit.reason === 'exited'",
    replace: "end.exit.reason !== 'aborted'",
    test: { file: TEXT, title: 'shows no beginning of a secret where the agent was ended in it' },
  },
  {
    name: 'an attempt that only finds the end leaves the live text as it stands',
    area: 'journal',
    file: 'activities/unit/live-text.ts',
    find: 'this.said === null && !this.turn.file.isThere',
    replace: 'this.said === null',
    test: { file: TEXT, title: 'is told to its end by an attempt that only finds the end' },
  },
  {
    name: 'the live text goes on behind a text of somebody else',
    area: 'journal',
    file: 'activities/journal/live-file.ts',
    find: '!this.isWritten(stat) && !beginsAlike(file, stat.size, text)',
    replace: 'stat.size > text.length',
    test: { file: FILE, title: 'leaves %s as it is, and begins in a file of its own' },
  },
  {
    name: 'the live text is written into a file with a second name',
    area: 'journal',
    file: 'activities/journal/live-file.ts',
    find: 'stat.nlink > 1 || ',
    replace: '',
    test: { file: FILE, title: 'a file with a second name keeps what it has, also where that is how the text begins' },
  },
];

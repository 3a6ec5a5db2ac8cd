/** The journal: sequence, mending, late batches, and the files that people read. */
import type { Mutant } from '../mutant.js';

const EVENTS_FILE = 'activities/journal/events-file.ts';
const EVENTS = 'test/unit/journal/events-file.test.ts';
const RUN_JOURNAL = 'test/unit/journal/run-journal.test.ts';
const WRITE = 'test/unit/journal/write-file.test.ts';

export const JOURNAL_MUTANTS: readonly Mutant[] = [
  {
    name: "an append believes the batch's first seq instead of the file's last",
    area: 'journal',
    file: EVENTS_FILE,
    find: 'event.seq > kept.lastSeq',
    replace: 'event.seq >= (batch.events[0]?.seq ?? 1)',
    test: { file: EVENTS, title: 'appends only what is missing when a batch comes again or overlaps' },
  },
  {
    name: 'a batch that starts after a gap is appended',
    area: 'journal',
    file: EVENTS_FILE,
    find: 'first.seq !== kept.lastSeq + 1',
    replace: 'first.seq <= kept.lastSeq',
    test: { file: EVENTS, title: 'answers what it holds and writes nothing when a batch starts after a gap' },
  },
  {
    name: 'a torn last line stays',
    area: 'journal',
    file: EVENTS_FILE,
    find: 'await file.truncate(bytes);',
    replace: '',
    test: { file: EVENTS, title: 'mends a cut at any byte with the next append' },
  },
  {
    name: 'the tail that a reset contradicts is thrown away',
    area: 'journal',
    file: EVENTS_FILE,
    find: 'if (tail.length > 0 && !isDoubled(tail, lines.slice(0, lastSeq))) await keepTail(task.path, tail, options);',
    replace: '',
    test: { file: EVENTS, title: 'moves the tail that disagrees after a reset into a file of its own' },
  },
  {
    name: 'the answer says more than the sender knows',
    area: 'journal',
    file: EVENTS_FILE,
    find: 'seq: Math.min(held.seq, batch.lastSeq)',
    replace: 'seq: held.seq',
    test: { file: EVENTS, title: 'answers no more than the sender knows, so that a reset run sends its own events' },
  },
  {
    name: 'a line with the right seq is believed, whatever it says',
    area: 'journal',
    file: EVENTS_FILE,
    find: 'line.text !== render(event, redactor)',
    replace: 'line.event.seq !== event.seq',
    test: { file: EVENTS, title: 'moves the tail that disagrees after a reset into a file of its own' },
  },
  {
    name: 'the second name of a person’s file is written to',
    area: 'journal',
    file: EVENTS_FILE,
    find: "if (stat.nlink > 1) return 'a file with a second name (a hard link)';",
    replace: '',
    test: {
      file: 'test/unit/journal/foreign-entries.test.ts',
      title: 'as a second name of a person’s file is not written to',
    },
  },
  {
    name: 'appends are not flushed under durability power',
    area: 'journal',
    file: EVENTS_FILE,
    find: 'if (options.fsync) await file.sync();',
    replace: '',
    test: {
      file: 'test/unit/process/durability.test.ts',
      title: 'flushes an append and a file of the run directory under power alone',
    },
  },
  {
    name: 'a file of the run directory is not flushed under durability power',
    area: 'journal',
    file: 'activities/journal/write-file.ts',
    find: 'if (options.fsync) await flush(file);',
    replace: '',
    test: {
      file: 'test/unit/process/durability.test.ts',
      title: 'flushes an append and a file of the run directory under power alone',
    },
  },
  {
    name: 'an older view is believed',
    area: 'journal',
    file: 'activities/journal/run-journal.ts',
    find: 'const isOlder = last !== undefined && view.updatedAt < last.updatedAt;',
    replace: 'const isOlder = false;',
    test: { file: RUN_JOURNAL, title: 'of a history that a reset left changes nothing, however long that history was' },
  },
  {
    name: 'older gates are written over newer ones',
    area: 'journal',
    file: 'activities/journal/run-journal.ts',
    find: "appended?.batch !== 'left' && tellsMore(folder, gates)",
    replace: "appended?.batch !== 'left'",
    test: {
      file: RUN_JOURNAL,
      title: 'that comes late writes no older state and no older gates, and is answered what it knows',
    },
  },
  {
    name: 'a symlink on the way to a file is followed',
    area: 'journal',
    file: 'activities/journal/write-file.ts',
    find: 'if (stat.isDirectory()) return true;',
    replace: 'if (stat.isDirectory() || stat.isSymbolicLink()) return true;',
    test: { file: WRITE, title: 'refuses a path whose %s is a symlink and leaves its target alone' },
  },
  {
    name: 'a path outside its root is written to',
    area: 'journal',
    file: 'activities/journal/write-file.ts',
    find: "inside === '..' || inside.startsWith(`..${sep}`) || ",
    replace: '',
    test: { file: WRITE, title: 'refuses a path outside its root' },
  },
  {
    name: 'a damaged artifact is believed',
    area: 'journal',
    file: 'activities/journal/artifact-store.ts',
    find: '|| hashOf(content) !== ref.sha256',
    replace: '',
    test: {
      file: WRITE,
      title: 'refuses a damaged artifact and a name that is no hash, and mends damage by storing again',
    },
  },
  {
    name: 'a full disk is passed over as if the file did not matter',
    area: 'journal',
    file: 'activities/journal/go-on.ts',
    find: 'if (isShortage(error)) throw error;',
    replace: '',
    test: { file: 'test/unit/journal/go-on.test.ts', title: 'that meets %s is left to a repeated activity' },
  },
  {
    name: 'events count as held once they were sent',
    area: 'journal',
    file: 'workflows/journal/journal.ts',
    find: 'this.hostSeq = Math.min(result.journalSeq, this.events.length);',
    replace: 'this.hostSeq = this.handedSeq;',
    test: { file: 'test/workflow/run.test.ts', title: 'sends the whole journal again to a host that lost its file' },
  },
  {
    name: 'events that did not fit into a batch are dropped',
    area: 'journal',
    file: 'workflows/journal/journal.ts',
    find: 'this.hostSeq = Math.min(result.journalSeq, this.events.length);',
    replace: 'this.hostSeq = this.events.length;',
    test: {
      file: 'test/workflow/people-races.test.ts',
      title: 'hands a journal of more than a payload to its host in parts, when no flush came through for long',
    },
  },
  {
    name: 'a run closes without the lines that its host lost',
    area: 'journal',
    file: 'workflows/run/close-run.ts',
    find: 'closed.journalSeq < journal.all.length && closed.journalSeq > held',
    replace: 'held >= 0 && closed.journalSeq > held',
    test: {
      file: 'test/workflow/run.test.ts',
      title: 'closes twice, with the whole journal, on a host that lost its file in the last stage',
    },
  },
];

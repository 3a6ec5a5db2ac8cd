/** Walls: bounds of what is read. */
import type { Mutant } from '../../mutant.js';

const READER = 'config/system/foreign-file.ts';
const READER_TEST = 'test/unit/config/foreign-file.test.ts';
const ABORT_TEST = 'test/unit/run/abort.test.ts';
const CLIENT_TEST = 'test/unit/client/repository.test.ts';

export const READ_MUTANTS: readonly Mutant[] = [
  {
    name: 'a file that is read without waiting is followed where it is a link',
    area: 'walls',
    file: READER,
    find: "(links === 'refused' ? O_NOFOLLOW : 0)",
    replace: '0',
    test: { file: READER_TEST, title: 'takes nothing in of %s, and does not wait for it' },
  },
  {
    name: 'a file without a size is taken in whole',
    area: 'walls',
    file: READER,
    find: 'while (total <= maxBytes) {',
    replace: 'for (;;) {',
    test: { file: READER_TEST, title: 'does not take in more than it may of a file without a size' },
  },
  {
    name: 'a file that grows is read without end',
    area: 'walls',
    file: READER,
    find: 'while (position < maxBytes) {',
    replace: 'while (position < 2 * maxBytes) {',
    test: { file: READER_TEST, title: 'that grows with each block is read up to the bound, in memory of one block' },
  },
  {
    name: 'a folder is listed whatever it holds',
    area: 'walls',
    file: READER,
    find: 'if (entries.length === maxEntries) return null;',
    replace: '',
    test: { file: READER_TEST, title: 'is listed by name, up to its bound' },
  },
  {
    name: 'who reads many files holds up everybody else',
    area: 'walls',
    file: READER,
    find: 'if (calls % AT_ONCE === 0) await nextTurn();',
    replace: '',
    test: { file: READER_TEST, title: 'holds up nobody with many small files' },
  },
  {
    name: 'a folder of many entries is listed without a turn of the loop',
    area: 'walls',
    file: READER,
    find: '        await nextTurn();',
    replace: '',
    test: { file: READER_TEST, title: 'is told of an abort while a folder of many entries is listed' },
  },
  {
    name: 'git may print as much as ever where its caller said less',
    area: 'walls',
    file: 'activities/git/runner/start-git.ts',
    find: 'maxBuffer: maxBytes',
    replace: 'maxBuffer: MAX_OUTPUT_BYTES',
    test: { file: 'test/unit/security/hostile-objects.test.ts', title: 'hands over no config of megabytes' },
  },
  {
    name: 'the check of reads does not see a read under a name of its own',
    area: 'walls',
    file: 'tools/check-reads.ts',
    find: "if (braces === null) return ['*'];",
    replace: 'if (braces === null) return [];',
    test: { file: 'test/unit/tools/check-reads.test.ts', title: 'sees what %j takes' },
  },
  {
    name: 'a read of an activity goes on after its abort',
    area: 'walls',
    file: READER,
    find: 'const { signal = endingSignal() } = opening;',
    replace: 'const { signal } = opening; endingSignal();',
    test: {
      file: 'test/unit/agent/abort-of-a-read.test.ts',
      title: 'is read no further than the block in which an abort comes',
    },
  },
  {
    name: 'a git of an activity is not told its abort',
    area: 'walls',
    file: 'activities/git/start/run-git.ts',
    find: 'const signal = endingSignal();',
    replace: 'const signal = AbortSignal.any([]); endingSignal();',
    test: { file: ABORT_TEST, title: 'ends the git that it waits for, and another attempt goes on where it stood' },
  },
  {
    name: 'a git that does not hear SIGTERM lives on after an abort',
    area: 'walls',
    file: 'activities/git/runner/start-git.ts',
    find: "child.kill('SIGKILL')",
    replace: 'child.kill()',
    test: { file: 'test/unit/git/git-runner.test.ts', title: 'is gone after an abort: %s' },
  },
  {
    name: 'the git runner is not told an abort',
    area: 'walls',
    file: 'activities/git/runner/git-runner.ts',
    find: 'if (waiting.has(id)) tell({ id, end: true });',
    replace: '',
    test: { file: 'test/unit/git/git-runner.test.ts', title: 'is gone after an abort: %s' },
  },
  {
    name: 'the command line compares a commit of any size',
    area: 'walls',
    file: 'client/repository.ts',
    find: "if (answer.kind === 'limit') throw gitWasEnded(answer.of, { command: `ls-tree",
    replace: "if (answer.kind === 'no_git') throw gitWasEnded('output', { command: `ls-tree",
    test: { file: CLIENT_TEST, title: 'is not compared, and its error says why in four parts' },
  },
  {
    name: 'a git of the command line goes on after Ctrl+C',
    area: 'walls',
    file: 'client/run-git.ts',
    find: 'const signal = endingSignal();',
    replace: 'const signal = AbortSignal.any([]); endingSignal();',
    test: { file: CLIENT_TEST, title: 'is ended when the person stops the command' },
  },
];

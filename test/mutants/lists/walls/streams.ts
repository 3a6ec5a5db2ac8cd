/** Walls: the files behind an agent's descriptors. */
import type { Mutant } from '../../mutant.js';

const STREAMS = 'test/unit/process/streams.test.ts';
const COPY = 'test/unit/journal/copy-redacted.test.ts';

export const STREAM_MUTANTS: readonly Mutant[] = [
  {
    name: 'the size of an output is not judged at the exit',
    area: 'walls',
    file: 'activities/process/guard/command.ts',
    find: "if (this.reason === null && stdout + stderr > claim.limits.outputBytes) this.decide('output_limit');",
    replace: '',
    test: {
      file: STREAMS,
      title: 'is judged by the guard that comes after the end, which never saw it grow',
    },
  },
  {
    name: 'an output above its limit is told and not cut',
    area: 'walls',
    file: 'activities/process/guard/command.ts',
    find: 'cutOutput(dir, claim.limits.outputBytes);',
    replace: '',
    test: {
      file: STREAMS,
      title: 'is cut at its limit where its last act makes it 300 GB of nothing, and that ends it as a flood does',
    },
  },
  {
    name: 'the kept prompt itself is what a program reads',
    area: 'walls',
    file: 'activities/process/guard/parent-shell.ts',
    find: '{ "$cat" <&5 4>&- 5<&- & } | (exec 2>&4',
    replace: '(exec <&5 2>&4',
    test: { file: STREAMS, title: 'is no file of ours: neither written over nor grown by its descriptor' },
  },
  {
    name: 'a hole of an output is copied as zeros',
    area: 'walls',
    file: 'activities/journal/copy-redacted.ts',
    find: 'block.equals(ZEROS) ? to.skip(block.length) : to.add(block)',
    replace: 'to.add(block)',
    test: {
      file: COPY,
      title: 'of 199 MB of nothing takes no room, and what is said before and after stands where it stood, redacted',
    },
  },
  {
    name: 'an abort waits for the end of a copy',
    area: 'walls',
    file: 'activities/journal/copy-redacted.ts',
    find: 'signal === undefined ? {} : { signal }',
    replace: '{}',
    test: { file: COPY, title: 'ends with an abort at the next block, and leaves nothing' },
  },
  {
    name: 'the next attempt begins beside one that was given up and has not ended',
    area: 'walls',
    file: 'activities/unit/attempts.ts',
    find: 'const former = this.leaving.get(token);',
    replace: "const former = this.leaving.get('');",
    test: {
      file: 'test/unit/unit/attempts.test.ts',
      title: 'never go on beside work that was detached and has not ended',
    },
  },
  {
    name: 'whatever stands in the place of a prompt is shown as what the agent was given',
    area: 'walls',
    file: 'activities/turn/shown-prompt.ts',
    find: 'text !== null && sha256(text) === given',
    replace: 'text !== null',
    test: { file: 'test/unit/run/turn.test.ts', title: 'that was written over since is not shown, and that is told' },
  },
];

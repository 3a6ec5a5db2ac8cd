/** Whose time a run took, and the one file that tells it. */
import type { Mutant } from '../mutant.js';

const TIMELINE = 'test/unit/client/timeline.test.ts';
const REPORT = 'test/unit/client/report.test.ts';

export const REPORT_MUTANTS: readonly Mutant[] = [
  {
    name: 'an agent has all the time since it was asked for',
    area: 'journal',
    file: 'client/views/timeline.ts',
    find: 'at - Math.round(durationMs)',
    replace: '(begun?.at ?? at)',
    test: {
      file: TIMELINE,
      title:
        'gives agents and checks what was measured, people and limits what they were waited for, and the engine the rest',
    },
  },
  {
    name: 'two have the same moment of a timeline',
    area: 'journal',
    file: 'client/views/timeline.ts',
    find: '[Math.max(at, claim.from), ',
    replace: '[claim.from, ',
    test: {
      file: TIMELINE,
      title: 'has spans that follow each other without a gap from its begin to its end, and totals that are all of it',
    },
  },
  {
    name: 'a wait that is not over is drawn as one that is',
    area: 'journal',
    file: 'client/views/timeline.ts',
    find: 'isOpen: until === null || until > to',
    replace: 'isOpen: false',
    test: { file: TIMELINE, title: 'leaves open what is not over until now: %s' },
  },
  {
    name: 'a report is sent out with the secrets of its run',
    area: 'secrets',
    file: 'client/http/read-report.ts',
    find: 'JSON.parse(redactedJson(',
    replace: 'JSON.parse(JSON.stringify(',
    test: { file: REPORT, title: 'runs and fetches nothing that was planted, reorders nothing, and has no secret' },
  },
  {
    name: 'a report is written over whatever has its name',
    area: 'journal',
    file: 'client/cli/commands/report.ts',
    find: "if (head?.toString('latin1') === REPORT_HEAD) return;",
    replace: 'if (head !== null) return;',
    test: {
      file: REPORT,
      title: 'is never written over something else, through a link, or where there is no folder',
    },
  },
];

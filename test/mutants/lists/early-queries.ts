/** Mutants of what is done about Queries that bring a run events before their task. */
import type { Mutant } from '../mutant.js';

const EARLY = 'test/unit/workflows/decided-too-early.test.ts';

export const EARLY_QUERY_MUTANTS: readonly Mutant[] = [
  {
    name: 'what a Query decided goes on as if a task had',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: "if (this.early === 'perhaps') this.early = 'yes';",
    replace: '',
    test: {
      file: EARLY,
      title: 'is given up for a message that comes %d events after what a Query brought, though nothing was decided',
    },
  },
  {
    name: 'a copy of a run that a Query made of a lost task goes on',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: "isFirst ? 'first' : 'no'",
    replace: "'no'",
    test: {
      file: EARLY,
      title: 'is given up for a Signal where a Query made it anew from a task that was lost, and decided nothing',
    },
  },
  {
    name: 'a message comes after what a Query brought of its own task',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: 'if (isAsked && bringsMessage(jobs)) throw new Error(GIVEN_UP_MESSAGE);',
    replace: '',
    test: {
      file: EARLY,
      title: 'is given up where a Query brought its task, started already, without the message of that task',
    },
  },
  {
    name: 'what was taken early and decided nothing counts for nothing',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: "const isLate = early === 'yes' ||",
    replace: "const isLate = (early === 'yes' && seen.decided.length > 0) ||",
    test: {
      file: EARLY,
      title:
        'is given up for the end of a turn, too, that comes after what a Query brought, though nothing was decided',
    },
  },
  {
    name: 'an activity that was never sent counts as sent',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: 'if (requestCancelActivity != null) return `activity ${requestCancelActivity.seq}`;',
    replace: '',
    test: { file: EARLY, title: 'counts no activity that was cancelled before it was sent' },
  },
  {
    name: 'a Query that is answered with its task counts as one that brought it',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: 'if (query.queryId === LONE_QUERY_ID) this.hearQuery();',
    replace: 'this.hearQuery();',
    test: {
      file: EARLY,
      title: 'goes on where it decided nothing in its first task, and a Query is answered with that task',
    },
  },
  {
    name: 'a decision has room in what the next task brings',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: 'EVENTS_BETWEEN_TASKS - seen.decided.length - brought;',
    replace: 'EVENTS_BETWEEN_TASKS - seen.decided.length;',
    test: { file: EARLY, title: 'finds no room for its decision in the events that the next task brings' },
  },
  {
    name: 'a task that took the place of a fallen one keeps the time of that one',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: '} else if (!isSameTask) {',
    replace: '} else if (!isSameTask && isAsked) {',
    test: {
      file: EARLY,
      title: 'is given up for what a Query brings after a task that took the place of a fallen one',
    },
  },
  {
    name: 'an Update is taken in a task in which its place is not certain',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: 'if (copy.isUncertain)',
    replace: 'if (copy === null)',
    test: {
      file: EARLY,
      title: 'is kept out of a copy that is behind, where a task that decided nothing can lie before it',
    },
  },
  {
    name: 'a task that decided nothing has no room before an Update',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: '(seen.isAsked ? 1 : 0) >= tasks * EVENTS_BETWEEN_TASKS;',
    replace: '(seen.isAsked ? 1 : 0) > tasks * EVENTS_BETWEEN_TASKS;',
    test: {
      file: EARLY,
      title: 'is kept out of a copy that is behind, where a task that decided nothing can lie before it',
    },
  },
  {
    name: 'the start of an activity that ended is no event',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: 'if (job.resolveActivity?.result?.completed != null) return 2;',
    replace: '',
    test: { file: EARLY, title: 'is taken where there is no room for a task that decided nothing' },
  },
  {
    name: 'an Update of before a reset is kept out of the run that was reset',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: 'this.isReset ||= bringsReset(input);',
    replace: '',
    test: { file: EARLY, title: 'is taken in a run that was reset, where nobody would send it again' },
  },
  {
    name: 'a task that decided something can be one with the next',
    area: 'actors',
    file: 'workflows/sdk-guards/decided-too-early.ts',
    find: 'const tasks = seen.decided.length === 0 ? 1 : 2;',
    replace: 'const tasks = 1;',
    test: {
      file: EARLY,
      title:
        'is kept out after a task that decided something only where two can lie between, of which one brought nothing',
    },
  },
  {
    name: 'an Update that a copy of a run kept out is not sent again',
    area: 'actors',
    file: 'client/calls/send-message.ts',
    find: 'if (typeOfRefusal(error) !== UNPROCESSED_UPDATE || stop?.aborted === true) throw error;',
    replace: 'if (stop !== null) throw error;',
    test: {
      file: 'test/unit/client/send-message.test.ts',
      title: 'sends a message that a worker kept from the run once more, under the same request id',
    },
  },
];

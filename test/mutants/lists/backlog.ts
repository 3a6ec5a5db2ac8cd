/** Of tasks that wait for their turn: numbers, grants, slots, rows, the state of an item. */
import type { Mutant } from '../mutant.js';

const MODEL = 'test/unit/backlog/backlog-model.test.ts';
const TABLE = 'test/unit/backlog/item-table.test.ts';
const NUMBER = 'test/unit/backlog/number-item.test.ts';
const WORLD = 'start no run above the limit, lose no slot, and settle, whatever is late, doubled or reset';

export const BACKLOG_MUTANTS: readonly Mutant[] = [
  {
    name: 'a backlog starts one more than may',
    area: 'backlog',
    file: 'workflows/backlog/next-grants.ts',
    find: 'const free = index.terms.maxConcurrent - slotsOf(index);',
    replace: 'const free = index.terms.maxConcurrent + 1 - slotsOf(index);',
    test: { file: MODEL, title: WORLD },
  },
  {
    name: 'a grant that is not answered yet holds no slot',
    area: 'backlog',
    file: 'workflows/backlog/next-grants.ts',
    find: 'return slot || grant !== null;',
    replace: 'return slot;',
    test: { file: MODEL, title: 'grant each a slot once, however much happens until it answers' },
  },
  {
    name: 'a backlog believes an older row of an item',
    area: 'backlog',
    file: 'workflows/backlog/backlog-table.ts',
    find: 'known !== undefined && version < known.version',
    replace: 'known !== undefined && version < 0',
    test: { file: MODEL, title: 'is not told by an older row that a slot is free' },
  },
  {
    name: 'the priority of a task counts for nothing',
    area: 'backlog',
    file: 'workflows/backlog/next-grants.ts',
    find: "order === 'priority' ? other.priority - one.priority : 0",
    replace: '0',
    test: { file: MODEL, title: 'start the higher priority first, two at once where two may' },
  },
  {
    name: 'a paused backlog starts what waits',
    area: 'backlog',
    file: 'workflows/backlog/next-grants.ts',
    find: 'if (index.isPaused) return [];',
    replace: '',
    test: { file: MODEL, title: 'start nothing while they are paused, and all that waits afterwards' },
  },
  {
    name: 'an item takes a grant that is older than a minute',
    area: 'backlog',
    file: 'workflows/item/item-table.ts',
    find: 'if (!isFor || now - at > GRANT_MS) return report(state);',
    replace: 'if (!isFor) return report(state);',
    test: {
      file: TABLE,
      title: 'starts nothing by a grant for a row that is older, or that is a minute old, and says so of the latter',
    },
  },
  {
    name: 'an item answers a grant for its older row, and both go on about it for ever',
    area: 'backlog',
    file: 'workflows/item/item-table.ts',
    find: 'if (version < state.version) return rest(state);',
    replace: '',
    test: {
      file: TABLE,
      title: 'starts nothing by a grant for a row that is older, or that is a minute old, and says so of the latter',
    },
  },
  {
    name: 'an item is running before its run has a branch',
    area: 'backlog',
    file: 'workflows/item/item-table.ts',
    find: 'run: { runId, isOpened: false }, look: lookLater(now) };',
    replace: "run: { runId, isOpened: false }, state: 'running' as const, look: lookLater(now) };",
    test: { file: TABLE, title: 'is running once its run has its branch, not when that is started' },
  },
  {
    name: 'an item takes the run of a stranger for its own',
    area: 'backlog',
    file: 'workflows/item/item-table.ts',
    find: "found.kind !== 'none' && found.owner !== itemWorkflowId(state.input)",
    replace: "found.kind !== 'none' && found.owner === ''",
    test: {
      file: TABLE,
      title:
        'takes another run id where a stranger has its own, and goes on with a run that it started before it was reset',
    },
  },
  {
    name: 'a task that a person calls done stays parked once its run has ended',
    area: 'backlog',
    file: 'workflows/item/after-run.ts',
    find: 'if (wanted !== null) return move(ended, wanted, now);',
    replace: '',
    test: { file: TABLE, title: 'is forced done once its run was ended, which says by whom' },
  },
  {
    name: 'an item is done by the landing of another run',
    area: 'backlog',
    file: 'workflows/item/after-run.ts',
    find: 'landed !== null && landed === result?.runId',
    replace: 'landed !== null',
    test: {
      file: TABLE,
      title: 'is done once the head of its last run is on its base, also where it hears that first',
    },
  },
  {
    name: 'a landing does not tell whom the run worked for that it landed',
    area: 'backlog',
    file: 'workflows/landing/landing-table.ts',
    find: "before.phase.kind === 'merged') return step;",
    replace: "before.phase.kind !== 'idle') return step;",
    test: {
      file: 'test/unit/workflows/landing-table.test.ts',
      title: 'tells whom the run worked for once its head is on the base, once, and nobody else',
    },
  },
  {
    name: 'a task whose host died once it had its number never starts',
    area: 'backlog',
    file: 'workflows/backlog/admission.ts',
    find: 'const added = items.filter(({ item }) => !known.has(item.id));',
    replace: 'const added = items.filter(({ item, isKnown }) => !isKnown && !known.has(item.id));',
    test: {
      file: MODEL,
      title:
        'run tasks whose host died once they had their numbers, by their priority, each once, and one that is closed never again',
    },
  },
  {
    name: 'the version of an item does not rise over what is known of it',
    area: 'backlog',
    file: 'workflows/item/item-table.ts',
    find: 'Math.max(before.version + 1, state.version + 1, now)',
    replace: 'Math.max(before.version + 1, now)',
    test: {
      file: TABLE,
      title: 'reports a version that rises, also over what somebody knows of it from before a reset',
    },
  },
  {
    name: 'a running item is deleted under its run',
    area: 'backlog',
    file: 'workflows/item/item-judge.ts',
    find: "const at = run === null ? state.state : 'running';",
    replace: 'const at = state.state;',
    test: { file: 'test/unit/backlog/item-judge.test.ts', title: 'counts as running while its run is being started' },
  },
  {
    name: 'a number is given twice where a folder was removed',
    area: 'backlog',
    file: 'activities/admission/number-item.ts',
    find: 'Math.max(above, this.highest()) + 1',
    replace: 'this.highest() + 1',
    test: { file: NUMBER, title: 'is one above all that are known, here or elsewhere, and its record is private' },
  },
  {
    name: 'a host that is killed after it took a number gives the task another',
    area: 'backlog',
    file: 'activities/admission/number-item.ts',
    find: '    this.mendKeys();',
    replace: '',
    test: { file: NUMBER, title: 'is given once where the host is killed at %s' },
  },
  {
    name: 'a task may be longer than its limit',
    area: 'backlog',
    file: 'protocol/actors/backlog.ts',
    find: 'return bytes > MAX_DESCRIPTION_BYTES',
    replace: 'return bytes > 2 * MAX_DESCRIPTION_BYTES',
    test: { file: 'test/unit/backlog/create-message.test.ts', title: 'takes 4096 bytes of UTF-8, and not one more' },
  },
  {
    name: 'a create is answered before its items can be spoken to',
    area: 'backlog',
    file: 'workflows/backlog/admission.ts',
    find: 'return isStarted(answer, unstarted) ? { verdicts: answer.verdicts } : null;',
    replace: 'return { verdicts: answer.verdicts };',
    test: { file: MODEL, title: 'answer a create once its items can be spoken to' },
  },
];

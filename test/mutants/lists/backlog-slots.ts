/** Of who holds a slot of a backlog, and of what people say of tasks that are there. */
import type { Mutant } from '../mutant.js';

const ANSWERS = 'test/unit/backlog/answers.test.ts';
const PACK = 'test/unit/backlog/pack-rows.test.ts';
const WORLD = 'start no run above the limit, lose no slot, and settle, whatever is late, doubled or reset';
const WORDS = 'test/unit/backlog/backlog-words.test.ts';
const SLOTS = 'test/unit/backlog/backlog-slots.test.ts';

export const BACKLOG_SLOT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a run keeps its slot while it waits for a person',
    area: 'backlog',
    file: 'workflows/item/after-run.ts',
    find: 'return !RUN_WAITS.some((wait) => wait === word);',
    replace: "return !RUN_WAITS.some((wait) => wait === word && word === 'paused');",
    test: {
      file: SLOTS,
      title: 'is taken again at once by a run that goes on, and nothing starts until as many as may are at work',
    },
  },
  {
    name: 'a run that waits for a person lets go of its files',
    area: 'backlog',
    file: 'workflows/backlog/next-grants.ts',
    find: "return row.state === 'running' || (row.state === 'queued' && hasSlot(row));",
    replace: 'return hasSlot(row);',
    test: { file: SLOTS, title: 'may be free, and the files of the run that waits are not' },
  },
  {
    name: 'a run whose change is judged keeps its slot, whatever its backlog has',
    area: 'backlog',
    file: 'workflows/item/after-run.ts',
    find: "if (word === 'reviewing') return input.slotUntil !== 'reviewing';",
    replace: "if (word === 'reviewing') return input.slotUntil !== null;",
    test: { file: SLOTS, title: 'is free while what its agent made is judged, where the backlog has it so' },
  },
  {
    name: 'a slot is free between the end of a run and the first word of its landing',
    area: 'backlog',
    file: 'workflows/item/after-run.ts',
    find: 'if (result?.isLanding !== true || state.head?.runId === result.runId) return state;',
    replace: "if (result?.isLanding !== true || result.runId !== '') return state;",
    test: {
      file: SLOTS,
      title: 'is kept until the change is ready or merged, where the backlog has it so and the engine is at it',
    },
  },
  {
    name: 'an item that finds its run waiting gives it a slot',
    area: 'backlog',
    file: 'workflows/item/item-table.ts',
    find: "const word = found.wait ?? (run.word === 'reviewing' ? run.word : 'working');",
    replace: "const word = run.word === 'reviewing' ? run.word : 'working';",
    test: { file: SLOTS, title: 'is free where an item that was reset finds its run waiting' },
  },
  {
    name: 'a task that somebody paused starts',
    area: 'backlog',
    file: 'workflows/backlog/next-grants.ts',
    find: "if (row.held) return { kind: 'hold', holder: null };",
    replace: '',
    test: { file: WORDS, title: 'does not start while it is paused, and starts when it is resumed' },
  },
  {
    name: 'a task stays paused when it is parked',
    area: 'backlog',
    file: 'workflows/item/item-steps.ts',
    find: "const isHeld = state.isHeld && (to === 'gated' || to === 'queued');",
    replace: 'const { isHeld } = state;',
    test: { file: WORDS, title: 'is not paused any more once it is taken up again' },
  },
  {
    name: 'a circle of tasks waits for ever',
    area: 'backlog',
    file: 'workflows/backlog/backlog-table.ts',
    find: 'if (circle !== null) return',
    replace: "if (circle === '') return",
    test: {
      file: WORDS,
      title: 'is parked where it would wait for itself in the end, whichever of them was said last',
    },
  },
  {
    name: 'what a task is said to wait for anew is taken for done',
    area: 'backlog',
    file: 'workflows/backlog/dependencies.ts',
    find: 'return known === undefined || known.linked !== linked ?',
    replace: 'return known === undefined || linked < 0 ?',
    test: {
      file: WORDS,
      title: 'starts by the priority, after the tasks and beside the files that somebody said last',
    },
  },
  {
    name: 'a backlog that is stopped lets go on what is at work',
    area: 'backlog',
    file: 'workflows/backlog/backlog-table.ts',
    find: 'errands: stopAll(state, event.by) };',
    replace: 'errands: stopAll(state, event.by).slice(0, 0) };',
    test: { file: WORDS, title: 'that is stopped starts nothing any more, and parks what is at work' },
  },
  {
    name: 'what somebody set is lost with the next task',
    area: 'backlog',
    file: 'workflows/backlog/admission.ts',
    find: 'terms: { ...terms, ...state.set }',
    replace: 'terms',
    test: {
      file: WORDS,
      title: 'goes by what somebody set beside its config, also where that is read again, until it is set anew',
    },
  },
  {
    name: 'a task that asks for an answer is done without a document',
    area: 'backlog',
    file: 'workflows/item/after-run.ts',
    find: '&& !hasChange && document !== null;',
    replace: '&& !hasChange;',
    test: { file: ANSWERS, title: 'that asks for an answer is parked by %j: %s' },
  },
  {
    name: 'a task whose run made no commit waits to be merged',
    area: 'backlog',
    file: 'workflows/item/after-run.ts',
    find: "return outcome === 'merge_ready' && !hasChange ? 'no_commits' : PARKED_BY[outcome];",
    replace: 'return hasChange || outcome.length > 0 ? PARKED_BY[outcome] : PARKED_BY.failed;',
    test: {
      file: ANSWERS,
      title: 'that asks for a change is not done by a plan, and never waits to be merged without a commit',
    },
  },
  {
    name: 'a row is carried without what it was granted',
    area: 'backlog',
    file: 'workflows/backlog/pack-rows.ts',
    find: 'grant: grants.get(at) ?? null,',
    replace: 'grant: grants.get(-1 - at) ?? null,',
    test: { file: PACK, title: 'are after a hand-over what they were before it, by their ids' },
  },
  {
    name: 'the sums of the rows forget the row that was replaced',
    area: 'backlog',
    file: 'workflows/backlog/rows.ts',
    find: 'added(added(this.sums, before, -1), row, 1)',
    replace: 'added(this.sums, row, 1)',
    test: { file: 'test/unit/backlog/backlog-model.test.ts', title: WORLD },
  },
];

/** Of who holds a slot of a backlog, and for how long. */
import type { Mutant } from '../mutant.js';

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
];

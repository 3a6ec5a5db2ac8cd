/** docs/states.md: the lifecycle table of protocol/run/lifecycle.ts as a picture and as a table. */
import { ITEM_MOVES, ITEM_STATES, ITEM_UPDATES } from '../protocol/actors/item.js';
import { RUN_STATUSES, TERMINAL_STATUSES, TRANSITIONS } from '../protocol/run/lifecycle.js';
import { STAGE_LISTS } from '../protocol/run/stages.js';
import { TAKEN } from '../workflows/item/item-judge.js';

export function renderStates(): string {
  return [
    '# States of a run, and of a task of a backlog',
    '',
    'Generated from `protocol/run/lifecycle.ts` by `npm run docs`; do not edit. A run has one of these statuses; what happens to its branch',
    'afterwards is `merge`, apart from it.',
    '',
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> created',
    ...mainMoves(),
    ...TERMINAL_STATUSES.map((status) => `  ${status} --> [*]`),
    '```',
    '',
    'The picture shows the moves between stages; every status that is not terminal may also move to `waiting_for_approval` and come back,',
    'be paused, or end. All legal moves:',
    '',
    '| from | to |',
    '|---|---|',
    ...RUN_STATUSES.map(
      (from) =>
        `| ${code(from)} | ${TRANSITIONS[from].length === 0 ? 'terminal' : TRANSITIONS[from].map(code).join(' ')} |`,
    ),
    '',
    'A run reaches `merge_ready` only from the last stage of its list:',
    '',
    '| list | stages |',
    '|---|---|',
    ...Object.entries(STAGE_LISTS).map(([name, stages]) => `| ${code(name)} | ${stages.map(code).join(' ')} |`),
    '',
    ...taskStates(),
  ].join('\n');
}

function taskStates(): readonly string[] {
  const moves = ITEM_STATES.flatMap((from) => ITEM_MOVES[from].map((to) => `  ${from} --> ${to}`));
  return [
    '## A task of a backlog',
    '',
    'From `protocol/actors/item.ts` and `workflows/item/item-judge.ts`. A task may go through several runs; [backlog.md](backlog.md) says why it rests where it does.',
    '',
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> gated',
    '  [*] --> queued',
    ...moves,
    '```',
    '',
    `| word | ${ITEM_STATES.map(code).join(' | ')} |`,
    `|---|${ITEM_STATES.map(() => '---|').join('')}`,
    ...ITEM_UPDATES.map(
      (word) => `| ${code(word)} | ${ITEM_STATES.map((at) => (TAKEN[word].includes(at) ? 'taken' : '')).join(' | ')} |`,
    ),
    '',
    'Where a word is not taken it is refused with the state and the words that are, or changes nothing where the task is there already. A closed task goes on with `sluice task run`, which hands it in again.',
    '',
  ];
}

/** Moves along and back within the stages; the rest would hide them. */
function mainMoves(): string[] {
  const aside: readonly string[] = ['waiting_for_approval', 'paused', 'blocked', 'failed', 'aborted'];
  return RUN_STATUSES.filter((from) => !aside.includes(from)).flatMap((from) =>
    TRANSITIONS[from].filter((to) => !aside.includes(to)).map((to) => `  ${from} --> ${to}`),
  );
}

function code(word: string): string {
  return `\`${word}\``;
}

/** docs/states.md: the lifecycle table of protocol/run/lifecycle.ts as a picture and as a table. */
import { RUN_STATUSES, TERMINAL_STATUSES, TRANSITIONS } from '../protocol/run/lifecycle.js';
import { STAGE_LISTS } from '../protocol/run/stages.js';

export function renderStates(): string {
  return [
    '# States of a run',
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
  ].join('\n');
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

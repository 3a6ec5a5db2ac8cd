/** Which tries share a run. Pure: the ones that spoil nothing go together by what they are run in, each other one alone. */
import type { Setting, Try, Turn } from './try.js';

export interface PlannedRun {
  readonly name: string;
  readonly turn: Turn;
  readonly tries: readonly Try[];
  readonly config: string;
  readonly files: Readonly<Record<string, string>>;
}

/** What starts the hostile program where no agent does. */
const OWN_COMMAND = 'node hostile/agent.mjs';

/** `limits.outputBytes` of every attacked run: what an agent may leave behind in bytes of output. */
export const OUTPUT_BYTES = 8_000_000;

const PLAIN_STAGES = '[executing, validating]';

export function planRuns(tries: readonly Try[], setting: Setting): readonly PlannedRun[] {
  const meant = tries.filter((one) => one[setting] !== null);
  const together = new Map<Turn, Try[]>();
  const runs: PlannedRun[] = [];
  for (const one of meant) {
    const turn = one.turn ?? 'write';
    if (one.alone || one.config !== undefined || one.files !== undefined) runs.push(planned(one.id, turn, [one], setting));
    else together.set(turn, [...(together.get(turn) ?? []), one]);
  }
  return [...[...together].map(([turn, group]) => planned(turn, turn, group, setting)), ...runs];
}

function planned(name: string, turn: Turn, tries: readonly Try[], setting: Setting): PlannedRun {
  const files = Object.assign({}, ...tries.map((one) => one.files ?? {})) as Record<string, string>;
  return { name, turn, tries, files, config: `${agentLines(setting, turn)}${tries.map((one) => one.config ?? '').join('')}` };
}

/** Below the agent lines of the test repository. */
function agentLines(setting: Setting, turn: Turn): string {
  const stage = turn === 'look' ? 'planning' : 'executing';
  const hostile = turn === 'setup' || turn === 'check' ? '' : `stages:\n  ${stage}:\n    agent: hostile\n`;
  return [
    '    home: []\n  hostile:\n    adapter: command\n    command: [node, hostile/agent.mjs]\n    home: []\n',
    `sandbox: ${setting === 'inside' ? 'required' : 'off'}\n`,
    `stageList: ${turn === 'look' ? 'plan-only' : PLAIN_STAGES}\n`,
    hostile,
    turn === 'setup' ? `worktree:\n  setup: ["${OWN_COMMAND} setup"]\n` : '',
    `validation:\n  commands: ["${turn === 'check' ? `${OWN_COMMAND} check` : 'grep -q changed a.txt'}"]\n`,
    `limits:\n  outputBytes: ${OUTPUT_BYTES / 1_000_000}MB\n  killGrace: 500ms\n`,
  ].join('');
}

/** As the hostile program reads them; it is told by its stage or its argument what it was started for. */
export function stagesOf(turn: Turn): readonly string[] {
  switch (turn) {
    case 'look':
      return ['planning'];
    case 'setup':
    case 'check':
      return [turn];
    default:
      return ['executing'];
  }
}

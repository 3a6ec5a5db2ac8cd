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
  const runs = new Map<string, Try[]>();
  for (const one of tries.filter((each) => each[setting] !== null)) {
    const name = one.run === 'alone' ? one.id : (one.run ?? turnOf(one));
    runs.set(name, [...(runs.get(name) ?? []), one]);
  }
  return [...runs].map(([name, group]) => planned(name, group, setting));
}

function turnOf({ turn }: Try): Turn {
  return turn ?? 'write';
}

function planned(name: string, tries: readonly Try[], setting: Setting): PlannedRun {
  const turn = tries[0] === undefined ? 'write' : turnOf(tries[0]);
  const files = Object.assign(
    { 'b.txt': 'two\n', 'c.txt': 'three\n' },
    ...tries.map((one) => one.files ?? {}),
  ) as Record<string, string>;
  const own = new Set(tries.map((one) => one.config ?? ''));
  return { name, turn, tries, files, config: `${agentLines(setting, turn)}${[...own].join('')}` };
}

/** Below the agent lines of the test repository. */
function agentLines(setting: Setting, turn: Turn): string {
  const stage = turn === 'look' ? 'planning' : turn === 'review' ? 'reviewing' : 'executing';
  const hostile = turn === 'setup' || turn === 'check' ? '' : `stages:\n  ${stage}:\n    agent: hostile\n`;
  return [
    '    home: []\n  hostile:\n    adapter: command\n    command: [node, hostile/agent.mjs]\n    home: []\n    env: { GIVEN_KEY: GIVEN }\n',
    `sandbox: ${setting === 'inside' ? 'required' : 'off'}\n`,
    `stageList: ${turn === 'look' ? 'plan-only' : turn === 'review' ? '[executing, reviewing]' : PLAIN_STAGES}\n`,
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
    case 'review':
      return ['reviewing'];
    case 'setup':
    case 'check':
      return [turn];
    default:
      return ['executing'];
  }
}

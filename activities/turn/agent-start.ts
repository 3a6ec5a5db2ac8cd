/** What one agent is started with, be it for a turn of a run or for an ask: its program, its prompt, its sandbox and its limits. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeProblem, resolveProgram } from '../../config/system/resolve-program.js';
import type { AgentConfig } from '../../protocol/run/policy.js';
import type { TurnCommand } from '../agent/contract.js';
import type { CommandSpec } from '../process/contract.js';
import { CLAIM_FILE, writeMark } from '../process/marks.js';
import { enterSandbox } from '../sandbox/enter-sandbox.js';
import type { AtWorkplace } from '../unit/at-place.js';
import { badAgent } from './turn-failures.js';

/** In the folder of its place: what it is given to read. */
export const PROMPT_FILE = 'prompt.md';

export interface AgentToStart {
  /** Its name in the config. */
  readonly agent: string;
  readonly config: AgentConfig;
  readonly command: TurnCommand;
  /** Absolute. */
  readonly cwd: string;
  readonly timeoutMs: number;
}

export interface ReadyAgent {
  readonly spec: CommandSpec;
  /** Just before the start, once the tree is in order. Errors: BadAgent; as of `enterSandbox`. */
  readonly enter: () => Promise<void>;
}

/** Effects: the file of its prompt. Errors: BadAgent, where its program cannot be run and no agent is at work, or has ended, at this place: such a one needs none. */
export function readyAgent(
  { deps, workplace, place }: Pick<AtWorkplace, 'deps' | 'workplace' | 'place'>,
  { agent, config, command, cwd, timeoutMs }: AgentToStart,
): ReadyAgent {
  const { stallMs, killGraceMs, outputBytes } = workplace.policy.limits;
  const { token, inputHash, dir } = place;
  const { starts, env } = command;
  const { argv, missing } = findPrograms(command, [workplace.repository.root, cwd]);
  const refuseMissing = () => {
    if (missing !== null) throw badAgent(`the program of agent "${agent}" cannot be run: ${missing}`);
  };
  if (!existsSync(join(dir, CLAIM_FILE))) refuseMissing();
  const stdin = join(dir, PROMPT_FILE);
  writeMark(stdin, command.stdin, deps.durability);
  const entered = enterSandbox(deps, { workplace, argv, starts, env, cwd, dir, agent: config });
  const limits = { timeoutMs, stallMs, killGraceMs, outputBytes };
  const { group } = workplace;
  return {
    spec: { token, group, inputHash, argv: entered.argv, cwd, env, stdin, dir, limits },
    enter: async () => {
      refuseMissing();
      await entered.prepare();
    },
  };
}

interface FoundPrograms extends Pick<TurnCommand, 'argv'> {
  /** Why one of them cannot be run; null: each can. */
  readonly missing: string | null;
}

/** By their paths, as the agent's PATH has them. */
function findPrograms({ argv, starts, env }: TurnCommand, forbidden: readonly string[]): FoundPrograms {
  let missing: string | null = null;
  const find = (name: string): string => {
    const program = resolveProgram(name, { path: env['PATH'] ?? '', forbidden });
    if (program.kind === 'found') return program.path;
    missing ??= describeProblem(program);
    return name;
  };
  const [first, ...others] = argv;
  const args = others.map((argument, index) => (index + 1 === starts ? find(argument) : argument));
  return { argv: [find(first), ...args], missing };
}

/** What one agent is started with, be it for a turn of a run or for an ask: its program, its prompt, its sandbox and its limits. */
import { join } from 'node:path';
import { describeProblem, resolveProgram } from '../../config/system/resolve-program.js';
import type { AgentConfig } from '../../protocol/run/policy.js';
import type { TurnCommand } from '../agent/contract.js';
import type { CommandSpec } from '../process/contract.js';
import { writeMark } from '../process/marks.js';
import { enterSandbox } from '../sandbox/enter-sandbox.js';
import type { AtWorkplace } from '../unit/at-place.js';
import { badAgent } from './turn-failures.js';

/** In the folder of its place: what it is given to read. */
export const PROMPT_FILE = 'prompt.md';

export interface AgentToStart {
  readonly config: AgentConfig;
  readonly command: TurnCommand;
  /** Absolute. */
  readonly cwd: string;
  readonly timeoutMs: number;
}

export interface ReadyAgent {
  readonly spec: CommandSpec;
  /** Just before the start, once the tree is in order. Errors: as of `enterSandbox`. */
  readonly enter: () => Promise<void>;
}

/** Effects: the file of its prompt. */
export function readyAgent(
  { deps, workplace, place }: Pick<AtWorkplace, 'deps' | 'workplace' | 'place'>,
  { config, command, cwd, timeoutMs }: AgentToStart,
): ReadyAgent {
  const { stallMs, killGraceMs, outputBytes } = workplace.policy.limits;
  const { token, inputHash, dir } = place;
  const stdin = join(dir, PROMPT_FILE);
  writeMark(stdin, command.stdin, deps.durability);
  const { argv, starts, env } = command;
  const entered = enterSandbox(deps, { workplace, argv, starts, env, cwd, dir, agent: config });
  const limits = { timeoutMs, stallMs, killGraceMs, outputBytes };
  const { group } = workplace;
  return {
    spec: { token, group, inputHash, argv: entered.argv, cwd, env, stdin, dir, limits },
    enter: entered.prepare,
  };
}

/** The programs by their paths, as the agent's PATH has them. Errors: BadAgent. */
export function withPrograms(
  command: TurnCommand,
  { agent, forbidden }: { readonly agent: string; readonly forbidden: readonly string[] },
): TurnCommand {
  const find = (name: string): string => {
    const program = resolveProgram(name, { path: command.env['PATH'] ?? '', forbidden });
    if (program.kind === 'found') return program.path;
    throw badAgent(`the program of agent "${agent}" cannot be run: ${describeProblem(program)}`);
  };
  const [first, ...others] = command.argv;
  const args = others.map((argument, index) => (index + 1 === command.starts ? find(argument) : argument));
  return { ...command, argv: [find(first), ...args] };
}

/**
 * What the adapter tells its client program about a turn: one line of JSON at the head of stdin, then the prompt as it is. Not by arguments or
 * environment, which the agent below it would inherit or show.
 */
import type { PermissionAnswer } from '../../../../protocol/run/outcomes.js';
import type { ToolLevel } from '../../../../protocol/run/policy.js';

export interface TurnSpec {
  /** Absolute path of the worktree. */
  readonly cwd: string;
  /** What the program that is started is known to call itself; null: nothing is known of it. */
  readonly program: string | null;
  readonly tools: ToolLevel;
  /** A person decides what goes beyond changing files of the worktree. */
  readonly asks: boolean;
  /** Null: the agent's own choice. */
  readonly model: string | null;
  /** The conversation to go on with; null: a new one. */
  readonly resume: string | null;
  /** What people chose where earlier attempts of this turn asked. */
  readonly answers: readonly PermissionAnswer[];
}

export function writeSpec(spec: TurnSpec, prompt: string): string {
  return `${JSON.stringify(spec)}\n${prompt}`;
}

/** Errors: plain Error for what `writeSpec` did not write. */
export function readSpec(stdin: string): { readonly spec: TurnSpec; readonly prompt: string } {
  const end = stdin.indexOf('\n');
  if (end < 0) throw new Error('stdin has no line that tells of the turn: this program is started by sluice');
  // Written by writeSpec of the same build.
  return { spec: JSON.parse(stdin.slice(0, end)) as TurnSpec, prompt: stdin.slice(end + 1) };
}

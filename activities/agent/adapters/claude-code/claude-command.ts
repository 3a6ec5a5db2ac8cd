/**
 * The command line and environment of a turn of Claude Code. Nothing here skips its permissions: what a level of tools may do is allowed by
 * name, what it may not is taken away, and everything else is refused, since nobody answers. Settings of the repository are not read: they can
 * hold hooks and variables, and no trust was asked for them. Source: docs/agents.md "claude-code".
 */
import { claudeCode } from '../../../../config/agents/claude-code.js';
import type { ToolLevel } from '../../../../protocol/run/policy.js';
import type { TurnCommand, TurnRequest } from '../../contract.js';
import { loginVariables } from '../../environment/login-variables.js';
import { makeTurnEnvironment } from '../../environment/turn-environment.js';

const EDIT_TOOLS = ['Edit', 'MultiEdit', 'NotebookEdit', 'Write'];

/** Asking belongs to the answer, where the engine reads it; nobody sees the tool's question. */
const NEVER = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'];

const LEVELS: Readonly<
  Record<ToolLevel, { readonly mode: string; readonly allowed: readonly string[]; readonly taken: readonly string[] }>
> = {
  // Looking by git it allows by itself, and refuses what of git would write; a rule by prefix would let `--output` through.
  read: { mode: 'default', allowed: [], taken: [...EDIT_TOOLS, ...NEVER] },
  edit: { mode: 'acceptEdits', allowed: EDIT_TOOLS, taken: NEVER },
  run: { mode: 'acceptEdits', allowed: [...EDIT_TOOLS, 'Bash'], taken: NEVER },
};

export function claudeCommand(turn: TurnRequest): TurnCommand {
  const { config, stagePolicy, resume } = turn;
  const [program, ...leading] = config.command ?? [claudeCode.program];
  const { mode, allowed, taken } = LEVELS[turn.tools];
  const model = stagePolicy.model ?? config.model;
  const argv: [string, ...string[]] = [
    program,
    ...leading,
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--setting-sources',
    'user',
    '--strict-mcp-config',
    '--permission-mode',
    mode,
    '--allowedTools',
    allowed.join(','),
    '--disallowedTools',
    taken.join(','),
    ...(model === null ? [] : ['--model', model]),
    ...(resume === null ? [] : ['--resume', resume.id]),
    ...config.args,
  ];
  return { argv, env: makeTurnEnvironment(turn, environmentOf(turn)), stdin: turn.prompt };
}

function environmentOf({ config, stagePolicy }: TurnRequest): Record<string, string> {
  return {
    ...claudeCode.switches,
    ...loginVariables(config),
    ...(stagePolicy.effort === null ? {} : { CLAUDE_CODE_EFFORT_LEVEL: stagePolicy.effort }),
  };
}

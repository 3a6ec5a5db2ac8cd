/**
 * The command line and environment of a turn of OpenCode. Rules of permission are given with the turn and say allow or deny, never ask: nobody
 * answers, and a question that is refused ends the turn. A config of the repository is not read: it can name programs. Source: opencode.ai/docs.
 */
import { opencode } from '../../../../config/agents/opencode.js';
import type { ToolLevel } from '../../../../protocol/run/policy.js';
import type { TurnCommand, TurnRequest } from '../../contract.js';
import { loginVariables } from '../../environment/login-variables.js';
import { makeTurnEnvironment } from '../../environment/turn-environment.js';

type Rule = 'allow' | 'deny';

/** A review reads its change from git. */
const LOOKING_COMMANDS = ['git diff', 'git log', 'git show', 'git status', 'ls'];

/** Options of git that write a file or start a program, and what a shell takes for more than a word. */
const ACTING_PARTS = ['--output', '--ext-diff', '--textconv', '>', '<', '$', '`', '"', "'", '\\'];

const ruled = (patterns: readonly string[], rule: Rule): Readonly<Record<string, Rule>> =>
  Object.fromEntries(patterns.map((pattern) => [pattern, rule] as const));

/** The last rule that fits counts. */
const LOOKING: Readonly<Record<string, Rule>> = {
  '*': 'deny',
  ...ruled(
    LOOKING_COMMANDS.flatMap((command) => [command, `${command} *`]),
    'allow',
  ),
  ...ruled(
    ACTING_PARTS.map((part) => `*${part}*`),
    'deny',
  ),
};

const NEVER: Readonly<Record<string, Rule>> = {
  question: 'deny',
  plan_enter: 'deny',
  plan_exit: 'deny',
  doom_loop: 'deny',
};

/** Programs reach everything anyway, and need toolchains and temporary folders. */
const OUTSIDE: Readonly<Record<ToolLevel, Rule>> = { read: 'deny', edit: 'deny', run: 'allow' };

const LEVELS: Readonly<Record<ToolLevel, Readonly<Record<string, Rule | Readonly<Record<string, Rule>>>>>> = {
  read: { ...NEVER, edit: 'deny', bash: LOOKING, webfetch: 'deny', websearch: 'deny' },
  edit: { ...NEVER, edit: 'allow', bash: LOOKING, webfetch: 'deny', websearch: 'deny' },
  run: { ...NEVER, edit: 'allow', bash: 'allow', webfetch: 'allow', websearch: 'allow' },
};

export function opencodeCommand(turn: TurnRequest): TurnCommand {
  const { config, stagePolicy, resume } = turn;
  const [program, ...leading] = config.command ?? [opencode.program];
  const model = stagePolicy.model ?? config.model;
  const argv: [string, ...string[]] = [
    program,
    ...leading,
    'run',
    '--format',
    'json',
    '--print-logs',
    '--log-level',
    'WARN',
    ...(model === null ? [] : ['-m', model]),
    ...(stagePolicy.effort === null ? [] : ['--variant', stagePolicy.effort]),
    ...(resume === null ? [] : ['-s', resume.id]),
    ...config.args,
  ];
  return { argv, env: makeTurnEnvironment(turn, environmentOf(turn)), stdin: turn.prompt };
}

function environmentOf({ config, cwd, tools }: TurnRequest): Record<string, string> {
  return {
    ...opencode.switches,
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ autoupdate: false, share: 'disabled' }),
    OPENCODE_PERMISSION: JSON.stringify({ ...LEVELS[tools], external_directory: OUTSIDE[tools] }),
    // It takes its folder from here, and not from where it was started.
    PWD: cwd,
    ...loginVariables(config),
  };
}

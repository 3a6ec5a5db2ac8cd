/**
 * The command line and environment of a turn of OpenCode. Rules of permission are given with the turn and say allow or deny, never ask: nobody
 * answers, and a question that is refused ends the turn. A config of the repository is not read: it can name programs. Source: opencode.ai/docs.
 */
import type { ToolLevel } from '../../../../protocol/policy.js';
import type { TurnCommand, TurnRequest } from '../../contract.js';
import { turnEnvironment } from '../../turn-environment.js';

const SWITCHES: Readonly<Record<string, string>> = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_DISABLE_TERMINAL_TITLE: '1',
};

type Rule = 'allow' | 'deny';

/** The last rule that fits counts. A review reads its change from git. */
const LOOKING: Readonly<Record<string, Rule>> = {
  '*': 'deny',
  'git diff*': 'allow',
  'git log*': 'allow',
  'git show*': 'allow',
  'git status*': 'allow',
  'ls*': 'allow',
};

const NEVER: Readonly<Record<string, Rule>> = { question: 'deny', plan_enter: 'deny', plan_exit: 'deny', doom_loop: 'deny' };

/** Programs reach everything anyway, and need toolchains and temporary folders. */
const OUTSIDE: Readonly<Record<ToolLevel, Rule>> = { read: 'deny', edit: 'deny', run: 'allow' };

const LEVELS: Readonly<Record<ToolLevel, Readonly<Record<string, Rule | Readonly<Record<string, Rule>>>>>> = {
  read: { ...NEVER, edit: 'deny', bash: LOOKING, webfetch: 'deny', websearch: 'deny' },
  edit: { ...NEVER, edit: 'allow', bash: LOOKING, webfetch: 'deny', websearch: 'deny' },
  run: { ...NEVER, edit: 'allow', bash: 'allow', webfetch: 'allow', websearch: 'allow' },
};

export function opencodeCommand(turn: TurnRequest): TurnCommand {
  const { config, stagePolicy, resume } = turn;
  const [program, ...leading] = config.command ?? ['opencode'];
  const model = stagePolicy.model ?? config.model;
  const argv: [string, ...string[]] = [
    program,
    ...leading,
    'run',
    ...['--format', 'json', '--print-logs', '--log-level', 'WARN'],
    ...(model === null ? [] : ['-m', model]),
    ...(stagePolicy.effort === null ? [] : ['--variant', stagePolicy.effort]),
    ...(resume === null ? [] : ['-s', resume.id]),
    ...config.args,
  ];
  return { argv, env: turnEnvironment(turn, environmentOf(turn)), stdin: turn.prompt };
}

export function opencodeLogin({ config }: TurnRequest): string {
  const folders = config.configDir === undefined ? {} : foldersBelow(config.configDir);
  return [...Object.entries(folders).map(([name, folder]) => `${name}='${folder}'`), 'opencode auth login'].join(' ');
}

function environmentOf({ config, cwd, tools }: TurnRequest): Record<string, string> {
  return {
    ...SWITCHES,
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ autoupdate: false, share: 'disabled' }),
    OPENCODE_PERMISSION: JSON.stringify({ ...LEVELS[tools], external_directory: OUTSIDE[tools] }),
    // It takes its folder from here, and not from where it was started.
    PWD: cwd,
    ...(config.configDir === undefined ? {} : foldersBelow(config.configDir)),
  };
}

/** The login lies in the data folder, and no variable of its own names that. */
function foldersBelow(folder: string): Record<string, string> {
  return { XDG_CONFIG_HOME: `${folder}/config`, XDG_DATA_HOME: `${folder}/data`, XDG_STATE_HOME: `${folder}/state` };
}

/**
 * The command line and environment of a turn of Codex. Its own sandbox holds it to its level of tools: it cannot tell changing files from
 * running programs, so `edit` and `run` are the same. Approvals are never asked for, since nobody answers. Source: docs/agents.md "codex".
 */
import { codex } from '../../../../config/agents/codex.js';
import type { ToolLevel } from '../../../../protocol/run/policy.js';
import type { TurnCommand, TurnRequest } from '../../contract.js';
import { loginVariables } from '../../environment/login-variables.js';
import { makeTurnEnvironment } from '../../environment/turn-environment.js';

const SANDBOXES: Readonly<Record<ToolLevel, string>> = {
  read: 'read-only',
  edit: 'workspace-write',
  run: 'workspace-write',
};

/** The first also spares five seconds at the end of each turn where its server cannot be reached. */
const SETTINGS = [
  'analytics.enabled=false',
  'feedback.enabled=false',
  'check_for_update_on_startup=false',
  'approval_policy="never"',
];

export function codexCommand(turn: TurnRequest): TurnCommand {
  const { config, stagePolicy, resume } = turn;
  const [program, ...leading] = config.command ?? [codex.program];
  const model = stagePolicy.model ?? config.model;
  const settings = [
    ...SETTINGS,
    // It takes trust in a repository for trust in its worktrees, and starts what their `.codex/config.toml` names. Only this form is heard.
    `projects={${JSON.stringify(turn.cwd)}={trust_level="untrusted"}}`,
    ...(stagePolicy.effort === null ? [] : [`model_reasoning_effort="${stagePolicy.effort}"`]),
  ];
  const argv: [string, ...string[]] = [
    program,
    ...leading,
    'exec',
    '--json',
    '--color',
    'never',
    '--skip-git-repo-check',
    '-s',
    SANDBOXES[turn.tools],
    ...settings.flatMap((setting) => ['-c', setting]),
    ...(model === null ? [] : ['-m', model]),
    ...config.args,
    ...(resume === null ? [] : ['resume', resume.id]),
    '-',
  ];
  return { argv, env: makeTurnEnvironment(turn, loginVariables(config)), stdin: turn.prompt };
}

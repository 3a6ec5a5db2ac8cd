/**
 * What the guard starts for a turn of an ACP agent: our client program, with the agent's own command behind it. The turn itself goes by stdin.
 * Why a program of ours: docs/decisions/0015-a-client-speaks-acp.md.
 */

import { findKind } from '../../../../config/agents/kinds.js';
import type { PermissionMode } from '../../../../protocol/run/policy.js';
import type { TurnCommand, TurnRequest } from '../../contract.js';
import { loginVariables } from '../../environment/login-variables.js';
import { makeTurnEnvironment } from '../../environment/turn-environment.js';
import { badSetting } from '../../outcome/bad-setting.js';
import { writeSpec } from './turn-spec.js';

/** Arguments of node that start the client; the agent's command is appended. */
export type AcpEntry = readonly [string, ...string[]];

/** With a gate on changes, programs are a person's matter too. */
const ASKING: readonly PermissionMode[] = ['ask', 'accept-edits'];

/** Errors: BadAgent, if the config names no program. */
export function acpCommand(entry: AcpEntry, turn: TurnRequest): TurnCommand {
  const { config, cwd, tools, stagePolicy, resume, permissions, permissionAnswers } = turn;
  if (config.command === null)
    throw badSetting(turn, { key: 'command', needs: 'a program that speaks the Agent Client Protocol there' });
  const kind = findKind(config);
  const spec = {
    cwd,
    program: kind.acp?.names[0] ?? null,
    tools,
    asks: ASKING.includes(permissions),
    model: stagePolicy.model ?? config.model,
    resume: resume?.id ?? null,
    answers: permissionAnswers,
  };
  const env = { ...kind.switches, ...loginVariables(config) };
  const leading: readonly [string, ...string[]] = [process.execPath, ...entry];
  return {
    argv: [...leading, ...config.command, ...config.args],
    starts: leading.length,
    env: makeTurnEnvironment(turn, env),
    stdin: writeSpec(spec, turn.prompt),
  };
}

/** How a CLI is told of the folder that stands for its own of HOME (`agents.<name>.configDir`): login, settings and conversations of another account. */
import { acpProgramOf } from '../../protocol/acp-programs.js';
import type { AgentConfig } from '../../protocol/policy.js';

/** Empty: it has its person's own. */
export function loginVariables({ adapter, command, configDir }: AgentConfig): Readonly<Record<string, string>> {
  if (configDir === undefined) return {};
  switch (adapter) {
    case 'claude-code':
      return { CLAUDE_CONFIG_DIR: configDir };
    case 'codex':
      return { CODEX_HOME: configDir };
    case 'opencode':
      // The login lies in the data folder, and no variable of its own names that.
      return { XDG_CONFIG_HOME: `${configDir}/config`, XDG_DATA_HOME: `${configDir}/data`, XDG_STATE_HOME: `${configDir}/state` };
    case 'acp': {
      const variable = acpProgramOf(command)?.configVariable ?? null;
      return variable === null ? {} : { [variable]: configDir };
    }
    case 'command':
    case 'scripted':
    case 'model':
      return {};
  }
}

/** The command that logs in, as a person types it. */
export function loginCommand(config: AgentConfig, command: string): string {
  const set = Object.entries(loginVariables(config)).map(([name, folder]) => `${name}='${folder}'`);
  return [...set, command].join(' ');
}

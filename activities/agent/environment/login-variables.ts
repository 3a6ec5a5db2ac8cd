/** How a CLI is told of the folder that stands for its own of HOME (`agents.<name>.configDir`): login, settings and conversations of another account. */
import { findKind, nameProgram } from '../../../config/agents/kinds.js';
import type { AgentConfig } from '../../../protocol/run/policy.js';

/** Empty: it has its person's own. */
export function loginVariables(config: AgentConfig): Readonly<Record<string, string>> {
  const { configDir } = config;
  if (configDir === undefined) return {};
  const variables = Object.entries(findKind(config).configVariables ?? {});
  return Object.fromEntries(
    variables.map(([name, below]) => [name, below === '' ? configDir : `${configDir}/${below}`]),
  );
}

/** The command that logs in, as a person types it. */
export function loginCommand(config: AgentConfig): string {
  const { login } = findKind(config);
  if (login === null) return `${nameProgram(config.command)}, by its own means`;
  const set = Object.entries(loginVariables(config)).map(([name, folder]) => `${name}='${folder}'`);
  return [...set, login.make].join(' ');
}

/** What was found of coding CLIs, in words: for `sluice run` without a config, `sluice init` and `sluice doctor`. */
import type { FoundAgent } from '../../../config/init/detect-agents.js';
import type { InitialAgent } from '../../../config/init/init-config.js';
import { lookAtRepository } from '../../repository.js';
import type { Io } from '../terminal/io.js';

export interface VersionedAgent extends FoundAgent {
  /** Null: it did not say. */
  readonly version: string | null;
}

/** The same, for a command that may be called in any folder: no program of the repository around it is one. */
export async function findAgentsAround({ env, cwd }: Pick<Io, 'env' | 'cwd'>): Promise<readonly VersionedAgent[]> {
  const look = await lookAtRepository(cwd);
  return findAgents(env, 'root' in look ? [look.root] : []);
}

/** Effects: one `--version` each, side by side, five seconds at most. */
export async function findAgents(
  env: NodeJS.ProcessEnv,
  forbidden: readonly string[],
): Promise<readonly VersionedAgent[]> {
  const { agentVersion, detectAgents } = await import('../../../config/init/detect-agents.js');
  return Promise.all(
    detectAgents(env, forbidden).map(async (found) => ({ ...found, version: await agentVersion(found, env) })),
  );
}

/** `claude 2.1.197, logged in (ANTHROPIC_API_KEY)`. */
export function agentText({ program, version, login }: VersionedAgent): string {
  return `${program}${version === null ? '' : ` ${version}`}, ${loginText(login)}`;
}

export function loginText(login: FoundAgent['login']): string {
  switch (login.kind) {
    case 'file':
    case 'variable':
      return `logged in (${login.where})`;
    case 'none':
      return 'no login found';
  }
}

/** For the first config: the program that the person named, else the CLI that was chosen. Null: neither. */
export function initialAgent(program: readonly string[] | null, chosen: FoundAgent | null): InitialAgent | null {
  if (program !== null) return { kind: 'command', command: program };
  return chosen === null ? null : { kind: 'cli', ...chosen };
}

/** Which program an agent is, by its config: what `command` says, else the name that its CLI has on PATH. */
import type { Adapter, AgentConfig } from '../../protocol/policy.js';

const NAMES: Readonly<Record<Adapter, string | null>> = {
  command: null,
  scripted: null,
  'claude-code': 'claude',
  codex: 'codex',
  opencode: 'opencode',
  model: null,
  acp: null,
};

/** Null: the adapter starts a program of its own, or the config names none. */
export function programOf({ adapter, command }: Pick<AgentConfig, 'adapter' | 'command'>): string | null {
  return command?.[0] ?? NAMES[adapter];
}

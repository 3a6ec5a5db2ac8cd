/** Every kind of agent that sluice knows, and which of them an agent of a config is. */
import type { Adapter, AgentConfig } from '../../protocol/run/policy.js';
import { claudeAgentAcp, claudeCode } from './claude-code.js';
import { codex, codexAcp } from './codex.js';
import { gemini } from './gemini.js';
import type { AgentKind } from './kind.js';
import { opencode, opencodeAcp } from './opencode.js';
import { anyAcp, anyCommand, model, scripted } from './plain.js';

export const KIND_OF_ADAPTER: Readonly<Record<Adapter, AgentKind>> = {
  command: anyCommand,
  scripted,
  'claude-code': claudeCode,
  codex,
  opencode,
  acp: anyAcp,
  model,
};

/** By the program behind `adapter: acp`, which takes any. Other programs for the logins above come last. */
export const ACP_KINDS: readonly AgentKind[] = [gemini, claudeAgentAcp, codexAcp, opencodeAcp];

/** In the order in which one is chosen where several could work. */
export const AGENT_KINDS: readonly AgentKind[] = [...Object.values(KIND_OF_ADAPTER), ...ACP_KINDS];

/** What it does not know by its program it knows by its adapter. */
export function findKind({ adapter, command: named }: Pick<AgentConfig, 'adapter' | 'command'>): AgentKind {
  const byProgram = adapter === 'acp' ? ACP_KINDS.find(({ program }) => program === nameProgram(named)) : undefined;
  return byProgram ?? KIND_OF_ADAPTER[adapter];
}

/** The last part of the program's path; empty: there is no program. */
export function nameProgram(named: AgentConfig['command']): string {
  return named?.[0].split('/').findLast((part) => part !== '') ?? '';
}

/** Which adapter serves which agent: the one place that knows all of them. */
import type { Adapter, AgentConfig } from '../../protocol/run/policy.js';
import { createAcpAdapter } from './adapters/acp/acp-adapter.js';
import { claudeAdapter } from './adapters/claude-code/claude-adapter.js';
import { codexAdapter } from './adapters/codex/codex-adapter.js';
import { commandAdapter } from './adapters/command.js';
import { createModelAdapter } from './adapters/model/model-adapter.js';
import { opencodeAdapter } from './adapters/opencode/opencode-adapter.js';
import { createScriptedAdapter, type ScriptedEntry } from './adapters/scripted.js';
import type { AgentAdapter } from './contract.js';

export interface AdapterOptions {
  /** How to start the scripted agent where the compiled one is not beside this file. */
  readonly scriptedEntry?: ScriptedEntry;
}

const ADAPTERS: Readonly<Record<Adapter, (options: AdapterOptions) => AgentAdapter>> = {
  command: () => commandAdapter,
  scripted: ({ scriptedEntry }) => createScriptedAdapter(scriptedEntry),
  'claude-code': () => claudeAdapter,
  codex: () => codexAdapter,
  opencode: () => opencodeAdapter,
  model: () => createModelAdapter(),
  acp: () => createAcpAdapter(),
};

export function adapterOf({ adapter }: Pick<AgentConfig, 'adapter'>, options: AdapterOptions = {}): AgentAdapter {
  return ADAPTERS[adapter](options);
}

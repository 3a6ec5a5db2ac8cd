/**
 * The keys of an agent with the adapter `model`: which it needs, and which of the other agents would have no effect. Such an agent is no program of the
 * person's, so it has neither command nor arguments nor a folder of its own.
 */
import type { AgentConfig } from '../../protocol/run/policy.js';

export interface KeyTrouble {
  readonly key: string;
  readonly found: string;
  readonly rule: string;
}

/** `key`: `agents.<name>`. Null: they fit together. */
export function modelKeyTrouble(key: string, agent: AgentConfig): KeyTrouble | null {
  return agent.adapter === 'model' ? missingOrIdle(key, agent) : strayKey(key, agent);
}

function missingOrIdle(key: string, { command, args, model, provider, baseUrl }: AgentConfig): KeyTrouble | null {
  const rule = 'the adapter model starts its own program; remove it';
  if (command !== null) return { key: `${key}.command`, found: `${key}.command is set`, rule };
  if (args.length > 0) return { key: `${key}.args`, found: `${key}.args is set`, rule };
  if (provider === undefined) return missing(key, 'provider', 'anthropic, openai or openai-compatible');
  if (model === null) return missing(key, 'model', '<name>');
  if (provider === 'openai-compatible' && baseUrl === undefined)
    return missing(key, 'baseUrl', 'http://127.0.0.1:8000/v1, say');
  return null;
}

function missing(key: string, name: string, example: string): KeyTrouble {
  return { key: `${key}.${name}`, found: `${key} has no ${name}`, rule: `the adapter model needs ${name}: ${example}` };
}

function strayKey(key: string, { adapter, provider, baseUrl }: AgentConfig): KeyTrouble | null {
  const name = provider !== undefined ? 'provider' : baseUrl !== undefined ? 'baseUrl' : null;
  if (name === null) return null;
  const rule = `only the adapter model has it, and this one is ${adapter}`;
  return { key: `${key}.${name}`, found: `${key}.${name} is set`, rule };
}

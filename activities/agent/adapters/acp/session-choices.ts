/** What is set on a new session before its prompt: a mode in which the agent asks, the model of the policy, a key as login. Pure; agents tell them in several ways. */
import type { ToolLevel } from '../../../../protocol/run/policy.js';
import { at, listAt, textAt } from '../../events/event-fields.js';
import { KEY_LOGINS } from './known-peers.js';

/** Modes in which agents ask before they act, the first that is offered. In others a setting of the person's may let them go ahead. */
const ASKING: Readonly<Record<ToolLevel, readonly string[]>> = {
  read: ['read-only', 'default', 'ask'],
  edit: ['default', 'ask', 'read-only'],
  run: ['default', 'ask', 'auto'],
};

/** Null: it stands in the right one, or offers none that is known. */
export function chooseMode(session: unknown, tools: ToolLevel): string | null {
  const offered = listAt(session, 'modes', 'availableModes').map((mode) => textAt(mode, 'id'));
  const wanted = ASKING[tools].find((id) => offered.includes(id)) ?? null;
  return wanted === textAt(session, 'modes', 'currentModeId') ? null : wanted;
}

export type ModelChoice =
  | { readonly kind: 'none' }
  /** The agent offers others. */
  | { readonly kind: 'unknown'; readonly offered: readonly string[] }
  | { readonly kind: 'model' }
  | { readonly kind: 'option'; readonly configId: string };

export function chooseModel(session: unknown, model: string | null): ModelChoice {
  if (model === null) return { kind: 'none' };
  const models = listAt(session, 'models', 'availableModels').flatMap((one) => textAt(one, 'modelId') ?? []);
  if (models.length > 0) return models.includes(model) ? { kind: 'model' } : { kind: 'unknown', offered: models };
  const option = listAt(session, 'configOptions').find(
    (one) => textAt(one, 'category') === 'model' || textAt(one, 'id') === 'model',
  );
  const configId = textAt(option, 'id');
  const values = listAt(option, 'options').flatMap((one) =>
    [one, ...listAt(one, 'options')].flatMap((each) => textAt(each, 'value') ?? []),
  );
  if (configId === null || values.length === 0) return { kind: 'none' };
  return values.includes(model) ? { kind: 'option', configId } : { kind: 'unknown', offered: values };
}

/** The id of the first way of login whose key is there. */
export function findKeyLogin(agent: unknown, env: NodeJS.ProcessEnv): string | null {
  const ids = listAt(agent, 'authMethods').flatMap((method) => textAt(method, 'id') ?? []);
  return ids.find((id) => KEY_LOGINS.get(id)?.some((name) => (env[name] ?? '') !== '')) ?? null;
}

/** How an agent goes on with an earlier session: without telling it all again where it can. */
export function chooseResumeMethod(agent: unknown): 'session/resume' | 'session/load' | null {
  const resume = at(agent, 'agentCapabilities', 'sessionCapabilities', 'resume');
  if (typeof resume === 'object' && resume !== null) return 'session/resume';
  return at(agent, 'agentCapabilities', 'loadSession') === true ? 'session/load' : null;
}

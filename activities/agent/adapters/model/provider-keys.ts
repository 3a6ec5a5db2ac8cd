/** Which variable holds the key of a provider. Of a compatible server it may be missing: many on one's own machine ask for none. */
import type { ModelProvider } from '../../../../protocol/run/policy.js';

export const KEY_VARIABLES: Readonly<Record<ModelProvider, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  'openai-compatible': 'OPENAI_API_KEY',
};

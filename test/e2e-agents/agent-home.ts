/**
 * A HOME that points a CLI at a provider on loopback: what a person would have configured, and nothing that weakens the CLI.
 * The settings say where the provider is, and keep the CLI from calling anywhere else.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliName } from './agent-clis.js';

/** Unit: tokens; of the model that the mock plays. */
const CONTEXT = 200_000;

type Environment = Readonly<Record<string, string>>;

export interface AgentHome {
  /** What its environment needs beside HOME and PATH: it pays by the call. */
  readonly env: Environment;
  /** The same for a plan that is paid by the month, where the CLI tells the two apart. */
  readonly subscription: Environment;
}

/** Effects: writes the CLI's settings below `home`. */
export function prepareHome(cli: CliName, home: string, providerUrl: string): AgentHome {
  mkdirSync(home, { recursive: true });
  switch (cli) {
    case 'claude-code':
    case 'claude-agent-acp':
      // Whoever used it has the folder; without it a sandbox keeps no conversation.
      mkdirSync(join(home, '.claude'), { recursive: true });
      return claudeHome(providerUrl);
    case 'gemini':
      return alike(prepareGemini(join(home, '.gemini'), providerUrl));
    case 'codex':
      return alike(prepareCodex(join(home, '.codex'), providerUrl));
    case 'opencode':
      return alike(prepareOpencode(join(home, '.config/opencode'), providerUrl));
  }
}

const alike = (env: Environment): AgentHome => ({ env, subscription: env });

function claudeHome(providerUrl: string): AgentHome {
  const quiet = {
    ANTHROPIC_BASE_URL: providerUrl,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
  return {
    env: { ...quiet, ANTHROPIC_API_KEY: 'dummy' },
    subscription: { ...quiet, CLAUDE_CODE_OAUTH_TOKEN: 'dummy' },
  };
}

function prepareCodex(folder: string, providerUrl: string): Environment {
  mkdirSync(folder, { recursive: true });
  const config = `model = "mock-model"
model_provider = "mock"

[analytics]
enabled = false

[model_providers.mock]
name = "mock"
base_url = "${providerUrl}/v1"
env_key = "MOCK_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`;
  writeFileSync(join(folder, 'config.toml'), config);
  return { CODEX_HOME: folder, MOCK_API_KEY: 'dummy' };
}

function prepareGemini(folder: string, providerUrl: string): Environment {
  mkdirSync(folder, { recursive: true });
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    // It tries ten times else, without a word.
    general: { maxAttempts: 1, enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    // By itself it asks a model which model to ask.
    model: { name: 'gemini-2.5-flash' },
  };
  writeFileSync(join(folder, 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`);
  return { GOOGLE_GEMINI_BASE_URL: providerUrl, GEMINI_API_KEY: 'dummy' };
}

function prepareOpencode(folder: string, providerUrl: string): Environment {
  mkdirSync(folder, { recursive: true });
  const model = { name: 'mock', limit: { context: CONTEXT, output: 8000 }, cost: { input: 1, output: 2 } };
  const config = {
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    model: 'mock/mock-model',
    provider: {
      mock: {
        npm: '@ai-sdk/openai-compatible',
        name: 'mock',
        options: { baseURL: `${providerUrl}/v1`, apiKey: 'dummy' },
        models: { 'mock-model': model },
      },
    },
  };
  writeFileSync(join(folder, 'opencode.json'), `${JSON.stringify(config, null, 2)}\n`);
  return {};
}

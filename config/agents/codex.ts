/** Codex, and the program that speaks the Agent Client Protocol for it with the same login. */
import type { AgentKind } from './kind.js';
import { PLAIN_PEER } from './plain.js';

const CONFIG = { variable: 'CODEX_HOME', folder: '.codex', name: 'config.toml' };

const STEERING = ['config.toml', 'AGENTS.md', 'AGENTS.override.md', 'prompts', 'rules', 'skills', 'hooks.json'];

const LOGIN = {
  files: [{ variable: 'CODEX_HOME', folder: '.codex', name: 'auth.json', field: null }],
  keys: { CODEX_API_KEY: [], OPENAI_API_KEY: [] },
  settings: ['CODEX_HOME', 'OPENAI_BASE_URL'],
  configs: [{ ...CONFIG, names: /^\s*env_key\s*=\s*["']([A-Za-z_][A-Za-z0-9_]{0,127})["']/gm }],
  addresses: {
    variables: ['OPENAI_BASE_URL'],
    configs: [{ ...CONFIG, names: /^\s*base_url\s*=\s*["']([^"'\s]{1,2000})["']/gm }],
  },
  make: 'codex login',
};

export const codex = {
  adapter: 'codex',
  program: 'codex',
  command: null,
  provider: 'openai',
  // It tells tokens, and no price of them.
  tellsCost: false,
  login: { ...LOGIN, status: ['login', 'status'] },
  configVariables: { CODEX_HOME: '' },
  switches: {},
  sandbox: {
    home: ['.codex'],
    caches: [],
    made: ['.codex'],
    readOnly: STEERING.map((name) => `.codex/${name}`),
    scratch: [],
    moves: [{ from: '.codex', variable: 'CODEX_HOME', to: '' }],
    hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  },
  plugins: null,
  acp: null,
} as const satisfies AgentKind;

export const codexAcp: AgentKind = {
  ...codex,
  adapter: 'acp',
  program: 'codex-acp',
  command: ['codex-acp'],
  login: { ...LOGIN, status: null },
  acp: {
    ...PLAIN_PEER,
    keyLogins: {
      'codex-api-key': ['CODEX_API_KEY'],
      'openai-api-key': ['OPENAI_API_KEY'],
      'api-key': ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    },
  },
};

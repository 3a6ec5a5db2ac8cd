/** OpenCode, which speaks the Agent Client Protocol too: a config that has it do so names its command, and no login of it is known there. */
import type { AgentKind } from './kind.js';
import { PLAIN_PEER } from './plain.js';
import { XDG_MOVES } from './xdg-moves.js';

const CONFIGS = ['opencode/opencode.json', 'opencode/opencode.jsonc'].map((name) => ({
  variable: 'XDG_CONFIG_HOME',
  folder: '.config',
  name,
}));

export const opencode = {
  adapter: 'opencode',
  program: 'opencode',
  command: null,
  provider: 'opencode',
  tellsCost: true,
  login: {
    files: [{ variable: 'XDG_DATA_HOME', folder: '.local/share', name: 'opencode/auth.json', field: null }],
    keys: {
      ANTHROPIC_API_KEY: [],
      OPENAI_API_KEY: [],
      OPENROUTER_API_KEY: [],
      GEMINI_API_KEY: [],
      GOOGLE_GENERATIVE_AI_API_KEY: [],
    },
    settings: ['OPENCODE_CONFIG'],
    configs: CONFIGS.map((file) => ({ ...file, names: /\{env:([A-Za-z_][A-Za-z0-9_]{0,127})\}/g })),
    addresses: {
      variables: [],
      configs: CONFIGS.map((file) => ({ ...file, names: /"baseURL"\s*:\s*"([^"\s]{1,2000})"/g })),
    },
    make: 'opencode auth login',
    status: null,
  },
  // The login lies in the data folder, and no variable of its own names that.
  configVariables: { XDG_CONFIG_HOME: 'config', XDG_DATA_HOME: 'data', XDG_STATE_HOME: 'state' },
  switches: {
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_DISABLE_TERMINAL_TITLE: '1',
  },
  sandbox: {
    home: ['.local/share/opencode'],
    caches: ['.local/state/opencode', '.cache/opencode'],
    made: ['.local/share/opencode'],
    readOnly: ['.opencode/bin'],
    scratch: ['.config/opencode'],
    moves: XDG_MOVES,
    hosts: [
      'opencode.ai',
      'models.dev',
      'models.opencode.ai',
      'api.anthropic.com',
      'api.openai.com',
      'openrouter.ai',
      'generativelanguage.googleapis.com',
    ],
  },
  // Version 1.18.33 looks for them in its project whatever its switches say.
  plugins: {
    of: 'OpenCode',
    folders: ['.opencode/plugin', '.opencode/plugins'],
    configs: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
    // It puts variables and files in the place of a part of a key, too.
    named: /^plugins?$|\{(?:env|file):/,
  },
  acp: null,
} as const satisfies AgentKind;

export const opencodeAcp: AgentKind = {
  ...opencode,
  adapter: 'acp',
  tellsCost: false,
  login: null,
  configVariables: null,
  acp: PLAIN_PEER,
};

/** Claude Code, and the program of another project that speaks the Agent Client Protocol for it with the same login. */
import type { AgentKind } from './kind.js';
import { PLAIN_PEER } from './plain.js';
import { XDG_MOVES } from './xdg-moves.js';

const STEERING =
  'settings.json settings.local.json CLAUDE.md commands agents hooks plugins skills output-styles local'.split(' ');

const LOGIN = {
  files: [
    { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude', name: '.credentials.json', field: null },
    // Beside the key store of macOS: whose account it is, and nothing of the key.
    { variable: 'CLAUDE_CONFIG_DIR', folder: '', name: '.claude.json', field: 'oauthAccount' },
  ],
  keys: {
    ANTHROPIC_API_KEY: [],
    ANTHROPIC_AUTH_TOKEN: [],
    CLAUDE_CODE_OAUTH_TOKEN: [],
    CLAUDE_CODE_USE_BEDROCK: ['AWS_PROFILE', 'AWS_REGION'],
    CLAUDE_CODE_USE_VERTEX: ['CLOUD_ML_REGION', 'ANTHROPIC_VERTEX_PROJECT_ID'],
  },
  settings: ['ANTHROPIC_BASE_URL', 'CLAUDE_CONFIG_DIR'],
  configs: [],
  addresses: { variables: ['ANTHROPIC_BASE_URL'], configs: [] },
  make: 'claude auth login',
};

export const claudeCode = {
  adapter: 'claude-code',
  program: 'claude',
  command: null,
  provider: 'anthropic',
  smallModel: 'haiku',
  tellsCost: true,
  login: { ...LOGIN, status: ['auth', 'status'] },
  configVariables: { CLAUDE_CONFIG_DIR: '' },
  switches: {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_DISABLE_TERMINAL_TITLE: '1',
    // Two more tries of one call bridge what passes in seconds; a turn that begins again loses its work. Longer waits are the workflow's.
    CLAUDE_CODE_MAX_RETRIES: '2',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
  },
  sandbox: {
    home: ['.claude', '.claude.json'],
    caches: ['.cache/claude', '.cache/claude-cli-nodejs', '.local/state/claude'],
    made: ['.claude'],
    readOnly: [...STEERING.map((name) => `.claude/${name}`), '.local/share/claude'],
    scratch: [],
    moves: [
      { from: '.claude', variable: 'CLAUDE_CONFIG_DIR', to: '' },
      { from: '.claude.json', variable: 'CLAUDE_CONFIG_DIR', to: '.claude.json' },
      ...XDG_MOVES,
    ],
    hosts: ['api.anthropic.com', 'claude.ai', 'console.anthropic.com', 'platform.claude.com'],
  },
  plugins: null,
  acp: null,
} as const satisfies AgentKind;

/** Source: dist/acp-agent.js of claude-agent-acp 0.49.0. */
export const claudeAgentAcp: AgentKind = {
  ...claudeCode,
  adapter: 'acp',
  program: 'claude-agent-acp',
  command: ['claude-agent-acp'],
  tellsCost: false,
  login: { ...LOGIN, status: null },
  acp: {
    ...PLAIN_PEER,
    names: [
      '@agentclientprotocol/claude-agent-acp',
      '@zed-industries/claude-agent-acp',
      '@zed-industries/claude-code-acp',
    ],
    // It would read settings of the repository, which can hold hooks and variables, and no trust was asked for them.
    sessionMeta: { claudeCode: { options: { settingSources: ['user'], strictMcpConfig: true } } },
    costsAnew: true,
  },
};

/**
 * The coding CLIs that sluice knows by name: the program, its adapter, where its login lies, and which variables it takes a login or a provider from.
 * Sources: the documentation of each CLI; docs/agents.md "How an agent is found". A login in a system key store cannot be seen here.
 */

export interface KnownAgent {
  readonly program: string;
  /** The word of `agents.<name>.adapter`, where this version has it. */
  readonly adapter: string;
  /** What starts it, where its adapter does not know that. */
  readonly command?: readonly [string, ...string[]];
  /** Files that hold a login, first that does decides. */
  readonly logins: readonly LoginFile[];
  /** Any of these is a login, each with the variables that it needs beside it. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** Where it looks for its own files or its provider; a person who sets them needs them in a turn too. */
  readonly settings: readonly string[];
  /** Its config files can name further variables, found by the expression's first group. */
  readonly configs: readonly ConfigFile[];
  /** What names the address of a provider: variables, and the first group of expressions over config files. */
  readonly addresses: { readonly variables: readonly string[]; readonly configs: readonly ConfigFile[] };
  readonly login: string;
  /** Arguments of its own command that tells whether somebody is logged in, by exit code 0 or 1. Null: it has none. */
  readonly status: readonly string[] | null;
}

/** `variable` names the folder where it is set; else it is `folder` below HOME. */
export interface AgentFile {
  readonly variable: string | null;
  readonly folder: string;
  readonly name: string;
}

/** `field`: the JSON object must have it; null: any content but an empty object is a login. */
export interface LoginFile extends AgentFile {
  readonly field: string | null;
}

export interface ConfigFile extends AgentFile {
  readonly names: RegExp;
}

const CODEX_CONFIG = { variable: 'CODEX_HOME', folder: '.codex', name: 'config.toml' } as const;

const OPENCODE_CONFIGS = ['opencode/opencode.json', 'opencode/opencode.jsonc'].map((name) => ({
  variable: 'XDG_CONFIG_HOME',
  folder: '.config',
  name,
}));

const BRACED = /\{env:([A-Za-z_][A-Za-z0-9_]{0,127})\}/g;

const CLAUDE_FILES = {
  logins: [
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
  login: 'claude auth login',
} as const;

const CODEX_FILES = {
  logins: [{ variable: 'CODEX_HOME', folder: '.codex', name: 'auth.json', field: null }],
  keys: { CODEX_API_KEY: [], OPENAI_API_KEY: [] },
  settings: ['CODEX_HOME', 'OPENAI_BASE_URL'],
  configs: [{ ...CODEX_CONFIG, names: /^\s*env_key\s*=\s*["']([A-Za-z_][A-Za-z0-9_]{0,127})["']/gm }],
  addresses: {
    variables: ['OPENAI_BASE_URL'],
    configs: [{ ...CODEX_CONFIG, names: /^\s*base_url\s*=\s*["']([^"'\s]{1,2000})["']/gm }],
  },
  login: 'codex login',
} as const;

/** In the order in which one is chosen where several could work. */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  { program: 'claude', adapter: 'claude-code', ...CLAUDE_FILES, status: ['auth', 'status'] },
  { program: 'codex', adapter: 'codex', ...CODEX_FILES, status: ['login', 'status'] },
  {
    program: 'opencode',
    adapter: 'opencode',
    logins: [{ variable: 'XDG_DATA_HOME', folder: '.local/share', name: 'opencode/auth.json', field: null }],
    keys: { ANTHROPIC_API_KEY: [], OPENAI_API_KEY: [], OPENROUTER_API_KEY: [], GEMINI_API_KEY: [], GOOGLE_GENERATIVE_AI_API_KEY: [] },
    settings: ['OPENCODE_CONFIG'],
    configs: OPENCODE_CONFIGS.map((file) => ({ ...file, names: BRACED })),
    addresses: { variables: [], configs: OPENCODE_CONFIGS.map((file) => ({ ...file, names: /"baseURL"\s*:\s*"([^"\s]{1,2000})"/g })) },
    login: 'opencode auth login',
    status: null,
  },
  {
    program: 'gemini',
    adapter: 'acp',
    command: ['gemini', '--acp'],
    logins: [{ variable: null, folder: '.gemini', name: 'oauth_creds.json', field: null }],
    keys: { GEMINI_API_KEY: [], GOOGLE_API_KEY: [] },
    settings: ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_CLOUD_PROJECT'],
    configs: [],
    addresses: { variables: ['GOOGLE_GEMINI_BASE_URL'], configs: [] },
    login: 'gemini    and choose a login there',
    status: null,
  },
  // Other programs for the same logins: chosen last.
  { program: 'claude-agent-acp', adapter: 'acp', command: ['claude-agent-acp'], ...CLAUDE_FILES, status: null },
  { program: 'codex-acp', adapter: 'acp', command: ['codex-acp'], ...CODEX_FILES, status: null },
];

/**
 * What is known without being told: per adapter the folders of HOME that its CLI keeps login and conversations in, and the hosts it speaks to; and
 * the registries that package managers install from. No forge is on a list: from there a token would open more than a download.
 */
import { isAbsolute, resolve } from 'node:path';
import { acpProgramName } from '../../protocol/acp-programs.js';
import type { AgentConfig } from '../../protocol/policy.js';

export interface AgentNeeds {
  /** Below HOME, to read and write. */
  readonly home: readonly string[];
  /** The same, and left out where they cannot be shown: what lies there is made anew. */
  readonly caches: readonly string[];
  /** Below HOME, wherever its variables lead: `agents.<name>.home`. */
  readonly named: readonly string[];
  /** Of `home`: the folder of its conversations, made where it is not there yet. Else what one turn said would be gone for the next. */
  readonly made: readonly string[];
  /** Below HOME, to read: what steers the CLI, and its program. */
  readonly readOnly: readonly string[];
  /** Below HOME, folders that steer the CLI and that it writes files of its own to as it starts: to read, and what it writes is gone at its end. */
  readonly scratch: readonly string[];
  /** Folders of HOME that a variable moves elsewhere: by `agents.<name>.configDir`, or by its person. */
  readonly moves: readonly Move[];
  readonly hosts: readonly string[];
}

interface Move {
  /** Below HOME. */
  readonly from: string;
  readonly variable: string;
  /** Below the folder that the variable names; empty: that folder. */
  readonly to: string;
}

/** A folder of this machine and a name below it; empty: the folder. */
export interface OwnPlace {
  readonly folder: string;
  readonly name: string;
}

export const NOTHING: AgentNeeds = { home: [], caches: [], named: [], made: [], readOnly: [], scratch: [], moves: [], hosts: [] };

/** Source: the XDG base directory specification. */
const XDG_MOVES: readonly Move[] = [
  { from: '.config', variable: 'XDG_CONFIG_HOME', to: '' },
  { from: '.local/share', variable: 'XDG_DATA_HOME', to: '' },
  { from: '.local/state', variable: 'XDG_STATE_HOME', to: '' },
  { from: '.cache', variable: 'XDG_CACHE_HOME', to: '' },
];

const KNOWN: Readonly<Record<string, AgentNeeds>> = {
  'claude-code': {
    home: ['.claude', '.claude.json'],
    caches: ['.cache/claude', '.cache/claude-cli-nodejs', '.local/state/claude'],
    named: [],
    made: ['.claude'],
    readOnly: [
      ...[
        'settings.json',
        'settings.local.json',
        'CLAUDE.md',
        'commands',
        'agents',
        'hooks',
        'plugins',
        'skills',
        'output-styles',
        'local',
      ].map((name) => `.claude/${name}`),
      '.local/share/claude',
    ],
    scratch: [],
    moves: [
      { from: '.claude', variable: 'CLAUDE_CONFIG_DIR', to: '' },
      { from: '.claude.json', variable: 'CLAUDE_CONFIG_DIR', to: '.claude.json' },
      ...XDG_MOVES,
    ],
    hosts: ['api.anthropic.com', 'claude.ai', 'console.anthropic.com', 'platform.claude.com'],
  },
  codex: {
    home: ['.codex'],
    caches: [],
    named: [],
    made: ['.codex'],
    readOnly: ['config.toml', 'AGENTS.md', 'AGENTS.override.md', 'prompts', 'rules', 'skills', 'hooks.json'].map(
      (name) => `.codex/${name}`,
    ),
    scratch: [],
    moves: [{ from: '.codex', variable: 'CODEX_HOME', to: '' }],
    hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  },
  opencode: {
    home: ['.local/share/opencode'],
    caches: ['.local/state/opencode', '.cache/opencode'],
    named: [],
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
};

const GEMINI: AgentNeeds = {
  home: ['.gemini'],
  caches: [],
  named: [],
  made: ['.gemini'],
  readOnly: ['settings.json', 'GEMINI.md', 'commands', 'extensions', 'policies', 'skills', 'trustedFolders.json'].map(
    (name) => `.gemini/${name}`,
  ),
  scratch: [],
  moves: [],
  hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
};

/** By the program behind `adapter: acp`. A Map, since the key comes from a file. */
const KNOWN_ACP: ReadonlyMap<string, AgentNeeds | undefined> = new Map([
  ['gemini', GEMINI],
  ['claude-agent-acp', KNOWN['claude-code']],
  ['codex-acp', KNOWN['codex']],
  ['opencode', KNOWN['opencode']],
]);

/** Adapters whose program is the engine's own, starts nothing and reads no file of the run: there is nothing to keep in. */
const WITHOUT: ReadonlySet<string> = new Set(['model']);

/** Null: nobody said what it needs, so that a sandbox could only be guessed. */
export function needsOfAgent(config: AgentConfig): AgentNeeds | null {
  const known = knownNeeds(config);
  if (known === undefined && config.home === undefined) return null;
  const needs = known ?? NOTHING;
  return { ...needs, named: config.home ?? [] };
}

/** Where a command finds what it has below HOME, in its environment. A variable with a relative path moves nothing. */
export function ownPlacesOf(
  names: readonly string[],
  needs: AgentNeeds | null,
  env: Readonly<Record<string, string>>,
): readonly OwnPlace[] {
  const home = env['HOME'];
  return names.flatMap((name) => movedPlace(name, needs?.moves ?? [], env) ?? (home === undefined ? [] : { folder: home, name }));
}

function movedPlace(name: string, moves: readonly Move[], env: Readonly<Record<string, string>>): OwnPlace | null {
  for (const { from, variable, to } of moves) {
    const folder = env[variable] ?? '';
    if (!isAbsolute(folder) || !`${name}/`.startsWith(`${from}/`)) continue;
    return { folder: resolve(folder), name: [to, name.slice(from.length + 1)].filter((part) => part !== '').join('/') };
  }
  return null;
}

function knownNeeds({ adapter, command }: AgentConfig): AgentNeeds | undefined {
  if (adapter === 'acp') return KNOWN_ACP.get(acpProgramName(command));
  return Object.hasOwn(KNOWN, adapter) ? KNOWN[adapter] : undefined;
}

export function needsNoSandbox(config: AgentConfig): boolean {
  return WITHOUT.has(config.adapter);
}

export const REGISTRIES: readonly string[] = [
  'registry.npmjs.org',
  'registry.yarnpkg.com',
  'repo.yarnpkg.com',
  'npm.jsr.io',
  'jsr.io',
  'pypi.org',
  'files.pythonhosted.org',
  'crates.io',
  'index.crates.io',
  'static.crates.io',
  'static.rust-lang.org',
  'proxy.golang.org',
  'sum.golang.org',
  'rubygems.org',
  'index.rubygems.org',
  'repo.maven.apache.org',
  'repo1.maven.org',
  'plugins.gradle.org',
  'services.gradle.org',
  'repo.packagist.org',
  'packagist.org',
  'api.nuget.org',
  'hex.pm',
  'repo.hex.pm',
];

/** Toolchains that people keep below HOME; none of these holds a login. */
export const HOME_TOOLCHAINS: readonly string[] = [
  '.local/bin',
  '.nvm',
  '.volta',
  '.local/share/fnm',
  '.asdf',
  '.local/share/mise',
  '.local/share/uv',
  '.local/share/pipx',
  '.local/share/pnpm',
  '.rustup',
  '.cargo/bin',
  '.pyenv',
  '.rbenv',
  '.sdkman',
  '.bun/bin',
  '.deno/bin',
  'go/bin',
];

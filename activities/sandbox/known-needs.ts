/**
 * What an agent needs inside a sandbox, by what is known of its kind and what its config names; and for all of them the registries that package
 * managers install from. No forge is on a list: from there a token would open more than a download.
 */
import { isAbsolute, resolve } from 'node:path';
import type { Move, SandboxNeeds } from '../../config/agents/kind.js';
import { findKind } from '../../config/agents/kinds.js';
import type { AgentConfig } from '../../protocol/run/policy.js';

export interface AgentNeeds extends SandboxNeeds {
  /** Below HOME, wherever its variables lead: `agents.<name>.home`. */
  readonly named: readonly string[];
}

/** A folder of this machine and a name below it; empty: the folder. */
export interface OwnPlace {
  readonly folder: string;
  readonly name: string;
}

export const NOTHING: AgentNeeds = {
  home: [],
  caches: [],
  named: [],
  made: [],
  readOnly: [],
  scratch: [],
  moves: [],
  hosts: [],
};

/** Null: nobody said what it needs, so that a sandbox could only be guessed. */
export function needsOfAgent(config: AgentConfig): AgentNeeds | null {
  const { sandbox } = findKind(config);
  if (sandbox !== null && sandbox !== 'needless') return { ...sandbox, named: config.home ?? [] };
  return config.home === undefined ? null : { ...NOTHING, named: config.home };
}

/** Where a command finds what it has below HOME, in its environment. A variable with a relative path moves nothing. */
export function ownPlacesOf(
  names: readonly string[],
  needs: AgentNeeds | null,
  env: Readonly<Record<string, string>>,
): readonly OwnPlace[] {
  const home = env['HOME'];
  return names.flatMap(
    (name) => movedPlace(name, needs?.moves ?? [], env) ?? (home === undefined ? [] : { folder: home, name }),
  );
}

function movedPlace(name: string, moves: readonly Move[], env: Readonly<Record<string, string>>): OwnPlace | null {
  for (const { from, variable, to } of moves) {
    const folder = env[variable] ?? '';
    if (!isAbsolute(folder) || !`${name}/`.startsWith(`${from}/`)) continue;
    return { folder: resolve(folder), name: [to, name.slice(from.length + 1)].filter((part) => part !== '').join('/') };
  }
  return null;
}

export function needsNoSandbox(config: AgentConfig): boolean {
  return findKind(config).sandbox === 'needless';
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

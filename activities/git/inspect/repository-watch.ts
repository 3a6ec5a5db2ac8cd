/**
 * Looks at what in a repository can run a program or redirect git: its hooks, its alternates, and keys of its config and the person's; and at
 * its refs, which only deserve a note. An agent can write all of it; the engine's own commands ignore it, the person's next `git status` does not. Two looks are compared, nothing is undone.
 * Files are read and hashed; git parses a config once per content and process. Values are kept as hashes, for they may be secrets.
 */
import { createHash } from 'node:crypto';
import { lstat, readlink, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { bytesOf, readForeignFile } from '../../../config/system/foreign-file.js';
import { type RefList, readAllRefs } from '../refs/read-all-refs.js';
import { readTextIfThere } from '../refs/read-ref.js';
import type { Repository } from '../start/contract.js';
import { listWatchedFolder } from '../start/list-watched-folder.js';
import { splitNul, tryGit } from '../start/run-git.js';
import { findSubmoduleGitDirs } from '../worktree/submodule-git-dirs.js';

/** Sections with keys that name a program, a file to read as config, or another place. Source: docs/design.md "Git", git-config.txt. */
const SECTIONS = new Set([
  'core',
  'filter',
  'diff',
  'merge',
  'alias',
  'include',
  'includeif',
  'url',
  'credential',
  'extensions',
  'protocol',
  'difftool',
  'mergetool',
  'pager',
  'sequence',
  'interactive',
  'gpg',
  'trailer',
  'uploadpack',
  'receive',
  'submodule',
  'http',
  'ssh',
  'init',
]);

/** Entries of a folder of hooks; git knows some thirty. A larger one, which `core.hooksPath` may name, counts as one entry. */
const MAX_HOOKS = 2_000;

/** Unit: bytes. A hook is a script; of a larger one size and time count. */
const MAX_HOOK_BYTES = 1024 * 1024;

const ALTERNATES = 'objects/info/alternates';

const REMOTE_KEY = /^remote\.[^]*\.(?:url|pushurl|proxy|vcs|uploadpack|receivepack|promisor)$/;

/** JSON-safe; names of files, hooks and keys with hashes of their content. */
export interface RepositorySnapshot {
  readonly hooks: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, string>>;
  /** Files whose other content only deserves a note. */
  readonly files: Readonly<Record<string, string>>;
  /** Of files that make git read objects of another place. */
  readonly redirects: Readonly<Record<string, string>>;
  readonly refs: RefList;
  /** Hooks and keys of the git dirs of submodules. */
  readonly submodules: Readonly<Record<string, string>>;
}

export interface RepositoryChange {
  /** Sentences; a person must look before the run goes on. */
  readonly gate: readonly string[];
  readonly note: readonly string[];
}

/** `worktree`: of the run that looks. */
export async function snapshotRepository(repository: Repository, worktree: string): Promise<RepositorySnapshot> {
  const paths = configPaths(repository);
  const configs = await Promise.all(paths.map((path) => readConfig(path)));
  const hooksPath = configs.flatMap(({ entries }) => entries).findLast(([key]) => key === 'core.hookspath')?.[1];
  const [hooks, ownHooks, attributes, exclude, alternates, refs, submodules] = await Promise.all([
    readHooks(join(repository.commonDir, 'hooks')),
    hooksPath === undefined ? {} : readHooks(resolve(repository.root, hooksPath.replace(/^~(?=\/)/, homedir()))),
    readTextIfThere(join(repository.commonDir, 'info', 'attributes')),
    readTextIfThere(join(repository.commonDir, 'info', 'exclude')),
    readTextIfThere(join(repository.commonDir, ALTERNATES)),
    readAllRefs(repository.commonDir),
    readSubmodules(repository.commonDir, worktree),
  ]);
  const keys = keysOf(configs);
  const files = Object.fromEntries(configs.map(({ path, hash }) => [path, hash]));
  return {
    hooks: { ...hooks, ...ownHooks },
    keys,
    files: { ...files, 'info/attributes': hashOf(attributes ?? ''), 'info/exclude': hashOf(exclude ?? '') },
    redirects: { [ALTERNATES]: hashOf(alternates ?? '') },
    refs,
    submodules,
  };
}

export function compareRepository(before: RepositorySnapshot, after: RepositorySnapshot): RepositoryChange {
  const names = [
    ...differences(before.hooks, after.hooks),
    ...differences(before.keys, after.keys),
    ...differences(before.submodules, after.submodules),
  ];
  const redirects = differences(before.redirects, after.redirects).map(
    (path) => `${path}, where git reads objects of other places, changed during the turn`,
  );
  const gate = [...names.map(sayChanged), ...redirects];
  const files = differences(before.files, after.files).map((path) => `${path} changed during the turn`);
  const refs = differences(before.refs, after.refs).map((name) => `${name} moved during the turn`);
  return { gate, note: [...(gate.length > 0 ? [] : files), ...refs] };
}

/** Of a hook, or of a key behind its file. */
function sayChanged(name: string): string {
  const [path = '', key] = name.split('\0');
  return key === undefined
    ? `the hook ${path} changed during the turn`
    : `the git config key ${key} changed during the turn (${path})`;
}

function differences(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .sort();
}

function configPaths({ commonDir, gitDir }: Repository): string[] {
  const home = process.env['HOME'] ?? homedir();
  const configHome = process.env['XDG_CONFIG_HOME'] || join(home, '.config');
  const personal = process.env['GIT_CONFIG_GLOBAL'] ?? join(home, '.gitconfig');
  return [
    ...new Set([
      join(configHome, 'git', 'config'),
      personal,
      join(commonDir, 'config'),
      join(commonDir, 'config.worktree'),
      join(gitDir, 'config.worktree'),
    ]),
  ];
}

type Entry = readonly [key: string, value: string];

/** Content → its entries. A config with includes is never remembered, since the included file may change alone. */
const parsed = new Map<string, readonly Entry[]>();

/** As many as a repository may have submodules. */
const MAX_REMEMBERED = 2_000;

interface Config {
  readonly path: string;
  readonly hash: string;
  readonly entries: readonly Entry[];
}

async function readSubmodules(commonDir: string, worktree: string): Promise<Record<string, string>> {
  const { dirs, unread } = await findSubmoduleGitDirs(commonDir, worktree);
  const found: Record<string, string> = { ...unread };
  // One after the other: each may start a git.
  for (const dir of dirs) {
    const configs = [await readConfig(join(dir, 'config')), await readConfig(join(dir, 'config.worktree'))];
    Object.assign(found, keysOf(configs), await readHooks(join(dir, 'hooks')));
  }
  return found;
}

function keysOf(configs: readonly Config[]): Record<string, string> {
  return Object.fromEntries(configs.flatMap(({ path, entries }) => [...hashKeys(path, entries)]));
}

async function readConfig(path: string): Promise<Config> {
  const text = (await readTextIfThere(path)) ?? '';
  const hash = hashOf(text);
  if (text === '') return { path, hash, entries: [] };
  const known = parsed.get(hash);
  if (known !== undefined) return { path, hash, entries: known };
  const hasIncludes = /^\s*\[\s*include/im.test(text);
  const { exitCode, stdout } = await tryGit(
    ['config', '--file', path, '--list', '-z', ...(hasIncludes ? ['--includes'] : [])],
    {
      cwd: '/',
      config: 'person',
    },
  );
  // A config that git cannot parse stops every git in the repository; its hash is still compared.
  const entries = exitCode === 0 ? splitNul(stdout).map(toEntry) : [['core.unreadable', hash] as const];
  if (!hasIncludes) remember(hash, entries);
  return { path, hash, entries };
}

function remember(hash: string, entries: readonly Entry[]): void {
  if (parsed.size >= MAX_REMEMBERED) parsed.clear();
  parsed.set(hash, entries);
}

function toEntry(record: string): Entry {
  const end = record.indexOf('\n');
  return end < 0 ? [record, 'true'] : [record.slice(0, end), record.slice(end + 1)];
}

/** Hashes of what is watched. A key may have many values; their order counts. */
export function hashKeys(path: string, entries: readonly Entry[]): ReadonlyMap<string, string> {
  const values = new Map<string, string[]>();
  for (const [key, value] of entries) {
    if (!SECTIONS.has(key.slice(0, key.indexOf('.'))) && !REMOTE_KEY.test(key)) continue;
    const name = `${path}\0${key}`;
    const known = values.get(name);
    // Not a new list for each: a config can have tens of thousands of values of one key.
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return new Map([...values].map(([name, all]) => [name, hashOf(JSON.stringify(all))]));
}

/** Git's own `.sample` files never run. */
async function readHooks(folder: string): Promise<Record<string, string>> {
  const entries = await listWatchedFolder(folder, MAX_HOOKS);
  if (typeof entries === 'string') return { [folder]: entries };
  const hooks: Record<string, string> = {};
  // One after the other: each is held in memory.
  for (const { name } of entries)
    if (!name.endsWith('.sample')) hooks[join(folder, name)] = await hookHash(join(folder, name));
  return hooks;
}

async function hookHash(path: string): Promise<string> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 'gone';
  const isLink = found.isSymbolicLink();
  if (!isLink && !found.isFile()) return 'folder';
  const bytes = bytesOf(await readForeignFile(path, { maxBytes: MAX_HOOK_BYTES, links: 'followed' }));
  const kind = isLink ? `link ${await readlink(path)}` : String(found.mode);
  // Nobody can set the time of the last change.
  const { size, ctimeMs } = bytes === null && isLink ? await stat(path).catch(() => found) : found;
  return hashOf(bytes === null ? `large ${kind} ${size} ${ctimeMs}` : `${kind} ${bytes.toString('latin1')}`);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

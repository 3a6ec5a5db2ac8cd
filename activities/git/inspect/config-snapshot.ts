/**
 * Takes from the person's effective git config what decides the bytes of a commit, once, when a run opens. Later commands read only
 * this snapshot, so that what an agent writes into the repository's config chooses nothing (docs/design.md "Git").
 * Programs (filters such as LFS) are taken from the person's global and system config only, never from the repository's.
 */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Identity, Repository } from '../start/contract.js';
import { runGit, splitNul } from '../start/run-git.js';

/** Used where the person has no `user.name` or `user.email`. */
export const FALLBACK_IDENTITY: Identity = { name: 'sluice', email: 'sluice@localhost' };

/** Keys that change how files become blobs and back; none of them names a program. `extensions.objectformat`: SHA-256 repositories. */
const COPIED_KEYS = new Set([
  'core.autocrlf',
  'core.eol',
  'core.symlinks',
  'core.filemode',
  'core.ignorecase',
  'core.precomposeunicode',
  'core.longpaths',
  'core.bigfilethreshold',
  'extensions.objectformat',
]);

const FILTER_KEY = /^filter\.(?:[^]+)\.(?:clean|smudge|process|required)$/;

export interface ConfigSnapshot {
  readonly identity: Identity;
  /** The content of the private git dir's `config`. */
  readonly text: string;
}

interface Entry {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

export async function takeConfigSnapshot(repository: Repository): Promise<ConfigSnapshot> {
  const listed = await runGit(['-C', repository.root, 'config', '--list', '-z', '--show-scope'], { config: 'person' });
  const entries = parseEntries(listed);
  const last = (key: string) => entries.findLast((entry) => entry.key === key)?.value;
  const identity = {
    name: cleaned(last('user.name')) ?? FALLBACK_IDENTITY.name,
    email: cleaned(last('user.email')) ?? FALLBACK_IDENTITY.email,
  };
  const kept = entries.filter(
    ({ scope, key }) => COPIED_KEYS.has(key) || (FILTER_KEY.test(key) && (scope === 'global' || scope === 'system')),
  );
  const excludesFile = await excludesFileOf(repository, last('core.excludesfile'));
  const lines = [
    ...neutralKeys(entries),
    ['core.excludesFile', excludesFile] as const,
    ...kept.map(({ key, value }) => [key, value] as const),
  ];
  return { identity, text: lines.map(([key, value]) => configLine(key, value)).join('') };
}

function neutralKeys(entries: readonly Entry[]): (readonly [string, string])[] {
  const version = entries.some(({ key }) => key === 'extensions.objectformat') ? '1' : '0';
  return [
    ['core.repositoryformatversion', version],
    ['core.bare', 'false'],
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.attributesFile', '/dev/null'],
    ['core.safecrlf', 'false'],
    ['core.quotePath', 'false'],
    ['core.logAllRefUpdates', 'false'],
    ['core.splitIndex', 'false'],
    ['index.sparse', 'false'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['commit.gpgSign', 'false'],
    ['submodule.recurse', 'false'],
    ['diff.ignoreSubmodules', 'dirty'],
    ['protocol.allow', 'never'],
  ];
}

/** `-z --show-scope` prints `scope NUL key LF value NUL`; a key without `=` has no LF and means true. */
function parseEntries(text: string): Entry[] {
  const fields = splitNul(text);
  const entries: Entry[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [scope = '', pair = ''] = [fields[i], fields[i + 1]];
    const end = pair.indexOf('\n');
    entries.push(
      end < 0 ? { scope, key: pair, value: 'true' } : { scope, key: pair.slice(0, end), value: pair.slice(end + 1) },
    );
  }
  return entries;
}

/** Git has no `HOME` in our calls, so its default and `~` are resolved here. Source: gitignore.txt. */
async function excludesFileOf(repository: Repository, configured: string | undefined): Promise<string> {
  const home = process.env['HOME'] ?? homedir();
  const configHome = process.env['XDG_CONFIG_HOME'] || join(home, '.config');
  const named =
    configured === undefined || configured === ''
      ? join(configHome, 'git', 'ignore')
      : configured.replace(/^~(?=\/)/, home);
  const path = resolve(repository.root, named);
  // A FIFO there would hold every git of the run for ever.
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? path : '/dev/null';
}

/** What git itself drops from a name or address; one that is empty then would make it refuse the commit (ident.c). */
function cleaned(value: string | undefined): string | null {
  const text = value?.replace(/[<>\n\0]/g, '').trim() ?? '';
  return /[^\s.,:;"'\\]/.test(text) ? text : null;
}

/** One section a line is legal. Keys of git are `section.key` or `section.sub.section.key`. */
function configLine(key: string, value: string): string {
  const first = key.indexOf('.');
  const final = key.lastIndexOf('.');
  const section = key.slice(0, first);
  const subsection = first === final ? '' : ` "${key.slice(first + 1, final).replace(/["\\]/g, '\\$&')}"`;
  const quoted = value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `[${section}${subsection}]\n\t${key.slice(final + 1)} = "${quoted}"\n`;
}

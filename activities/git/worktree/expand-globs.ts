/**
 * Finds what globs and plain paths name below a folder. `.git` is never entered, nor is `node_modules` unless the pattern names it;
 * symlinks are answered, not followed.
 */
import { lstat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import picomatch from 'picomatch';
import { listForeignFolder } from '../../../config/system/foreign-file.js';

/** Of one folder; a larger one is passed over. */
const MAX_ENTRIES = 200_000;

export interface Expanded {
  /** Relative to the root, with `/`; files and symlinks. */
  readonly files: readonly string[];
  /** Plain paths that do not exist; a glob that matches nothing is no mistake. */
  readonly missing: readonly string[];
  /** Patterns that lead out of the root. */
  readonly outside: readonly string[];
}

export async function expandGlobs(root: string, patterns: readonly string[]): Promise<Expanded> {
  const [files, missing, outside] = [new Set<string>(), [] as string[], [] as string[]];
  for (const pattern of patterns) {
    const path = resolveInside(pattern);
    if (path === null) {
      outside.push(pattern);
      continue;
    }
    const scanned = picomatch.scan(path, { nonegate: true });
    const start = scanned.isGlob ? scanned.base : path;
    const below = await walk(root, start === '.' ? '' : start, pattern.includes('node_modules'));
    // `s`: a name may hold a newline.
    const matches = scanned.isGlob ? picomatch(path, { dot: true, nonegate: true, flags: 's' }) : () => true;
    for (const file of below) if (matches(file)) files.add(file);
    if (!scanned.isGlob && below.length === 0) missing.push(pattern);
  }
  return { files: [...files].sort(), missing, outside };
}

/** A path as written in a config, made plain; null if it leads outside, into `.git`, or is the root itself. */
export function resolveInside(path: string): string | null {
  if (posix.isAbsolute(path) || path.includes('\0')) return null;
  const plain = posix.normalize(path).replace(/\/$/, '');
  const parts = plain.split('/');
  if (plain === '.' || plain === '' || parts.includes('..')) return null;
  return parts.some((part) => part.toLowerCase() === '.git') ? null : plain;
}

async function walk(root: string, path: string, intoModules: boolean): Promise<string[]> {
  const found = await lstat(join(root, path)).catch(() => null);
  if (found === null) return [];
  if (!found.isDirectory()) return found.isFile() || found.isSymbolicLink() ? [path] : [];
  const entries = (await listForeignFolder(join(root, path), { maxEntries: MAX_ENTRIES })) ?? [];
  const entered = entries
    .map(({ name }) => name)
    .filter((name) => name !== '.git' && (intoModules || name !== 'node_modules'));
  const below: string[] = [];
  // Not as arguments of one call, of which the stack takes some hundred thousand.
  for (const name of entered)
    for (const file of await walk(root, posix.join(path, name), intoModules)) below.push(file);
  return below;
}

/**
 * Reads HEAD and refs as files, which costs no process: a loose ref wins over packed-refs, as in git (gitrepository-layout.txt).
 * Only for the `files` ref storage; a repository with reftable is asked through git.
 * A ref is read without following a symbolic one: `null` then, as for a ref that does not exist.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { readForeignFile } from '../../../config/system/foreign-file.js';
import { ON_REAL_REPOSITORY, tryGit } from '../start/run-git.js';
import { TooLarge } from '../start/too-large.js';
import { eachLine } from './each-line.js';

/** Unit: bytes. The list of refs of half a million branches; git writes nothing else of that size that is read here. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** Git's own limit (refs.c, SYMREF_MAXDEPTH). */
const MAX_SYMREF_DEPTH = 5;

const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

export type HeadReading =
  | { readonly kind: 'branch'; readonly ref: string }
  | { readonly kind: 'detached'; readonly sha: string }
  | { readonly kind: 'unreadable' };

export function isSha(value: string): boolean {
  return SHA.test(value);
}

/** The file's text, or null if there is none. Errors: `TooLarge`; those of a file that cannot be read, which is never taken for none. */
export async function readTextIfThere(path: string): Promise<string | null> {
  // A link is git's own way to have a ref or HEAD elsewhere (gitrepository-layout.txt).
  const reading = await readForeignFile(path, { maxBytes: MAX_TEXT_BYTES, links: 'followed' });
  if (reading.kind === 'too_large')
    throw new TooLarge(`${JSON.stringify(path)} has ${reading.size} bytes, far more than git puts there`);
  if (reading.kind === 'refused' && reading.error !== null) throw reading.error;
  return reading.kind === 'read' ? reading.bytes.toString('utf8') : null;
}

/** Unit: bytes. Git's index has 70 to 300 of them a file: above two million files. */
const MAX_INDEX_BYTES = 512 * 1024 * 1024;

/** The index of a private git dir, whose size an agent decides by the files that it makes. Errors: `TooLarge`; a plain Error if there is none. */
export async function readIndex(path: string): Promise<Buffer> {
  const reading = await readForeignFile(path, { maxBytes: MAX_INDEX_BYTES });
  if (reading.kind === 'too_large')
    throw new TooLarge(`${JSON.stringify(path)} has ${reading.size} bytes, far more than git puts there`);
  if (reading.kind === 'refused' && reading.error !== null) throw reading.error;
  if (reading.kind !== 'read') throw new Error(`${path} cannot be read`, { cause: reading });
  return reading.bytes;
}

/** Where a full ref name (`refs/heads/…`) stands. */
export async function readRef(commonDir: string, ref: string): Promise<string | null> {
  const loose = await readTextIfThere(join(commonDir, ref));
  if (loose !== null) return isSha(loose.trim()) ? loose.trim() : null;
  for (const line of eachLine((await readTextIfThere(join(commonDir, 'packed-refs'))) ?? '')) {
    const sha = line.slice(0, Math.max(0, line.indexOf(' ')));
    if (isSha(sha) && line.slice(sha.length) === ` ${ref}`) return sha;
  }
  return (await usesReftable(commonDir)) ? askGit(commonDir, ref) : null;
}

/** Where a ref stands in the end, through symbolic ones, as git's own comparison of old values sees it. */
export async function followRef(commonDir: string, ref: string): Promise<string | null> {
  const name = await followName(commonDir, ref);
  return name === null ? null : readRef(commonDir, name);
}

/** Which ref stands behind symbolic ones, be it there or not; null: there are more than git follows. */
export async function followName(commonDir: string, ref: string): Promise<string | null> {
  let name = ref;
  for (let depth = 0; depth < MAX_SYMREF_DEPTH; depth += 1) {
    const text = await readTextIfThere(join(commonDir, name));
    if (text?.startsWith('ref: refs/') !== true || text.includes('..')) return name;
    name = text.slice('ref: '.length).trim();
  }
  return null;
}

/** What the HEAD of a git dir (the common one or a worktree's) says. */
export async function readHead(gitDir: string): Promise<HeadReading> {
  return parseHead((await readTextIfThere(join(gitDir, 'HEAD'))) ?? '');
}

export function parseHead(content: string): HeadReading {
  const text = content.trim();
  if (isSha(text)) return { kind: 'detached', sha: text };
  // Git ends a name at the first NUL.
  if (text.startsWith('ref: refs/') && !/[\0\r\n]/.test(text))
    return { kind: 'branch', ref: text.slice('ref: '.length) };
  return { kind: 'unreadable' };
}

async function usesReftable(commonDir: string): Promise<boolean> {
  try {
    await access(join(commonDir, 'reftable'));
    return true;
  } catch {
    return false;
  }
}

async function askGit(commonDir: string, ref: string): Promise<string | null> {
  const { exitCode, stdout } = await tryGit([...ON_REAL_REPOSITORY, 'rev-parse', '--verify', '--quiet', ref], {
    gitDir: commonDir,
  });
  const sha = stdout.trim();
  return exitCode === 0 && isSha(sha) ? sha : null;
}

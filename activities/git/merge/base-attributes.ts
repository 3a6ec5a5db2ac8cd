/**
 * Gives git the attribute files of a commit as a work tree that holds nothing else. A merge reads them from files alone: without them one marked `-merge` is merged as text
 * and `union` conflicts, both in silence. Each set of files has a folder of its own that never changes once it is there, so that whoever merges beside another reads its own.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../config/home/make-folder.js';
import { replaceFile } from '../../../config/system/replace-file.js';
import type { PrivateGitDir } from '../inspect/private-git-dir.js';
import { readTextIfThere } from '../refs/read-ref.js';
import { joinBytes } from '../start/byte-path.js';
import { splitNul } from '../start/run-git.js';
import { TooLarge } from '../start/too-large.js';

/** Far above what a repository has. */
const MAX_FILES = 2_000;

/** Unit: bytes of all files. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Of one list and its folder: base and commit differ in none of these files. */
const FILES = ':(glob)**/.gitattributes';

/** Git reads no other as attributes (gitattributes.txt): a link in their place counts for nothing. */
const REGULAR = /^:\d+ 100\d+ \w+ (\w+) /;

interface AttributeFile {
  readonly id: string;
  /** One character a byte. */
  readonly path: string;
}

/**
 * A folder with the attribute files of `commit`, for `workTree` and `cwd` of a call.
 * Effects: below the work tree of `git`; a note in its git dir of the last answer. Errors: `TooLarge`; `GitError` for objects that are not there.
 */
export async function placeAttributes(git: PrivateGitDir, commit: string): Promise<string> {
  const note = join(git.gitDir, 'attributes-of');
  const [known = '', name = ''] = ((await readTextIfThere(note)) ?? '').split(' ');
  const last = join(git.workTree, name);
  if (name !== '' && existsSync(last) && (known === commit || (await areSame(git, known, commit)))) {
    if (known !== commit) replaceFile(note, `${commit} ${name}`);
    return last;
  }
  const listed = await git.run(listing(emptyTree(commit), commit), { encoding: 'latin1' });
  const set = createHash('sha256').update(listed, 'latin1').digest('hex');
  const folder = join(git.workTree, set);
  if (!existsSync(folder)) await place(folder, await readAll(git, filesOf(listed)));
  replaceFile(note, `${commit} ${set}`);
  return folder;
}

async function areSame(git: PrivateGitDir, from: string, to: string): Promise<boolean> {
  const { exitCode, stdout } = await git.try(listing(from, to));
  return exitCode === 0 && stdout === '';
}

function listing(from: string, to: string): readonly string[] {
  return ['diff-tree', '-r', '-z', '--no-renames', '--end-of-options', from, to, '--', FILES];
}

/** Which git knows in every repository, by the length of its ids. */
function emptyTree(commit: string): string {
  return createHash(commit.length === 40 ? 'sha1' : 'sha256')
    .update('tree 0\0')
    .digest('hex');
}

/** Errors: `TooLarge`. */
function filesOf(listed: string): readonly AttributeFile[] {
  const fields = splitNul(listed);
  const files: AttributeFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, id] = REGULAR.exec(fields[at] ?? '') ?? [];
    const path = fields[at + 1] ?? '';
    if (id !== undefined && canBeCheckedOut(path)) files.push({ id, path });
  }
  if (files.length > MAX_FILES) throw new TooLarge(`the base has more than ${MAX_FILES} files named .gitattributes`);
  return files;
}

/** A tree can be written by hand; git checks such a path out nowhere. */
function canBeCheckedOut(path: string): boolean {
  return !path.split('/').some((part) => ['', '.', '..', '.git'].includes(part.toLowerCase()));
}

interface ReadFile extends AttributeFile {
  readonly content: string;
}

/** Errors: `TooLarge`; a plain Error for an object that is not there. */
async function readAll(git: PrivateGitDir, files: readonly AttributeFile[]): Promise<readonly ReadFile[]> {
  if (files.length === 0) return [];
  const { stdout, exitCode, limit, stderr } = await git.try(['cat-file', '--batch'], {
    input: files.map(({ id }) => `${id}\n`).join(''),
    encoding: 'latin1',
    limits: { maxBytes: MAX_BYTES },
  });
  if (limit === 'output')
    throw new TooLarge(`the files of the base named .gitattributes have more than ${MAX_BYTES} bytes`);
  const read: ReadFile[] = [];
  let at = 0;
  for (const file of files) {
    const end = stdout.indexOf('\n', at);
    const head = stdout.slice(at, end);
    const [, size] = /^\w+ blob (\d+)$/.exec(head) ?? [];
    if (exitCode !== 0 || size === undefined) throw new Error(`cannot read ${file.path}: ${head || stderr}`);
    read.push({ ...file, content: stdout.slice(end + 1, end + 1 + Number(size)) });
    at = end + 1 + Number(size) + 1;
  }
  return read;
}

/** Whole or not at all. Idempotency: another attempt may have been first, with the same files. */
async function place(folder: string, files: readonly ReadFile[]): Promise<void> {
  const temporary = `${folder}.${randomUUID()}`;
  makeFolder(temporary);
  try {
    for (const { path, content } of files) {
      mkdirSync(joinBytes(temporary, path.slice(0, path.lastIndexOf('/') + 1)), { recursive: true, mode: 0o700 });
      writeFileSync(joinBytes(temporary, path), content, { encoding: 'latin1', flag: 'wx', mode: 0o600 });
    }
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

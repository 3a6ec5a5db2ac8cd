/**
 * Reads the difference of two commits from git's own output. Attributes, textconv and external diff programs have no say:
 * for checks every file is text (`--text`), since a `.gitattributes` of the agent's could otherwise hide lines as binary.
 */

import { assertTreeFits } from '../refs/tree-size.js';
import type { AddedLine, ChangeStatus, Diff, DiffFile } from '../start/contract.js';
import { GitError, splitNul } from '../start/run-git.js';
import { TooLarge } from '../start/too-large.js';
import type { PrivateGitDir } from './private-git-dir.js';

const COMMON = [
  'diff-tree',
  '-r',
  '--no-renames',
  '--no-textconv',
  '--no-ext-diff',
  '--ignore-submodules=none',
  '--no-color',
];

const STATUS: Readonly<Record<string, ChangeStatus>> = { A: 'added', M: 'modified', D: 'deleted', T: 'type_changed' };

/** **Unit** lines. Each costs some hundred bytes of memory beside its text, and a megabyte of a change can be a million of them. */
const MAX_LINES = 1_000_000;

/** The worker, whose heap is bounded, holds it as text of up to two bytes a character, and its added lines once more. */
const MAX_DIFF_BYTES = 64 * 1024 * 1024;

/** One process: summary and patch come together, names quoted where they need it. Errors, of all three: `TooLarge`. */
export async function readDiff(git: PrivateGitDir, base: string, head: string): Promise<Diff> {
  const output = await runDiff(git, [
    ...COMMON,
    '--raw',
    '--abbrev=40',
    '-p',
    '--text',
    '--unified=0',
    '--src-prefix=a/',
    '--dst-prefix=b/',
    base,
    head,
    '--',
  ]);
  // The raw lines end with an empty one; without a patch there is none (git-diff-tree.txt).
  const end = output.indexOf('\n\n');
  const patch = end < 0 ? '' : output.slice(end + 2);
  if (hasMoreLines(patch, MAX_LINES))
    throw new TooLarge(
      `the change from ${base.slice(0, 12)} to ${head.slice(0, 12)} has more than ${MAX_LINES} lines, too many to check; leave out of it what is generated`,
    );
  const read = readSections(patch);
  const raw = (end < 0 ? output : output.slice(0, end)).split('\n').filter((line) => line.startsWith(':'));
  const addedLines = new Map(
    [...read].flatMap(([path, { lines }]) => (lines.length === 0 ? [] : [[path, lines] as const])),
  );
  return { files: raw.map((line) => toFile(line, read)), addedLines, patchBytes: Buffer.byteLength(patch) };
}

function hasMoreLines(text: string, most: number): boolean {
  let at = -1;
  for (let count = 0; count <= most; count += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return false;
  }
  return true;
}

export function readPatch(git: PrivateGitDir, base: string, head: string): Promise<string> {
  return runDiff(git, [...COMMON, '-p', '--src-prefix=a/', '--dst-prefix=b/', base, head, '--']);
}

/** Paths that differ between two commits. */
export async function listChangedPaths(git: PrivateGitDir, base: string, head: string): Promise<readonly string[]> {
  return splitNul(await runDiff(git, [...COMMON, '-z', '--name-only', base, head, '--']));
}

/** `args` end with the two commits and `--`. */
async function runDiff(git: PrivateGitDir, args: readonly string[]): Promise<string> {
  const [from = '', to = ''] = args.slice(-3, -1);
  for (const commit of [from, to]) await assertTreeFits(git, commit);
  const result = await git.try(args, { limits: { maxBytes: MAX_DIFF_BYTES } });
  if (result.limit === 'output')
    throw new TooLarge(
      `the change from ${from.slice(0, 12)} to ${to.slice(0, 12)} is a patch of more than ${MAX_DIFF_BYTES >> 20} MiB, too large to check; leave out of it what is generated`,
    );
  if (result.exitCode !== 0) throw new GitError(args, result);
  return result.stdout;
}

interface Section {
  readonly lines: AddedLine[];
  added: number;
  deleted: number;
  /** A NUL in a changed line, git's own sign of a binary file (xdiff-interface.c). */
  binary: boolean;
}

/** `:oldmode newmode oldid newid status TAB path`. */
function toFile(line: string, sections: ReadonlyMap<string, Section>): DiffFile {
  const tab = line.indexOf('\t');
  const [, mode = '', , , letter = ''] = line.slice(0, tab).split(' ');
  const path = plainName(line.slice(tab + 1));
  const { added, deleted, binary } = sections.get(path) ?? { added: 0, deleted: 0, binary: false };
  return {
    path,
    status: STATUS[letter] ?? 'modified',
    mode,
    added: binary ? null : added,
    deleted: binary ? null : deleted,
  };
}

/** By path. Lines are told from headers by the counts of `@@ -a,b +c,d @@`, so that no content can pass for a header. */
function readSections(patch: string): Map<string, Section> {
  const sections = new Map<string, Section>();
  let section = newSection();
  let [removed, oldLeft, newLeft, line] = ['', 0, 0, 0];
  for (const text of patch.split('\n')) {
    if (oldLeft > 0 && text.startsWith('-')) {
      section.deleted += 1;
      section.binary ||= text.includes('\0');
      oldLeft -= 1;
    } else if (newLeft > 0 && text.startsWith('+')) {
      section.lines.push({ line, text: text.slice(1) });
      section.added += 1;
      section.binary ||= text.includes('\0');
      newLeft -= 1;
      line += 1;
    } else if (text.startsWith('--- ')) removed = text.slice('--- '.length);
    else if (text.startsWith('+++ ')) {
      const added = text.slice('+++ '.length);
      const path = pathOfHeader(added === '/dev/null' ? removed : added);
      // A change of type is two sections, removal and addition, of one path.
      section = sections.get(path) ?? newSection();
      sections.set(path, section);
    } else if (text.startsWith('@@ ')) {
      const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text);
      oldLeft = Number(hunk?.[1] ?? 1);
      line = Number(hunk?.[2] ?? 0);
      newLeft = Number(hunk?.[3] ?? 1);
    }
  }
  return sections;
}

function newSection(): Section {
  return { lines: [], added: 0, deleted: 0, binary: false };
}

/** `a/path` or `b/path`, quoted as a whole; a tab ends a name with spaces. */
function pathOfHeader(field: string): string {
  return plainName(field).replace(/^[ab]\//, '');
}

/** Git quotes names that hold quotes, backslashes or control characters, the C way. A bare tab can only be the end of a header. */
function plainName(field: string): string {
  return field.startsWith('"') ? unquote(field) : field.replace(/\t$/, '');
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

function unquote(field: string): string {
  const inner = field.slice(1, field.lastIndexOf('"'));
  const bytes: Buffer[] = [];
  for (const [token] of inner.matchAll(/\\(?:[0-7]{3}|.)|[^\\]+/gs)) {
    if (!token.startsWith('\\')) bytes.push(Buffer.from(token));
    else bytes.push(Buffer.from([ESCAPES[token.slice(1)] ?? Number.parseInt(token.slice(1), 8)]));
  }
  return Buffer.concat(bytes).toString('utf8');
}

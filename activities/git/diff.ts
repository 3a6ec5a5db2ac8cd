/**
 * Reads the difference of two commits from git's own output. Attributes, textconv and external diff programs have no say:
 * for checks every file is text (`--text`), since a `.gitattributes` of the agent's could otherwise hide lines as binary.
 */
import type { AddedLine, ChangeStatus, Diff, DiffFile } from './contract.js';
import type { PrivateGitDir } from './private-git-dir.js';
import { splitNul } from './run-git.js';

const COMMON = ['diff-tree', '-r', '--no-renames', '--no-textconv', '--no-ext-diff', '--ignore-submodules=none', '--no-color'];

const STATUS: Readonly<Record<string, ChangeStatus>> = { A: 'added', M: 'modified', D: 'deleted', T: 'type_changed' };

export async function readDiff(git: PrivateGitDir, base: string, head: string): Promise<Diff> {
  const [listed, patch] = await Promise.all([
    git.run([...COMMON, '-z', '--raw', '--numstat', base, head, '--']),
    git.run([...COMMON, '-p', '--text', '--unified=0', '--src-prefix=a/', '--dst-prefix=b/', base, head, '--']),
  ]);
  return { files: parseFiles(listed), addedLines: parseAddedLines(patch), patchBytes: Buffer.byteLength(patch) };
}

export function readPatch(git: PrivateGitDir, base: string, head: string): Promise<string> {
  return git.run([...COMMON, '-p', '--src-prefix=a/', '--dst-prefix=b/', base, head, '--']);
}

/** Paths that differ between two commits. */
export async function listChangedPaths(git: PrivateGitDir, base: string, head: string): Promise<readonly string[]> {
  return splitNul(await git.run([...COMMON, '-z', '--name-only', base, head, '--']));
}

/** First all records `:oldmode newmode oldid newid status NUL path NUL`, then all `added TAB deleted TAB path NUL` (git-diff-tree.txt). */
function parseFiles(output: string): DiffFile[] {
  const records = splitNul(output);
  const raw = new Map<string, { mode: string; status: ChangeStatus }>();
  let at = 0;
  for (; records[at]?.startsWith(':') === true; at += 2) {
    const [, mode = '', , , letter = ''] = records[at]?.split(' ') ?? [];
    raw.set(records[at + 1] ?? '', { mode, status: STATUS[letter] ?? 'modified' });
  }
  return records.slice(at).flatMap((record) => {
    const [added = '-', deleted = '-'] = record.split('\t', 2);
    const path = record.slice(added.length + deleted.length + 2);
    const known = raw.get(path);
    return known === undefined ? [] : [{ path, ...known, added: count(added), deleted: count(deleted) }];
  });
}

function count(field: string): number | null {
  return field === '-' ? null : Number(field);
}

/** Lines are told from headers by the counts of `@@ -a,b +c,d @@`, so that no content can pass for a header. */
function parseAddedLines(patch: string): Map<string, AddedLine[]> {
  const found = new Map<string, AddedLine[]>();
  let path = '';
  let [oldLeft, newLeft, line] = [0, 0, 0];
  for (const text of patch.split('\n')) {
    if (oldLeft > 0 || newLeft > 0) {
      if (text.startsWith('+')) {
        const lines = found.get(path) ?? [];
        lines.push({ line, text: text.slice(1) });
        found.set(path, lines);
        newLeft -= 1;
        line += 1;
      } else if (text.startsWith('-')) oldLeft -= 1;
    } else if (text.startsWith('+++ ')) path = pathOfHeader(text.slice('+++ '.length));
    else if (text.startsWith('@@ ')) {
      const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text);
      oldLeft = Number(hunk?.[1] ?? 1);
      line = Number(hunk?.[2] ?? 0);
      newLeft = Number(hunk?.[3] ?? 1);
    }
  }
  return found;
}

/** `b/path`, or C-quoted where a name holds quotes, backslashes or control characters; a tab ends a name with spaces. */
function pathOfHeader(field: string): string {
  const text = field.startsWith('"') ? unquote(field) : field.replace(/\t$/, '');
  return text.replace(/^b\//, '');
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

/**
 * Reads what `git merge-tree --write-tree -z --name-only --messages` prints (git-merge-tree.txt, "OUTPUT"). What is not of that form is no answer at all: a list that was read
 * wrong would let a conflict land. Pure; names are as git gave them, one character a byte or not.
 */
import { isSha } from '../refs/read-ref.js';

export interface MergeTreeOutput {
  readonly tree: string;
  /** Each once, in git's order. */
  readonly conflicted: readonly string[];
  /** Whose content both sides changed, so that it was merged line by line, in conflict or not. */
  readonly contentMerged: readonly string[];
  /** What git says of the first conflict; null: of none. */
  readonly complaint: string | null;
}

interface Note {
  readonly paths: readonly string[];
  readonly type: string;
  readonly text: string;
}

/** Git puts some advice behind all where a submodule is in conflict, in a form of its own (merge-ort.c). */
const ADVICE = 'Recursive merging with submodules ';

/** Null: git printed something else. */
export function parseMergeTree(text: string): MergeTreeOutput | null {
  const fields = text.split('\0');
  const tree = fields[0] ?? '';
  const behind = fields.pop() ?? '';
  const end = fields.indexOf('', 1);
  const conflicted = fields.slice(1, end);
  const isWhole = behind === '' || (behind.startsWith(ADVICE) && conflicted.length > 0);
  const notes = end < 0 || !isWhole ? null : readNotes(fields.slice(end + 1));
  if (!isSha(tree) || notes === null) return null;
  return {
    tree,
    conflicted,
    contentMerged: notes.filter(({ type }) => type === 'Auto-merging').flatMap(({ paths }) => paths),
    complaint: notes.find(({ type }) => type.startsWith('CONFLICT'))?.text.trim() ?? null,
  };
}

/** `<number of paths> <path>… <type> <text>`, a field each. */
function readNotes(fields: readonly string[]): readonly Note[] | null {
  const notes: Note[] = [];
  for (let at = 0; at < fields.length; ) {
    const count = /^[1-9]\d{0,6}$/.test(fields[at] ?? '') ? Number(fields[at]) : 0;
    const paths = fields.slice(at + 1, at + 1 + count);
    const [type, text] = fields.slice(at + 1 + count, at + 3 + count);
    if (count === 0 || type === undefined || text === undefined) return null;
    notes.push({ paths, type, text });
    at += count + 3;
  }
  return notes;
}

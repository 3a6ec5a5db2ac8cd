/** What a task says of its place among others: how much it matters, which must be done before it, and which files it is going to touch. Anybody can send it, so it is read by hand. Pure. Source: V-132. */
import { isItemId } from './item-id.js';

/** What a task asks for. `answer`: a document; its stages change nothing. Source: S-81. */
export const TASK_KINDS = ['change', 'answer'] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export const MAX_DEPENDENCIES = 20;
export const MAX_FILES = 20;
const MAX_GLOB_CHARS = 200;

/** `#2`: the second task of the same `create`. */
const ENTRY = /^#([1-9]\d{0,2})$/;

/** Null: it names the id of a task. From 1. */
export function entryOf(dependency: string): number | null {
  const [, n] = ENTRY.exec(dependency) ?? [];
  return n === undefined ? null : Number(n);
}

/** `at`: its place in its list, from 1; 0: it stands in none. Null: they can be taken. What comes before is the only thing that an entry may wait for, so there are no circles. */
export function whyNoDependencies(value: unknown, at: number): string | null {
  const places = at === 0 ? '' : ', or of places in this list like "#1"';
  if (!isTextList(value, MAX_DEPENDENCIES))
    return `must be a list of at most ${MAX_DEPENDENCIES} ids of tasks${places}`;
  for (const one of value) {
    const entry = at === 0 ? null : entryOf(one);
    if (entry === null && !isItemId(one))
      return `names ${quote(one)}, which is no number of a task${at === 0 ? '' : ' and no place like "#1"'}`;
    if (entry !== null && entry >= at) return `names "${one}", which does not come before it: put that task first`;
  }
  return null;
}

const MAX_PRIORITY = 1_000_000;

/** Null: it can be taken. */
export function whyNoPriority(value: unknown): string | null {
  const isIn = typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_PRIORITY;
  return isIn ? null : `must be an integer from ${-MAX_PRIORITY} to ${MAX_PRIORITY}`;
}

/** Null: they can be taken. */
export function whyNoFiles(value: unknown): string | null {
  if (!isTextList(value, MAX_FILES))
    return `must be a list of at most ${MAX_FILES} paths or globs, each of at most ${MAX_GLOB_CHARS} characters`;
  const outside = value.find((glob) => glob.startsWith('/') || glob.split('/').includes('..') || /[\0\\]/.test(glob));
  return outside === undefined
    ? null
    : `names ${quote(outside)}: files are named from the top of the repository, without "..", "\\" or a leading "/"`;
}

function isTextList(value: unknown, max: number): value is readonly string[] {
  const isText = (one: unknown) => typeof one === 'string' && one.trim() !== '' && one.length <= MAX_GLOB_CHARS;
  return Array.isArray(value) && value.length <= max && value.every(isText);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

const WILD = /[*?[{!(]|[@+](?=\()/;

/**
 * Whether two paths or globs may name one file: by what they begin with, up to the first wildcard. It may say yes of two that never meet, and never no of two that do. A path stands for what is
 * below it too.
 */
export function mayOverlap(one: string, other: string): boolean {
  const [first, second] = [prefixOf(one), prefixOf(other)];
  if (first.isWhole && second.isWhole) return isWithin(first.text, second.text) || isWithin(second.text, first.text);
  if (first.isWhole) return first.text.startsWith(second.text) || isWithin(second.text, first.text);
  if (second.isWhole) return second.text.startsWith(first.text) || isWithin(first.text, second.text);
  return first.text.startsWith(second.text) || second.text.startsWith(first.text);
}

function prefixOf(glob: string): { readonly text: string; readonly isWhole: boolean } {
  const plain = glob.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
  const at = plain.search(WILD);
  return at < 0 ? { text: plain, isWhole: true } : { text: plain.slice(0, at), isWhole: false };
}

/** `.` stands for everything. */
function isWithin(path: string, folder: string): boolean {
  return folder === '.' || folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** Texts and lists as long as a page can show: what a run folder or a commit holds may have been made huge by anybody. What was cut says so. Pure. */

/** **Unit** entries of a list inside of something. */
const MAX_INNER = 200;

export function cutText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}… (cut here: ${text.length} characters)`;
}

/** Each text in it, and each list of texts. */
export function cutDeep<T>(value: T, maxChars: number): T {
  return cutAny(value, maxChars) as T; // Of the same shape: only texts and lists of texts are shorter.
}

function cutAny(value: unknown, maxChars: number): unknown {
  if (typeof value === 'string') return cutText(value, maxChars);
  if (Array.isArray(value)) return cutInner(value.slice(0, MAX_INNER), value.length, maxChars);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cutAny(part, maxChars)]));
}

function cutInner(shown: readonly unknown[], all: number, maxChars: number): readonly unknown[] {
  const kept = shown.map((part) => cutAny(part, maxChars));
  const isTexts = kept.every((part) => typeof part === 'string');
  return all > kept.length && isTexts ? [...kept, `… and ${all - kept.length} more`] : kept;
}

export interface CutList<T> {
  readonly list: T[];
  /** For people; null: it is whole. */
  readonly told: string | null;
}

export interface ListBounds {
  readonly maxEntries: number;
  /** **Unit** characters of one text, and of all of it as JSON. */
  readonly maxChars: number;
  readonly maxAll: number;
}

/** The first of them. */
export function cutList<T>(name: string, whole: readonly T[], bounds: ListBounds): CutList<T> {
  const list: T[] = [];
  let chars = 0;
  for (const one of whole.slice(0, bounds.maxEntries)) {
    const short = cutDeep(one, bounds.maxChars);
    chars += JSON.stringify(short).length;
    if (chars > bounds.maxAll && list.length > 0) break;
    list.push(short);
  }
  return {
    list,
    told: list.length < whole.length ? `${name}: the first ${list.length} of ${whole.length} are shown` : null,
  };
}

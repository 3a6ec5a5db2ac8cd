/** Whether this version takes a value under a key of a repository's config. Asked when it runs, so that a key that comes later is taken without a word here. */
import { isRecord } from '../../protocol/text/json.js';
import { matchKey } from '../keys/key-match.js';
import type { KeyRow } from '../keys/key-table.js';
import { KEYS } from '../keys/keys.js';
import type { Setting } from './skep-keys.js';

export type Taking =
  | { readonly kind: 'taken' }
  | { readonly kind: 'no_key' }
  /** It stands in a person's own config alone. */
  | { readonly kind: 'of_person' }
  | { readonly kind: 'refused'; readonly path: readonly PropertyKey[]; readonly message: string };

export function lookUpKey({ key, value }: Setting): Taking {
  const match = matchKey(key.split('.'));
  if (match.kind === 'section') return lookUpSection({ key, value });
  if (match.kind !== 'key') return { kind: 'no_key' };
  const row: KeyRow<unknown> = KEYS[match.pattern];
  if (row.scope === 'user') return { kind: 'of_person' };
  const result = row.schema.safeParse(value);
  if (result.success) return { kind: 'taken' };
  const [issue] = result.error.issues;
  return { kind: 'refused', path: issue?.path ?? [], message: issue?.message ?? 'must be another value' };
}

/** Each of its keys by itself: the first that is not taken says what becomes of all. */
function lookUpSection({ key, value }: Setting): Taking {
  if (!isRecord(value) || Object.keys(value).length === 0) return { kind: 'no_key' };
  const takings = Object.entries(value).map(([name, inner]) => lookUpKey({ key: `${key}.${name}`, value: inner }));
  return takings.find(({ kind }) => kind !== 'taken') ?? { kind: 'taken' };
}

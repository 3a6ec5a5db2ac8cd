/**
 * Reads single values of a policy out of the layers and notes where each comes from. Every key is read through the method
 * that its row's `merge` names. Decides nothing about keys that hang together.
 */
import type { KeyName, KeyValue } from './keys.js';
import { defaultOf, firstOf, type Layers, type Sourced, strictestOf, type UnionKey, unionOf } from './layer-merge.js';

/** Keys whose strictest value wins. */
type StricterKey =
  | Extract<KeyName, `limits.${string}`>
  | 'worktree.setupTimeout'
  | 'validation.timeout'
  | 'gates.maxChangeRounds'
  | 'usageLimit.maxWait'
  | 'usageLimit.maxWaits'
  | 'permissions'
  | 'holdAtCompletion'
  | 'sandbox'
  | 'network';

export interface PolicyReader {
  /** Per dotted key that was read: `flag`, `run input`, `file:line`, `preset X` or `default`. */
  readonly origin: Readonly<Record<string, string>>;
  /** Takes a value that was found elsewhere into the origins. */
  note<T>(key: string, sourced: Sourced<T>): T;
  /** Of the highest layer. **Errors** plain Error: nobody has the key and it has no default. */
  first<K extends KeyName>(key: K): KeyValue<K>;
  /** The same; null where nobody has the key. */
  optional<K extends KeyName>(key: K): KeyValue<K> | null;
  strictest<K extends StricterKey>(key: K): KeyValue<K>;
  /** A limit that nobody need have set; null: none. */
  budget(key: Extract<KeyName, `budget.run.${string}` | `budget.day.${string}`>): number | null;
  union<K extends UnionKey>(key: K): readonly KeyValue<K>[number][];
}

export function readPolicy(layers: Layers): PolicyReader {
  const origin: Record<string, string> = {};
  const note = <T>(key: string, sourced: Sourced<T>): T => {
    origin[key] = sourced.origin;
    return sourced.value;
  };
  const none = { value: null, origin: 'default' };
  return {
    origin,
    note,
    first: (key) => note(key, firstOf(layers, key) ?? defaultOf(key)),
    optional: (key) => note(key, firstOf(layers, key) ?? none),
    strictest: (key) => note(key, strictestOf(layers, { pattern: key }, defaultOf(key))),
    budget: (key) => note(key, strictestOf(layers, { pattern: key }, null) ?? none),
    union: (key) => note(key, unionOf(layers, key)),
  };
}

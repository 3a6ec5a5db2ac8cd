/**
 * How layers meet, key by key: the highest that has it, the strictest, or the sum of the files. Pure.
 * Every answer says where it comes from, since `sluice config` shows that beside each value.
 */
import { KEYS, type KeyName, type KeyValue } from '../keys/keys.js';
import { isFile, type Layer, type LayerKind, valueIn } from './parse-config.js';

/** A value and where it comes from: `run input`, `file:line`, `preset X` or `default`. */
export interface Sourced<T> {
  readonly value: T;
  readonly origin: string;
}

export interface Placed<T> extends Sourced<T> {
  /** With the column, for errors. */
  readonly place: string;
  /** Index of the layer. */
  readonly depth: number;
}

/** What a key comes to: null where nobody says anything and its row has no default. */
export type Effective<K extends KeyName> = KeyValue<K> | (null extends (typeof KEYS)[K]['fallback'] ? null : never);

/** **Shape** highest first, one layer per kind. */
export type Layers = readonly Layer[];

/** The value in the highest layer that has the key. What nobody trusted counts only where it allows no more than the layers below it. */
export function firstOf<K extends KeyName>(
  layers: Layers,
  pattern: K,
  key: string = pattern,
): Placed<KeyValue<K>> | null {
  for (const [depth, layer] of layers.entries()) {
    const found = valueIn(layer, pattern, key);
    if (found === null) continue;
    const placed = { ...found, origin: originOf(layer, found.place), depth };
    if (layer.kind !== 'untrusted' || !allowsMore(pattern, found.value, firstOf(layers.slice(depth + 1), pattern, key)))
      return placed;
  }
  return null;
}

/**
 * The strictest that the trusted files have; without any, the preset's or `base`. What others say counts only where it is stricter still; null allows
 * everything.
 */
export function strictestOf<K extends KeyName, Base extends KeyValue<K> | null>(
  layers: Layers,
  { pattern, key }: { readonly pattern: K; readonly key: string },
  base: Sourced<Base>,
): Sourced<KeyValue<K> | Base> {
  const written = writtenIn(layers, pattern, key);
  const allows = orderOf(pattern);
  const least = (kinds: readonly LayerKind[]) =>
    written
      .filter(({ kind }) => kinds.includes(kind))
      .reduce<Written<KeyValue<K>> | null>(
        (best, next) => (best === null || allows(next.value) < allows(best.value) ? next : best),
        null,
      );
  const others = least(['run input', 'untrusted']);
  const start: Sourced<KeyValue<K> | Base> = least(['project', 'user']) ?? least(['preset']) ?? base;
  if (others === null) return start;
  if (start.value !== null && allows(start.value) <= allows(others.value)) return start;
  return others;
}

/** The entries of all layers together, each once; those that nobody trusted stand beside the default and never instead of it. */
export function unionOf<K extends KeyName>(layers: Layers, pattern: K): Sourced<KeyValue<K>> {
  const written = writtenIn(layers, pattern, pattern);
  const replacing = written.filter(({ kind }) => kind !== 'untrusted');
  const adding = written.filter(({ kind }) => kind === 'untrusted');
  const found = [...(replacing.length === 0 ? [defaultOf(pattern)] : replacing), ...adding];
  const entries = new Set(found.flatMap(({ value }) => (Array.isArray(value) ? value : [])));
  // Only a key that is a list adds up, and its entries are those of its schema.
  return { value: [...entries] as KeyValue<K>, origin: found.map(({ origin }) => origin).join(' + ') };
}

export function defaultOf<K extends KeyName>(pattern: K): Sourced<Effective<K>> {
  // The row's fallback has the type of its schema; the compiler loses the link over a union of rows.
  return { value: KEYS[pattern].fallback as Effective<K>, origin: 'default' };
}

interface Written<T> extends Sourced<T> {
  readonly kind: LayerKind;
}

function writtenIn<K extends KeyName>(layers: Layers, pattern: K, key: string): Written<KeyValue<K>>[] {
  return layers.flatMap((layer) => {
    const entry = valueIn(layer, pattern, key);
    return entry === null ? [] : [{ value: entry.value, origin: originOf(layer, entry.place), kind: layer.kind }];
  });
}

function allowsMore<K extends KeyName>(pattern: K, value: KeyValue<K>, below: Sourced<KeyValue<K>> | null): boolean {
  if (KEYS[pattern].allows === null) return false;
  const allows = orderOf(pattern);
  const under = (below ?? defaultOf(pattern)).value;
  return under !== null && allows(value) > allows(under);
}

/** **Errors** plain Error: the row has no order, which is a programmer's mistake. */
function orderOf<K extends KeyName>(pattern: K): (value: KeyValue<K>) => number {
  const { allows } = KEYS[pattern];
  if (allows === null) throw new Error(`no order for ${pattern}`);
  // The row's order takes what its schema answers; the compiler loses the link over a union of rows.
  return allows as (value: KeyValue<K>) => number;
}

function originOf(layer: Layer, place: string): string {
  if (isFile(layer.kind)) return place.replace(/:\d+$/, '');
  return layer.kind === 'preset' ? place.replace(/: .*$/, '') : layer.kind;
}

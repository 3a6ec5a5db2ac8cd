/**
 * How layers meet, key by key: the highest that has it, the strictest, or the sum of the files. Pure.
 * Every answer says where it comes from, since `sluice config` shows that beside each value.
 */
import { KEYS, type KeyName, type KeyValue } from './keys.js';
import { type Layer, type LayerKind, valueIn } from './parse-config.js';

/** A value and where it comes from: `flag`, `run input`, `file:line`, `preset X` or `default`. */
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

/** **Shape** highest first, one layer per kind. */
export type Layers = readonly Layer[];

/** The value in the highest layer that has the key. */
export function firstOf<K extends KeyName>(layers: Layers, pattern: K, key: string = pattern): Placed<KeyValue<K>> | null {
  for (const [depth, layer] of layers.entries()) {
    const found = valueIn(layer, pattern, key);
    if (found !== null) return { ...found, origin: originOf(layer, found.place), depth };
  }
  return null;
}

/** The smallest that the files have; without any, `base`. A flag or run input counts only where it is smaller still. */
export function strictestOf<Base extends Sourced<number> | null>(layers: Layers, key: string, base: Base): Sourced<number> | Base {
  const written = layers.flatMap((layer) => {
    const entry = layer.entries.get(key);
    if (entry === undefined || typeof entry.value !== 'number') return [];
    return [{ value: entry.value, origin: originOf(layer, entry.place), kind: layer.kind }];
  });
  return strictest(written, base, (value) => value);
}

/** The same for words: `strictnessOf` answers their rank, 0 for the strictest. */
export function strictestWordOf<K extends KeyName>(
  layers: Layers,
  pattern: K,
  strictnessOf: (value: KeyValue<K>) => number,
): Sourced<KeyValue<K>> {
  return strictest(writtenIn(layers, pattern, pattern), defaultOf(pattern), strictnessOf);
}

/** The same for the key of one stage; null where nobody has it. */
export function strictestStageWordOf<K extends KeyName>(
  layers: Layers,
  { pattern, key }: { readonly pattern: K; readonly key: string },
  strictnessOf: (value: KeyValue<K>) => number,
): Sourced<KeyValue<K>> | null {
  return strictest(writtenIn(layers, pattern, key), null, strictnessOf);
}

/** The entries of all layers together, each once; without any, null. */
export function unionOf<K extends 'guardedPaths' | 'block' | 'gates.stages' | 'networkAllow' | 'sandboxHome'>(
  layers: Layers,
  pattern: K,
): Sourced<readonly KeyValue<K>[number][]> | null {
  const found = layers.flatMap((layer) => {
    const entry = valueIn(layer, pattern);
    return entry === null ? [] : [{ value: entry.value, origin: originOf(layer, entry.place) }];
  });
  if (found.length === 0) return null;
  return { value: [...new Set(found.flatMap(({ value }) => [...value]))], origin: found.map(({ origin }) => origin).join(' + ') };
}

/** **Errors** plain Error: the key has no default of its own, which is a programmer's mistake. */
export function defaultOf<K extends KeyName>(pattern: K): Sourced<KeyValue<K>> {
  const { fallback } = KEYS[pattern];
  if (fallback === null) throw new Error(`no default for ${pattern}`);
  // The row's fallback has the type of its schema; the compiler loses the link over a union of rows.
  return { value: fallback as KeyValue<K>, origin: 'default' };
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

function strictest<T, Base extends Sourced<T> | null>(
  written: readonly Written<T>[],
  base: Base,
  rank: (value: T) => number,
): Sourced<T> | Base {
  const least = (kinds: readonly LayerKind[]) =>
    written
      .filter(({ kind }) => kinds.includes(kind))
      .reduce<Written<T> | null>((best, next) => (best === null || rank(next.value) < rank(best.value) ? next : best), null);
  const inputs = least(['flag', 'run input']);
  const start: Sourced<T> | Base = least(['project', 'user']) ?? least(['preset']) ?? base;
  if (inputs === null) return start;
  if (start !== null && rank(start.value) <= rank(inputs.value)) return start;
  return inputs;
}

function originOf(layer: Layer, place: string): string {
  if (layer.kind === 'project' || layer.kind === 'user') return place.replace(/:\d+$/, '');
  return layer.kind === 'preset' ? place.replace(/: .*$/, '') : layer.kind;
}

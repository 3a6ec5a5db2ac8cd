/**
 * Walks the key table: what each key comes to over the layers, by the rule of its row, and the part of a policy that these values make.
 * Decides nothing about keys that hang together.
 */
import { KEYS, type KeyName, type KeyValue } from '../keys/keys.js';
import { placeAt, type Tree } from '../keys/place-at.js';
import { defaultOf, type Effective, firstOf, type Layers, type Sourced, strictestOf, unionOf } from './layer-merge.js';

type Section = 'agents.<name>' | 'stages.<stage>' | 'asks.<ask>';

/** The keys of one agent, of one stage, of one ask, or all that are of none of them. */
type KeyOf<S extends Section | ''> = S extends ''
  ? Exclude<KeyName, `${Section}.${string}`>
  : Extract<KeyName, `${S}.${string}`>;

export type KeyValues<S extends Section | ''> = { readonly [K in KeyOf<S>]: Sourced<Effective<K>> };

/** Values at their places. A field of a policy that no row names is an error of the compiler where the policy is made. */
export type Placed<Values> = Nested<{
  readonly [K in keyof Values & KeyName as (typeof KEYS)[K]['at'] & string]: Values[K] extends Sourced<infer T>
    ? T
    : never;
}>;

type Head<Path> = Path extends `${infer First}.${string}` ? First : Path;
type Nested<Flat> = {
  readonly [Name in Head<keyof Flat> & string]: Name extends keyof Flat
    ? Flat[Name]
    : Nested<{ readonly [Path in keyof Flat as Path extends `${Name}.${infer Rest}` ? Rest : never]: Flat[Path] }>;
};

/** By the `merge` of its row. `key`: the pattern with its placeholder filled in. `base`: what holds where nobody says anything. */
export function readKey<K extends KeyName, Base extends KeyValue<K> | null = Effective<K>>(
  layers: Layers,
  pattern: K,
  { key = pattern, base }: { readonly key?: string; readonly base?: Sourced<Base> } = {},
): Sourced<KeyValue<K> | Base> {
  // Without a base of the caller, `Base` is what the row itself has.
  const below = base ?? (defaultOf(pattern) as Sourced<Base>);
  switch (KEYS[pattern].merge) {
    case 'first':
      return firstOf(layers, pattern, key) ?? below;
    case 'stricter':
      return strictestOf(layers, { pattern, key }, below);
    case 'union':
      return unionOf(layers, pattern);
  }
}

/** The keys of a section; `name`: of the stage, the ask or the agent. */
export function readKeys<S extends Section | ''>(layers: Layers, section: S, name = ''): KeyValues<S> {
  const entries = patternsOf(section).map((pattern) => [
    pattern,
    readKey(layers, pattern, { key: fillPattern(pattern, name) }),
  ]);
  // Each value was read by the row of its own key.
  return Object.fromEntries(entries) as KeyValues<S>;
}

export function placeValues<Values extends Partial<Record<KeyName, Sourced<unknown>>>>(values: Values): Placed<Values> {
  const policy: Tree = {};
  for (const [pattern, { at }] of Object.entries(KEYS)) {
    const sourced = values[pattern as KeyName];
    if (sourced === undefined || at === null) continue;
    placeAt(policy, at, sourced.value);
  }
  // Each value stands where the row of its key says.
  return policy as Placed<Values>;
}

export function patternsOf<S extends Section | ''>(section: S): readonly KeyOf<S>[] {
  const isOf = (pattern: string): pattern is KeyOf<S> =>
    section === '' ? !pattern.includes('<') : pattern.startsWith(`${section}.`);
  return Object.keys(KEYS).filter(isOf);
}

export function fillPattern(pattern: string, name: string): string {
  return pattern.replace(/<\w+>/, name);
}

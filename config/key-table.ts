/**
 * Shape of one row of the key table. A row is all there is to know about a key: its schema, default, meaning, who may
 * write it and what it may start. Parser, resolver, `sluice config` and docs/config.md read the same rows.
 */
import type { z } from 'zod';

/** `any`: files, run input and flags. `files`: user's and project's file. `user`: the user's file only. */
export type KeyScope = 'any' | 'files' | 'user';

/**
 * How layers meet. `first`: the highest layer that has it. `stricter`: the strictest of the files; run input and flags only
 * make it stricter. `union`: the lists of all layers together. A project's file that nobody trusted only makes stricter (see `allows`), only
 * adds to lists, and chooses only where the person's own file does not.
 */
export type KeyMerge = 'first' | 'stricter' | 'union';

export type KeyUnit = 'duration' | 'bytes' | null;

/** Vibestrate's spelling of a key, with its own schema where its unit differs. */
export interface KeyAlias<T> {
  readonly path: string;
  readonly schema: z.ZodType<T> | null;
}

/** A method, so that a row of a known type is also a row of an unknown one. */
interface Order<T> {
  of(value: T): number;
}

export interface KeyRow<T> {
  readonly schema: z.ZodType<T>;
  /** What a value looks like, for docs/config.md. */
  readonly type: string;
  /** Null: nothing, or `fallbackText` says what instead. */
  readonly fallback: T | null;
  readonly fallbackText: string | null;
  readonly meaning: string;
  readonly aliases: readonly KeyAlias<T>[];
  readonly scope: KeyScope;
  readonly merge: KeyMerge;
  /** How much a value allows, the smaller the stricter. Null: the values have no such order, a layer chooses among them. */
  readonly allows: Order<T>['of'] | null;
  readonly unit: KeyUnit;
  /** It starts programs, moves files or sends data out: a project's file with it needs trust. */
  readonly executes: boolean;
}

/** The schema alone decides the type of the value, so that `fix` stays a word of a union and does not become any text. */
type RowInput<T> = Pick<KeyRow<T>, 'schema' | 'type' | 'meaning'> &
  Partial<Omit<KeyRow<T>, 'fallback' | 'allows'>> & { fallback?: NoInfer<T> | null; allows?: Order<NoInfer<T>>['of'] };

export function row<T>(input: RowInput<T>): KeyRow<T> {
  return {
    fallback: null,
    fallbackText: null,
    aliases: [],
    scope: 'any',
    merge: 'first',
    allows: null,
    unit: null,
    executes: false,
    ...input,
  };
}

export function byValue(value: number): number {
  return value;
}

/** `words`: the strictest first. */
export function inOrder<T>(words: readonly T[]): (word: T) => number {
  return (word) => words.indexOf(word);
}

/** A key whose feature this version does not have: only values that change nothing are accepted. */
export interface ComingRow {
  readonly meaning: string;
  /** What is in force anyway, as a file would write it. */
  readonly inForce: readonly unknown[];
  readonly aliases: readonly string[];
}

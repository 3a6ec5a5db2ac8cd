/**
 * Shape of one row of the key table. A row is all there is to know about a key: its schema, default, meaning, who may
 * write it and what it may start. Parser, resolver, `sluice config` and docs/config.md read the same rows.
 */
import type { z } from 'zod';
import type { Json } from '../../protocol/text/json.js';

/** `any`: files and run input. `files`: user's and project's file. `user`: the user's file only. */
export type KeyScope = 'any' | 'files' | 'user';

/**
 * How layers meet. `first`: the highest layer that has it. `stricter`: the strictest of the files; run input only
 * make it stricter. `union`: the lists of all layers together. A project's file that nobody trusted only makes stricter (see `allows`), only
 * adds to lists, and chooses only where the person's own file does not.
 */
export type KeyMerge = 'first' | 'stricter' | 'union';

/** What the numbers of a key count, where a file writes them otherwise: ms, bytes, micro-dollars. */
export type KeyUnit = 'duration' | 'bytes' | 'usd';

/** Vibestrate's spelling of a key, with its own schema where its unit differs. */
export interface KeyAlias<T> {
  readonly path: string;
  readonly schema: z.ZodType<T> | null;
}

/** Methods, so that a row of a known type is also a row of an unknown one. */
interface Of<T> {
  order(value: T): number;
  show(value: T): Json;
}

export interface KeyRow<T, At extends string | null = string | null, Fallback extends T | null = T | null> {
  readonly schema: z.ZodType<T>;
  /**
   * Where a run's policy has the value: `limits.turnMs`; behind `<stage>` and `<name>` the field of the stage and of the agent.
   * Null: it is a setting of the host, or decides other values only.
   */
  readonly at: At;
  /** What a value looks like, for docs/config.md. */
  readonly type: string;
  /** Null: nothing, or `fallbackText` says what instead. */
  readonly fallback: Fallback;
  readonly fallbackText: string | null;
  readonly meaning: string;
  readonly aliases: readonly KeyAlias<T>[];
  readonly scope: KeyScope;
  readonly merge: KeyMerge;
  /** How much a value allows, the smaller the stricter. Null: the values have no such order, a layer chooses among them. */
  readonly allows: Of<T>['order'] | null;
  /** Null: a file writes the value as it is. */
  readonly unit: KeyUnit | null;
  /** The word of a file for no value. */
  readonly none: 'off' | 'never' | null;
  /** The value as `sluice config` shows it, where a file writes it otherwise or it may hold a secret. */
  readonly show: Of<T>['show'] | null;
  /** Whether a refusal keeps back what is wrong, as it may hold a secret. `below`: its place in the value of the key. */
  readonly hides: (below: readonly PropertyKey[], wrong: unknown) => boolean;
  /** It starts programs, moves files or sends data out: a project's file with it needs trust. */
  readonly executes: boolean;
}

/** The schema alone decides the type of the value, so that `fix` stays a word of a union and does not become any text. */
type RowInput<T, At, Fallback> = Pick<KeyRow<T>, 'schema' | 'type' | 'meaning'> &
  Partial<Omit<KeyRow<T>, 'at' | 'fallback' | 'allows' | 'show'>> & {
    readonly at: At;
    readonly fallback?: Fallback;
    readonly allows?: Of<NoInfer<T>>['order'];
    readonly show?: Of<NoInfer<T>>['show'];
  };

export function row<T, const At extends string | null, const Fallback extends T | null = null>({
  fallback,
  ...input
}: RowInput<T, At, Fallback>): KeyRow<T, At, Fallback> {
  return {
    // Only a row without a fallback has the type that null stands for.
    fallback: (fallback ?? null) as Fallback,
    fallbackText: null,
    aliases: [],
    scope: 'any',
    merge: 'first',
    allows: null,
    unit: null,
    none: null,
    show: null,
    hides: () => false,
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

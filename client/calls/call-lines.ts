/** The words spoken on a calls socket, one JSON object a line: calls in, answers out by their ids, in whatever order they are done. */
import { readFileSync, statSync } from 'node:fs';
import { entryFile } from '../../config/system/entries.js';
import type { CallName } from './call-table.js';
import type { CarriedError } from './carried-error.js';

/** What who asks may say. */
export type Asked =
  | { readonly id: number; readonly name: CallName; readonly data: readonly unknown[] }
  | { readonly id: number; readonly stop: true };

/** What it may be told: first `hello`, an answer or an error a call, and `alive` every second, by which one that hangs is known. */
export type Told =
  | { readonly type: 'hello'; readonly build: string }
  | { readonly type: 'alive' }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'error'; readonly id: number; readonly error: CarriedError };

/** **Unit** ms. */
export const ALIVE_EVERY_MS = 1_000;

/** Far above the largest call, a batch, of which the server takes 2 MiB, and the largest answer, a list of 1 000 runs. */
export const MAX_LINE_CHARS = 16 * 1024 * 1024;

/** What a call takes may differ from one build to the next. Within one it is the same at both ends. */
export const BUILD = nameBuild(entryFile('worker'));

/** By the worker's program: its place, when it was written and its text, which names the bundles. An unpacked package has one and the same time for all files. */
export function nameBuild(program: string): string {
  const written = statSync(program, { throwIfNoEntry: false })?.mtimeMs;
  return written === undefined ? `${program} not built` : `${program} ${written} ${readFileSync(program, 'utf8')}`;
}

/** Writes single files of the run directory: redacted, whole or not at all, and skipped where one cannot be written (`goOn`). */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../protocol/text/json.js';
import type { Redactor } from '../../protocol/text/value-redactor.js';
import { copyRedacted } from './copy-redacted.js';
import { goOn, type Skipped } from './go-on.js';
import { type WriteOptions, writeFileAtomic } from './write-file.js';

export interface RunFolder {
  readonly runDir: string;
  readonly write: WriteOptions;
  readonly skipped: Skipped;
  /** Of the run. */
  readonly redactor: Redactor;
  /** Unit: bytes that are shown of one output. */
  readonly outputBytes: number;
}

/** The copy of the round first, so that the latest is never without it (V-100). */
export async function putRound(
  folder: RunFolder,
  round: number,
  file: { readonly name: string; readonly text: string },
): Promise<void> {
  await putText(folder, `rounds/${round}/${file.name}`, () => file.text);
  await putText(folder, file.name, () => file.text);
}

export async function putIfMissing(folder: RunFolder, name: string, text: string): Promise<void> {
  if (lstatSync(join(folder.runDir, name), { throwIfNoEntry: false })?.isFile() !== true)
    await putText(folder, name, () => text);
}

export function put(folder: RunFolder, name: string, text: string): Promise<void> {
  return putText(folder, name, () => folder.redactor.text(text));
}

export function putJson(folder: RunFolder, name: string, value: Json): Promise<void> {
  return putText(folder, name, () => jsonText(value, folder.redactor));
}

export async function putText(folder: RunFolder, name: string, render: () => string): Promise<void> {
  await goOn(folder.skipped, name, () => writeFileAtomic(join(folder.runDir, name), render(), folder.write));
}

interface OutputCopy {
  readonly name: string;
  readonly source: string;
  readonly signal?: AbortSignal | undefined;
}

/** Errors: a shortage; the signal's reason, which is nothing to tell people. */
export async function copyTo(folder: RunFolder, { name, source, signal }: OutputCopy): Promise<void> {
  const { write, redactor, outputBytes } = folder;
  const copy = { write, redactor, maxBytes: outputBytes, ...(signal === undefined ? {} : { signal }) };
  await goOn(folder.skipped, name, () =>
    copyRedacted(source, join(folder.runDir, name), copy).catch((error: unknown) => {
      if (signal?.aborted !== true) throw error;
    }),
  );
  signal?.throwIfAborted();
}

export function jsonText(value: Json, redactor: Redactor): string {
  return `${JSON.stringify(redactor.json(value), null, 2)}\n`;
}

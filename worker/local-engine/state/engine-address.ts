/**
 * `<home>/address.json`: where the engine of a home listened last, so that it listens there again: what people have open, and what knows the
 * address from `sluice up`, goes on. It counts while the ports that are asked for are the same.
 */

import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { replaceFile } from '../../../config/system/replace-file.js';
import { isRecord, parseRecord } from '../../../protocol/text/json.js';

export interface EngineAddress {
  readonly server: number;
  /** Null unless the Web UI was asked for. */
  readonly ui: number | null;
  readonly uiHost: string;
}

type Wanted = Readonly<Record<'server' | 'ui', number>>;

/** Null where there was none, or for other ports. */
export function readAddress(file: string, wanted: Wanted): EngineAddress | null {
  const kept = parseRecord(textOf(file));
  const of = kept?.['wanted'];
  if (!isRecord(of) || of['server'] !== wanted.server || of['ui'] !== wanted.ui) return null;
  const { server, ui, uiHost } = kept ?? {};
  if (!isPort(server) || !(ui === null || isPort(ui)) || typeof uiHost !== 'string') return null;
  return isIPv4(uiHost) && uiHost.startsWith('127.') ? { server, ui, uiHost } : null;
}

/** Effects: temp file and rename, 0600. */
export function keepAddress(file: string, wanted: Wanted, address: EngineAddress): void {
  replaceFile(file, `${JSON.stringify({ version: 1, wanted, ...address })}\n`);
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;
}

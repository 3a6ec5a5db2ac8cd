/**
 * `<home>/engine.json`: what a running local engine is made of, for people, for other programs and for the next engine,
 * which ends what a killed one left behind. It is written before anything waits for a new process and removed at a clean end;
 * whether an engine runs is asked at its socket, never read here.
 */
import { readFileSync, rmSync } from 'node:fs';
import { replaceFile } from '../../../config/system/replace-file.js';
import { isRecord, parseRecord } from '../../../protocol/text/json.js';
import type { ProcessIdentity } from './process-identity.js';

export const NAMESPACE = 'default';

/** Where an engine is and what it runs. */
export interface EngineFacts {
  readonly address: string;
  readonly namespace: string;
  /** Null unless the Web UI was asked for. */
  readonly uiAddress: string | null;
  readonly binary: string;
  readonly serverVersion: string;
  readonly startedAt: string;
}

export interface EngineState extends EngineFacts {
  readonly version: 1;
  readonly engine: ProcessIdentity;
  readonly server: ProcessIdentity | null;
  readonly worker: ProcessIdentity | null;
}

/** Effects: temp file and rename, 0600. */
export function writeEngineState(file: string, state: EngineState): void {
  replaceFile(file, `${JSON.stringify(state, null, 2)}\n`);
}

export function removeEngineState(file: string): void {
  rmSync(file, { force: true, recursive: true });
}

/** The processes that an engine recorded; none if the file is missing or not ours to understand. */
export function readRecordedProcesses(
  file: string,
): Readonly<Record<'engine' | 'server' | 'worker', ProcessIdentity | null>> {
  try {
    const { engine, server, worker } = parseRecord(readFileSync(file, 'utf8')) ?? {};
    return { engine: identityOr(engine), server: identityOr(server), worker: identityOr(worker) };
  } catch {
    return { engine: null, server: null, worker: null };
  }
}

function identityOr(value: unknown): ProcessIdentity | null {
  return isIdentity(value) ? value : null;
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return isRecord(value) && Number.isSafeInteger(value['pid']) && typeof value['startedAt'] === 'string';
}

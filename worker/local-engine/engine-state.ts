/**
 * `<home>/engine.json`: what a running local engine is made of, for people, for other programs and for the next engine,
 * which ends what a killed one left behind. It is written before anything waits for a new process and removed at a clean end;
 * whether an engine runs is asked at its socket, never read here.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ProcessIdentity } from './process-identity.js';

export const NAMESPACE = 'default';

export interface EngineState {
  readonly version: 1;
  readonly address: string;
  readonly namespace: string;
  /** Null unless the Web UI was asked for. */
  readonly uiAddress: string | null;
  readonly binary: string;
  readonly serverVersion: string;
  readonly startedAt: string;
  readonly engine: ProcessIdentity;
  readonly server: ProcessIdentity | null;
  readonly worker: ProcessIdentity | null;
}

/** Effects: temp file and rename, 0600. */
export function writeEngineState(file: string, state: EngineState): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}

export function removeEngineState(file: string): void {
  rmSync(file, { force: true, recursive: true });
}

/** The processes that an earlier engine recorded; nothing if the file is missing or not ours to understand. */
export function recordedProcesses(file: string): readonly ProcessIdentity[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value !== 'object' || value === null) return [];
    const { server, worker } = value as { server?: unknown; worker?: unknown }; // Narrowed by isIdentity below.
    return [worker, server].filter(isIdentity);
  } catch {
    return [];
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    Number.isSafeInteger(value.pid) &&
    'startedAt' in value &&
    typeof value.startedAt === 'string'
  );
}

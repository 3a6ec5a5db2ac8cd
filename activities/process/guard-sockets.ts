/** The sockets of a home's guards, by name, in the folder that `config/home/socket-folder.ts` chooses. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../config/system/error-code.js';

export const GUARD_SOCKET = 'guard.sock';

/** Of a guard that retired but keeps its turns. */
export function nameRetiredSocket(pid: number): string {
  return `guard.${pid}.sock`;
}

/** 0: not the socket of a retired guard. */
export function pidOfRetired(path: string): number {
  return Number(/guard\.(\d+)\.sock$/.exec(path)?.[1] ?? 0);
}

/** All guard sockets in the folder, the current one first. */
export function listGuardSockets(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name === GUARD_SOCKET || /^guard\.\d+\.sock$/.test(name))
    .sort((a, b) => Number(b === GUARD_SOCKET) - Number(a === GUARD_SOCKET))
    .map((name) => join(folder, name));
}

/** A home that was never used has none. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

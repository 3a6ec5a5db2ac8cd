/**
 * The home's list of started commands, one small file each in `<home>/guard/`, so that the next guard finds what the last one left.
 * An entry names its owner: only a dead owner's commands are adopted, for a retired guard keeps its own.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../../config/system/error-code.js';
import { isToken } from '../../../protocol/run/place.js';
import { isRecord } from '../../../protocol/text/json.js';
import { readJson, writeMark } from '../marks.js';
import type { CommandDeps } from './command.js';
import { isAlive, readBootId, readStat } from './process-table.js';

export interface ListedCommand {
  readonly token: string;
  readonly dir: string;
  readonly ownerLives: boolean;
}

export interface CommandList {
  /** Writes or takes over an entry in this guard's name. */
  own(token: string, dir: string): void;
  remove(token: string): void;
  get(token: string): ListedCommand | null;
  /**
   * The commands of other guards, living or dead. An entry that cannot be read is left out: it must not keep the others from their end. Of a list that an agent of this user took from the
   * guard there are none until it is the guard's again. Errors: ENOENT, for it is removed with its home.
   */
  others(): readonly ListedCommand[];
}

export function openCommandList(
  home: string,
  { durability, log }: Pick<CommandDeps, 'durability' | 'log'>,
): CommandList {
  const folder = join(home, 'guard');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const bootId = readBootId();
  const self = { pid: process.pid, start: readStat(process.pid)?.start ?? '', bootId };
  const pathOf = (token: string) => join(folder, `${token}.json`);

  const read = (token: string): (ListedCommand & { readonly own: boolean }) | null => {
    const entry = readJson(pathOf(token));
    if (entry === null || !isRecord(entry.owner) || typeof entry.dir !== 'string') return null;
    const { pid, start, bootId: boot } = entry.owner;
    const own = pid === self.pid && start === self.start && boot === bootId;
    const ownerLives = typeof pid === 'number' && typeof start === 'string' && boot === bootId && isAlive(pid, start);
    return { token, dir: entry.dir, ownerLives, own };
  };

  // The list is looked at every second.
  const told = new Set<string>();
  const tellOnce = (what: string, message: string, details: Record<string, string>) => {
    if (!told.has(what)) log(message, details);
    told.add(what);
  };
  const readOrLeave: typeof read = (token) => {
    try {
      return read(token);
    } catch (error) {
      tellOnce(token, 'an entry of the list of commands cannot be read', { token, message: String(error) });
      return null;
    }
  };

  return {
    own: (token, dir) => writeMark(pathOf(token), JSON.stringify({ token, dir, owner: self }), durability),
    remove: (token) => rmSync(pathOf(token), { force: true }),
    get: read,
    others: () =>
      listOrTakeBack(folder, (message) => tellOnce(message, 'the list of commands cannot be read', { message }))
        .map((name) => name.replace(/\.json$/, ''))
        .filter(isToken)
        .map(readOrLeave)
        .flatMap((entry) => (entry === null || entry.own ? [] : [entry])),
  };
}

/** Empty where it cannot be read now. Errors: ENOENT. */
function listOrTakeBack(folder: string, tell: (why: string) => void): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw error;
    tell(String(error));
  }
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    tell(String(error));
  }
  return [];
}

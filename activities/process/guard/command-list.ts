/**
 * The home's list of started commands, one small file each in `<home>/guard/`, so that the next guard finds what the last one left.
 * An entry names its owner: only a dead owner's commands are adopted, for a retired guard keeps its own.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
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
   * guard there are none until it is the guard's again, and what it lacks of this guard's own is listed again. Errors: ENOENT where it is removed with its home, whoever made that again since.
   */
  others(): readonly ListedCommand[];
}

export function openCommandList(
  home: string,
  { durability, log }: Pick<CommandDeps, 'durability' | 'log'>,
): CommandList {
  const folder = join(home, 'guard');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ownHome = nameFolder(home);
  const self = { pid: process.pid, start: readStat(process.pid)?.start ?? '', bootId: readBootId() };
  const owned = new Map<string, string>();
  const pathOf = (token: string) => join(folder, `${token}.json`);
  const read = (token: string) => readEntry(pathOf(token), token, self);
  const write = (token: string, dir: string) =>
    writeMark(pathOf(token), JSON.stringify({ token, dir, owner: self }), durability);

  // The list is looked at every second.
  const told = new Set<string>();
  const tellOnce = (what: string, message: string, details: Record<string, string>) => {
    if (!told.has(what)) log(message, details);
    told.add(what);
  };
  const trying = <T>(token: string, trouble: string, act: () => T): T | null => {
    try {
      return act();
    } catch (error) {
      tellOnce(`${trouble} ${token}`, trouble, { token, message: String(error) });
      return null;
    }
  };

  return {
    own(token, dir) {
      write(token, dir);
      owned.set(token, dir);
    },
    remove(token) {
      owned.delete(token);
      rmSync(pathOf(token), { force: true });
    },
    get: read,
    others() {
      const tell = (message: string) => tellOnce(message, 'the list of commands cannot be read', { message });
      const names = listOrTakeBack(folder, () => nameFolder(home) === ownHome, tell).map((name) =>
        name.replace(/\.json$/, ''),
      );
      for (const [token, dir] of owned)
        if (!names.includes(token)) trying(token, 'a command could not be listed again', () => write(token, dir));
      return names
        .filter(isToken)
        .map((token) => trying(token, 'an entry of the list of commands cannot be read', () => read(token)))
        .flatMap((entry) => (entry === null || entry.own ? [] : [entry]));
    },
  };
}

/** Another for a folder that is made in its place later, which may get the same number. Errors: ENOENT. */
function nameFolder(path: string): string {
  const { dev, ino, birthtimeMs } = statSync(path);
  return `${dev} ${ino} ${birthtimeMs}`;
}

interface Owner {
  readonly pid: number;
  readonly start: string;
  readonly bootId: string;
}

function readEntry(path: string, token: string, self: Owner): (ListedCommand & { readonly own: boolean }) | null {
  const entry = readJson(path);
  if (entry === null || !isRecord(entry.owner) || typeof entry.dir !== 'string') return null;
  const { pid, start, bootId: boot } = entry.owner;
  const own = pid === self.pid && start === self.start && boot === self.bootId;
  const ownerLives =
    typeof pid === 'number' && typeof start === 'string' && boot === self.bootId && isAlive(pid, start);
  return { token, dir: entry.dir, ownerLives, own };
}

/** Empty where it cannot be read now. Errors: ENOENT where its home is not here any more. */
function listOrTakeBack(folder: string, isHomeHere: () => boolean, tell: (why: string) => void): readonly string[] {
  let isGone = false;
  try {
    return readdirSync(folder);
  } catch (error) {
    isGone = codeOf(error) === 'ENOENT';
    if (isGone && !isHomeHere()) throw error;
    tell(String(error));
  }
  try {
    if (isGone) mkdirSync(folder, { mode: 0o700 });
    else chmodSync(folder, 0o700);
  } catch (error) {
    tell(String(error));
  }
  return [];
}

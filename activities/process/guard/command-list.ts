/**
 * The home's list of started commands, one small file each in `<home>/guard/`, so that the next guard finds what the last one left.
 * An entry names its owner: only a dead owner's commands are adopted, for a retired guard keeps its own.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../../../config/home/home.js';
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

/** Unit: looks, one a second. Whoever removes a home takes some time for it, and what was written into it meanwhile would keep it from being removed. */
const LOOKS_WITHOUT = 10;

export function openCommandList(
  home: string,
  { durability, log }: Pick<CommandDeps, 'durability' | 'log'>,
): CommandList {
  const folder = join(home, 'guard');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ownHome = nameHome(home);
  let removed: unknown = null;
  let missed = 0;
  const self = { pid: process.pid, start: readStat(process.pid)?.start ?? '', bootId: readBootId() };
  const owned = new Map<string, string>();
  const pathOf = (token: string) => join(folder, `${token}.json`);
  const read = (token: string) => readEntry(pathOf(token), token, self);
  const write = (token: string, dir: string) =>
    writeMark(pathOf(token), JSON.stringify({ token, dir, owner: self }), durability);
  const { tellOnce, trying } = tellTroubles(log);

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
      const listed = listOrTakeBack(folder, tell, (error) => {
        removed ??= error;
        missed += 1;
        return missed > LOOKS_WITHOUT;
      });
      if (removed !== null && nameHome(home) !== ownHome) throw removed;
      if (listed === null) return [];
      missed = 0;
      const names = listed.map((name) => name.replace(/\.json$/, ''));
      for (const [token, dir] of owned)
        if (!names.includes(token)) trying(token, 'a command could not be listed again', () => write(token, dir));
      return names
        .filter(isToken)
        .map((token) => trying(token, 'an entry of the list of commands cannot be read', () => read(token)))
        .flatMap((entry) => (entry === null || entry.own ? [] : [entry]));
    },
  };
}

/** Each trouble is told once, for the list is looked at every second. */
function tellTroubles(log: CommandDeps['log']) {
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
  return { tellOnce, trying };
}

/** Another for one that is made in its place later, which may get the same number, and for one that lost what no guard makes. Errors: ENOENT. */
function nameHome(home: string): string {
  const { dev, ino, birthtimeMs } = statSync(home);
  const hostId = statSync(homePaths(home).hostId, { throwIfNoEntry: false });
  return `${dev} ${ino} ${birthtimeMs} ${hostId?.ino ?? 'none'}`;
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

/** Empty where it cannot be read now; null: it is gone. `isMissed` hears that, and says whether it is made again. */
function listOrTakeBack(
  folder: string,
  tell: (why: string) => void,
  isMissed: (error: unknown) => boolean,
): readonly string[] | null {
  let isGone = false;
  try {
    return readdirSync(folder);
  } catch (error) {
    isGone = codeOf(error) === 'ENOENT';
    if (isGone && !isMissed(error)) return null;
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

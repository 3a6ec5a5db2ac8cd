/**
 * What a machine has run out of, or does not let be written, in a person's words: the one table from what the system says to what mends it. An entry of a program
 * needs it when nothing else can be loaded any more, so it imports node's own modules alone.
 */
import { readFileSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../../protocol/text/json.js';
import { shellWord } from '../../protocol/text/shell-word.js';
import { BUILT_ANEW, NOT_WHOLE } from './error-code.js';

/** The parts of a message that do not depend on who says it. **Shape** `mend` is a command that can be pasted. */
export interface SystemTrouble {
  /** A clause that names what there is none of. */
  readonly short: string;
  readonly why: string;
  readonly mend: string;
}

interface Row {
  readonly codes: readonly string[];
  /** What strerror, libuv, Go and SQLite say. */
  readonly words: RegExp;
  /** Null: nobody knows where. */
  trouble(place: string | null): SystemTrouble;
}

/** One server, one worker and one guard start with 104; ten runs at once go with 256. Source: test/faults/few-descriptors.test.ts. */
export const NEEDED_DESCRIPTORS = 128;
/** The database of a server alone has more. */
const LITTLE_BYTES = 64 * 1024;

const MAX_CAUSES = 5;

/** Asked while a file can still be opened. */
const OPEN_FILES = openFilesLimit();

const FEW_DESCRIPTORS = 'there are too few file descriptors';

/** Where the limit is as high as sluice needs it. */
const OPEN_TOO_MANY: SystemTrouble = {
  short: FEW_DESCRIPTORS,
  why: 'One process has as many files open as its limit allows; the last of the list has the most.',
  mend: 'for p in /proc/[0-9]*; do echo "$(ls $p/fd 2>/dev/null | wc -l) $p"; done | sort -n | tail -3',
};

/** Nothing of the machine, and met at the same moments. */
const BUILD_GONE: SystemTrouble = {
  short: 'a part of this program is gone',
  why: 'A program loads its parts as it needs them, and all of them are of the build that it began with.',
  // Nobody here knows whether the command had begun what it was to begin.
  mend: 'sluice list    then the same command, unless what it was to start is there',
};

const BUILD_CUT: SystemTrouble = {
  short: 'a part of this program is missing',
  why: 'What a build made belongs together, and somebody removed a part of it.',
  mend: 'npm run setup    in the folder of sluice',
};

const TABLE: readonly Row[] = [
  {
    codes: ['ENFILE'],
    words: /\bENFILE\b|too many open files in system|file table overflow/i,
    trouble: () => ({
      short: 'the machine has no file descriptors left',
      why: 'All programs of the machine together have as many files open as its kernel allows.',
      mend: 'cat /proc/sys/fs/file-nr',
    }),
  },
  {
    codes: ['EMFILE'],
    words: /\bEMFILE\b|too many open files/i,
    trouble: () => (isLimited() ? fewDescriptors() : OPEN_TOO_MANY),
  },
  { codes: ['ENOSPC'], words: /\bENOSPC\b|no space left on device|disk is full/i, trouble: fullDisk },
  {
    codes: ['EDQUOT'],
    words: /\bEDQUOT\b|disk quota exceeded/i,
    trouble: (place) => ({
      short: 'the disk quota is used up',
      why: `This user may write no more where ${shown(place)} lies.`,
      mend: 'quota -s',
    }),
  },
  {
    codes: ['EROFS'],
    words: /\bEROFS\b|read-only file system|readonly database/i,
    trouble: (place) => ({
      short: 'the file system is read-only',
      why: `${shown(place)} can be read, not written: it was mounted so, or the kernel made it so after an error of the disk.`,
      mend: place === null ? 'findmnt' : `findmnt -T ${shellWord(place)}`,
    }),
  },
  {
    codes: ['EIO'],
    words: /\bEIO\b|input\/output error|disk I\/O error/i,
    trouble: (place) => ({
      short: 'the disk fails',
      why: `The system could not read or write ${shown(place)}.`,
      mend: 'dmesg | tail',
    }),
  },
  {
    codes: ['ENOMEM', 'ERR_MEMORY_ALLOCATION_FAILED'],
    words: /\bENOMEM\b|cannot allocate memory|not enough memory|heap out of memory/i,
    trouble: () => ({
      short: 'there is no memory left',
      why: 'The machine, its container or `ulimit -v` gives no more.',
      mend: 'free -m; ulimit -v',
    }),
  },
  {
    codes: [],
    words:
      /\bspawn\b.*\bEAGAIN\b|\bfork\b.*resource temporarily unavailable|failed to create new OS thread|pthread_create/i,
    trouble: () => ({
      short: 'no more processes can be started',
      why: 'This user, its session or its container has as many processes and threads as it may.',
      mend: 'ulimit -u; ps -L -u "$(id -u)" | wc -l',
    }),
  },
];

/** Null: it is not the machine. `home` is where it is looked for unless the error names a path. */
export function systemTrouble(error: unknown, home: string): SystemTrouble | null {
  for (
    let [each, depth]: [unknown, number] = [error, 0];
    isRecord(each) && depth < MAX_CAUSES;
    [each, depth] = [each['cause'], depth + 1]
  ) {
    const { code, path, message } = each;
    const row =
      TABLE.find(({ codes }) => typeof code === 'string' && codes.includes(code)) ?? rowOf(spawnWords(message));
    if (isLoading(code)) return fewDescriptors();
    if (code === BUILT_ANEW) return BUILD_GONE;
    if (code === NOT_WHOLE) return BUILD_CUT;
    if (row !== undefined) return row.trouble(typeof path === 'string' ? path : home);
    if ((code === 'EACCES' || code === 'EPERM') && typeof path === 'string' && isIn(home, path))
      return notYours(path, home);
  }
  return null;
}

/** The machine has run out of something, or its disk fails: no choice of another place by its owner mends it. */
export function isSpent(error: unknown): boolean {
  return (
    isRecord(error) && TABLE.some(({ codes }) => typeof error['code'] === 'string' && codes.includes(error['code']))
  );
}

/** The same from the words of a log or of a failure that came from elsewhere; `home` null: of another machine perhaps, so that no path of it is looked at here. */
export function systemTroubleIn(text: string, home: string | null): SystemTrouble | null {
  const place = home === null ? null : (/'(\/[^'\n]+)'/.exec(text)?.[1] ?? home);
  return rowOf(text)?.trouble(place) ?? null;
}

/** Null: there is room. Asked where nothing could be written any more, not even why. */
export function fullDiskAt(place: string): SystemTrouble | null {
  const free = freeOf(place);
  return free === null || (free.bytes >= LITTLE_BYTES && free.names > 0) ? null : fullDisk(place);
}

/** The limit of this process, which what it starts inherits: node has raised its soft limit to the hard one (N15 of docs/security.md). Null where the system does not tell, or there is none. */
export function openFilesLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

/** What is said of a limit that was not reached yet too. */
export function fewDescriptors(): SystemTrouble {
  return {
    short: FEW_DESCRIPTORS,
    why: `A process that is started here may open ${OPEN_FILES} files; sluice needs ${NEEDED_DESCRIPTORS}. It is the hard limit: another login has its own, and root raises it.`,
    mend: 'sudo prlimit --pid $$ --nofile=1024',
  };
}

function isLimited(): boolean {
  return (OPEN_FILES ?? NEEDED_DESCRIPTORS) < NEEDED_DESCRIPTORS;
}

/** Without a descriptor to open it with, node does not find a module that is there. */
function isLoading(code: unknown): boolean {
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && isLimited();
}

function rowOf(text: string): Row | undefined {
  return TABLE.find(({ words }) => words.test(text));
}

/** Only of a start does a message say more than its code: EAGAIN means many things. */
function spawnWords(message: unknown): string {
  return typeof message === 'string' && message.startsWith('spawn') ? message : '';
}

/** A disk has room for bytes and room for names; either may be used up. */
function fullDisk(place: string | null): SystemTrouble {
  const free = place === null ? null : freeOf(place);
  if (free !== null && free.names === 0 && free.bytes > 0) {
    return {
      short: 'the disk has no inodes left',
      why: `There is room for bytes where ${shown(place)} lies, but none for another file.`,
      mend: `df -i ${shellWord(free.folder)}`,
    };
  }
  const at = free === null ? '' : ` ${shellWord(free.folder)}`;
  return {
    short: 'the disk is full',
    why: `Nothing more can be written where ${shown(place)} lies.`,
    mend: `df -h${at}; df -i${at}`,
  };
}

function shown(place: string | null): string {
  return place ?? 'its file';
}

function freeOf(place: string): { readonly folder: string; readonly bytes: number; readonly names: number } | null {
  for (let folder = place; ; folder = dirname(folder)) {
    try {
      const { bavail, files, ffree } = statfsSync(folder);
      // A file system without a fixed number of inodes says 0 of 0.
      return { folder, bytes: bavail, names: files === 0 ? 1 : ffree };
    } catch {
      if (folder === dirname(folder)) return null;
    }
  }
}

function isIn(home: string, path: string): boolean {
  return `${path}/`.startsWith(join(home, '/'));
}

function notYours(path: string, home: string): SystemTrouble {
  return {
    short: 'the sluice home cannot be used',
    why: `${path} belongs to somebody else, or its rights do not let you.`,
    mend: `ls -ld ${shellWord(home)} ${shellWord(path)}    or choose another: export SLUICE_HOME=<a folder of your own>`,
  };
}

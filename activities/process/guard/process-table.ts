/**
 * Finds what belongs to a command: by turn tag (environment), by limit mark (RLIMIT_MSGQUEUE, which `env -i`, a new title or an undumpable
 * program cannot hide) and, where no mark can be set, by session. All questions of one tick share one pass over /proc.
 * Without /proc (macOS) it knows only the process group of the parent `sh`: a child in a session of its own is not found there.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { sendSignal } from '../../../config/system/send-signal.js';
import { TURN_TAG } from '../../../protocol/names.js';
import { kernelThreadsIn } from './kernel-threads.js';

/** How to recognise the processes of one command. */
export interface Trace {
  readonly token: string;
  readonly limitMark: string | null;
  /** Pid of the parent `sh`, which leads the session and the group. */
  readonly pid: number;
}

export interface Found {
  /** Negative: a process group. */
  readonly pid: number;
  readonly start: string;
}

export interface ProcessTable {
  /** The living ones, without zombies, as of a moment after the call. */
  find(trace: Trace): Promise<readonly Found[]>;
  /** The same without rest between passes: while killing, every pause is a head start for what forks. */
  findUrgently(trace: Trace): Promise<readonly Found[]>;
}

export interface ProcessStat {
  readonly state: string;
  readonly session: number;
  /** Clock ticks since boot. */
  readonly start: string;
}

export const HAS_PROC = process.platform === 'linux';

export function createProcessTable(hasProc = HAS_PROC): ProcessTable {
  if (!hasProc) {
    const find = async (trace: Trace) => findGroup(trace.pid);
    return { find, findUrgently: find };
  }
  let next: Promise<Snapshot> | null = null;
  let lastMs = 0;
  const snapshot = (): Promise<Snapshot> => {
    next ??= new Promise((resolve) => {
      const pass = () => {
        next = null;
        const began = performance.now();
        const taken = takeSnapshot();
        lastMs = performance.now() - began;
        resolve(taken);
      };
      // On a crowded host a pass takes long: wait as long as the last one took, so that passes never fill the guard's time.
      if (lastMs > 5) {
        setTimeout(pass, lastMs);
      } else {
        setImmediate(pass);
      }
    });
    return next;
  };
  return {
    find: async (trace) => match(await snapshot(), trace),
    findUrgently: async (trace) => {
      await new Promise((resolve) => setImmediate(resolve));
      return match(takeSnapshot(), trace);
    },
  };
}

/** Null if there is no such process. */
export function readStat(pid: number): ProcessStat | null {
  const text = read(`/proc/${pid}/stat`);
  // The program's name stands in brackets and may hold anything, brackets and spaces too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, , , session] = fields;
  const start = fields[19];
  return state === undefined || session === undefined || start === undefined
    ? null
    : { state, session: Number(session), start };
}

export function isAlive(pid: number, start: string): boolean {
  if (!HAS_PROC) return findGroup(pid).length > 0;
  const stat = readStat(pid);
  return stat !== null && stat.start === start && !isZombie(stat);
}

/** Ticks of a second in /proc, on every Linux that runs node. Source: proc(5), USER_HZ. */
const TICKS = 100;

/**
 * How long a process lives, however the clock was set meanwhile: measured against this process, whose own age node keeps. Unit: ms.
 * Not /proc/uptime: in a container it may count from another moment than the start times. Null: it is gone, or /proc is not there.
 */
export function readAge(pid: number, start: string): number | null {
  const self = HAS_PROC ? readStat(process.pid) : null;
  if (self === null || !isAlive(pid, start)) return null;
  return Math.max(0, performance.now() + ((Number(self.start) - Number(start)) * 1000) / TICKS);
}

export function readBootId(): string {
  return HAS_PROC ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : 'unknown';
}

interface Snapshot {
  readonly byTag: Map<string, Found[]>;
  readonly byMark: Map<string, Found[]>;
  readonly pids: readonly number[];
}

const TAG = new RegExp(`(?:^|\\0)${TURN_TAG}=([0-9a-f.-]+)(?=\\0|$)`, 'g');
const MARK = /\s+(\d+)\s+(\d+)/y;
const MARK_LINE = 'Max msgqueue size';

/**
 * Lists again until a list holds no new pid: a process that forks and ends between the list and its reading would otherwise hide its child.
 * What lived when it was read counts, even if it is gone by now: it too may have a child that no list held yet.
 */
function takeSnapshot(): Snapshot {
  const byTag = new Map<string, Found[]>();
  const byMark = new Map<string, Found[]>();
  const seen = new Set([process.pid, ...kernelThreadsIn(read('/proc/2/stat'), read('/proc/2/task/2/children'))]);
  for (;;) {
    const fresh = readdirSync('/proc')
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && !seen.has(pid));
    if (fresh.length === 0) return { byTag, byMark, pids: [...seen] };
    for (const pid of fresh) {
      seen.add(pid);
      const mark = markIn(read(`/proc/${pid}/limits`));
      const environment = read(`/proc/${pid}/environ`);
      const tags = environment.includes(TURN_TAG) ? [...environment.matchAll(TAG)] : [];
      const isMarked = mark !== null && Number(mark[1]) % 2 === 1;
      const stat = isMarked || tags.length > 0 ? readStat(pid) : null;
      if (stat !== null && isZombie(stat)) continue;
      const found = { pid, start: stat?.start ?? '' };
      if (isMarked) add(byMark, `${mark[1]}:${mark[2]}`, found);
      for (const tag of tags) add(byTag, tag[1] ?? '', found);
    }
  }
}

/** Twice as fast as a regular expression over the whole text; there is one text a process and pass. */
function markIn(limits: string): RegExpExecArray | null {
  const at = limits.indexOf(MARK_LINE);
  MARK.lastIndex = at + MARK_LINE.length;
  return at < 0 ? null : MARK.exec(limits);
}

function match(snapshot: Snapshot, trace: Trace): readonly Found[] {
  const tagged = snapshot.byTag.get(trace.token) ?? [];
  if (trace.limitMark !== null) {
    const marked = snapshot.byMark.get(trace.limitMark) ?? [];
    return [...new Set([...tagged, ...marked])];
  }
  const inSession = snapshot.pids.flatMap((pid) => {
    const stat = readStat(pid);
    return stat !== null && !isZombie(stat) && stat.session === trace.pid ? [{ pid, start: stat.start }] : [];
  });
  return [...tagged, ...inSession.filter((found) => !tagged.some((one) => one.pid === found.pid))];
}

function isZombie(stat: ProcessStat): boolean {
  return stat.state === 'Z' || stat.state === 'X';
}

function add(map: Map<string, Found[]>, key: string, found: Found): void {
  const all = map.get(key);
  if (all === undefined) {
    map.set(key, [found]);
  } else {
    all.push(found);
  }
}

/** To kill(2) 0 is the group of the caller, -1 everybody, and what is negated twice a single process: none of them is a command's. */
function findGroup(leader: number): readonly Found[] {
  return leader > 1 && sendSignal(-leader, 0) === 'sent' ? [{ pid: -leader, start: '' }] : [];
}

const buffer = Buffer.allocUnsafeSlow(2 ** 21);

/** Empty for what is gone or not ours to read. Half the time of readFileSync on /proc. */
function read(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    return buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0));
  } catch {
    return '';
  } finally {
    closeSync(fd);
  }
}

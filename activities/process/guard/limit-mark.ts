/**
 * A second mark on everything a command starts, beside the turn tag: an odd pair of RLIMIT_MSGQUEUE values, set by util-linux `prlimit` as it
 * becomes the parent `sh`. It is inherited through `env -i` and setsid, an ordinary user cannot raise it again, and anybody may read it in /proc.
 * Where prlimit is missing or a lowered limit leaves no room, commands carry the tag alone.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isExecutable } from '../../../config/system/resolve-program.js';
import { HAS_PROC } from './process-table.js';

export interface LimitMarks {
  /** A pair `<soft>:<hard>` that no living command of this guard has, or null. */
  draw(taken: (mark: string) => boolean): string | null;
  /** What stands in front of a program to give it the mark. */
  prefix(mark: string): readonly string[];
}

/** Fixed places: a program of that name on the PATH of whoever started the guard is not ours to trust. */
const PRLIMIT_PLACES = ['/usr/bin/prlimit', '/bin/prlimit'];

/** Below it programs that use POSIX message queues would notice. */
const LOWEST_BYTES = 200_000;
const HIGHEST_BYTES = 819_200;

export function createLimitMarks(): LimitMarks {
  const program = HAS_PROC ? PRLIMIT_PLACES.find(isExecutable) : undefined;
  const highest = Math.min(HIGHEST_BYTES, ownHardLimit());
  if (program === undefined || highest < LOWEST_BYTES * 2) return { draw: () => null, prefix: () => [] };
  const works =
    spawnSync(program, [`--msgqueue=${LOWEST_BYTES}:${highest}`, '--', '/bin/sh', '-c', ':'], { env: {} }).status === 0;
  const drawOne = () => {
    const hard = odd(LOWEST_BYTES + 2, highest);
    return `${odd(LOWEST_BYTES, hard)}:${hard}`;
  };
  return {
    draw: (taken) => {
      if (!works) return null;
      let mark = drawOne();
      while (taken(mark)) mark = drawOne();
      return mark;
    },
    prefix: (mark) => [program, `--msgqueue=${mark}`, '--'],
  };
}

function odd(from: number, below: number): number {
  return randomInt(Math.floor(from / 2), Math.floor(below / 2)) * 2 + 1;
}

function ownHardLimit(): number {
  if (!HAS_PROC) return 0;
  const hard = /^Max msgqueue size\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return hard === 'unlimited' ? HIGHEST_BYTES : Number(hard ?? 0);
}

/**
 * A lock that the kernel releases when its holder dies, however it dies. "Connect, else unlink the stale socket, else bind"
 * gives two owners under a race, so whoever binds a socket or builds a binary takes this lock first.
 * A helper program locks a file description that it inherits; the lock stays with us after the helper has ended.
 * It does not reach over network file systems or between machines.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { codeOf } from '../../../config/system/error-code.js';

export interface KernelLock {
  release(): void;
}

type HelperResult = 'taken' | 'held' | 'no-helper';

/** perl is what macOS has instead of flock(1). */
const HELPERS: readonly {
  readonly program: string;
  readonly now: readonly string[];
  readonly wait: readonly string[];
}[] = [
  { program: 'flock', now: ['-n', '3'], wait: ['3'] },
  {
    program: 'perl',
    now: ['-e', 'use Fcntl ":flock"; open(F, ">&=3") or exit 2; exit(flock(F, LOCK_EX | LOCK_NB) ? 0 : 1)'],
    wait: ['-e', 'use Fcntl ":flock"; open(F, ">&=3") or exit 2; exit(flock(F, LOCK_EX) ? 0 : 1)'],
  },
];

/** Null if another process holds it. */
export async function tryLock(file: string): Promise<KernelLock | null> {
  return take(file, 'now');
}

/** Waits until the holder releases it or dies. */
export async function waitForLock(file: string): Promise<KernelLock> {
  const lock = await take(file, 'wait');
  if (lock === null) throw new Error(`cannot lock ${file}: flock failed`);
  return lock;
}

/**
 * Which file has the name of a lock now, null for none, and `before` where that cannot be seen, which is no sign of a change. Whoever holds the lock has its file
 * open, so no file that is made later is taken for it.
 */
export function fileOfLock(file: string, before: string | null): string | null {
  try {
    const { dev, ino } = statSync(file);
    return `${dev} ${ino}`;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '') ? null : before;
  }
}

async function take(file: string, mode: 'now' | 'wait'): Promise<KernelLock | null> {
  const descriptor = openSync(file, 'a', 0o600);
  for (const helper of HELPERS) {
    const result = await runHelper(helper.program, helper[mode], descriptor);
    if (result === 'taken') return { release: () => closeSync(descriptor) };
    if (result === 'held') {
      closeSync(descriptor);
      return null;
    }
  }
  closeSync(descriptor);
  throw new Error('neither flock nor perl is on PATH; one of them is needed for a lock that dies with its owner');
}

function runHelper(program: string, args: readonly string[], descriptor: number): Promise<HelperResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
    child.once('error', () => resolve('no-helper'));
    child.once('exit', (code) => resolve(code === 0 ? 'taken' : 'held'));
  });
}

/**
 * A lock that the kernel releases when its holder dies, however it dies. "Connect, else unlink the stale socket, else bind"
 * gives two owners under a race, so whoever binds a socket or builds a binary takes this lock first.
 * A helper program locks a file description that it inherits; the lock stays with us after the helper has ended.
 * It does not reach over network file systems or between machines.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { codeOf } from '../../../config/system/error-code.js';
import { programPath } from '../../../config/system/program-path.js';
import { resolveProgram } from '../../../config/system/resolve-program.js';
import { RefusedError } from '../../../protocol/text/refusal.js';

export interface KernelLock {
  release(): void;
}

type HelperResult =
  | { readonly kind: 'taken' | 'held' | 'no-helper' }
  | { readonly kind: 'failed'; readonly why: string };

/** What flock(1) exits with where somebody else holds the lock; its failures, such as for want of locks on that disk, exit with others. */
const HELD = 1;

const MAX_SAID_CHARS = 500;

const LOCK_BY_PERL = 'use Fcntl ":flock"; use Errno "EWOULDBLOCK"; open(F, ">&=3") or exit 2;';
const WHY_BY_PERL = 'exit 1 if $! == EWOULDBLOCK; print STDERR "$!\\n"; exit 2';

/** perl is what macOS has instead of flock(1). */
const HELPERS: readonly {
  readonly program: string;
  readonly now: readonly string[];
  readonly wait: readonly string[];
}[] = [
  { program: 'flock', now: ['-n', '3'], wait: ['3'] },
  {
    program: 'perl',
    now: ['-e', `${LOCK_BY_PERL} flock(F, LOCK_EX | LOCK_NB) and exit 0; ${WHY_BY_PERL}`],
    wait: ['-e', `${LOCK_BY_PERL} flock(F, LOCK_EX) and exit 0; ${WHY_BY_PERL}`],
  },
];

/** Null if another process holds it. Errors: RefusedError where there are no locks, with the reason. */
export async function tryLock(file: string): Promise<KernelLock | null> {
  return take(file, 'now');
}

/** Waits until the holder releases it or dies. Errors: as `tryLock`. */
export async function waitForLock(file: string): Promise<KernelLock> {
  const lock = await take(file, 'wait');
  if (lock === null) throw noLock(file, 'flock failed');
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
    if (result.kind === 'taken') return { release: () => closeSync(descriptor) };
    if (result.kind === 'no-helper') continue;
    closeSync(descriptor);
    if (result.kind === 'failed') throw noLock(file, result.why);
    return null;
  }
  closeSync(descriptor);
  throw new Error('neither flock nor perl is on PATH; one of them is needed for a lock that dies with its owner');
}

function runHelper(name: string, args: readonly string[], descriptor: number): Promise<HelperResult> {
  const program = resolveProgram(name, { path: programPath(process.env['PATH'] ?? ''), forbidden: [] });
  if (program.kind !== 'found') return Promise.resolve({ kind: 'no-helper' });
  return new Promise((resolve) => {
    const child = spawn(program.path, args, { stdio: ['ignore', 'ignore', 'pipe', descriptor] });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-MAX_SAID_CHARS);
    });
    child.once('error', () => resolve({ kind: 'no-helper' }));
    child.once('close', (code, signal) => {
      if (code === 0) resolve({ kind: 'taken' });
      else if (code === HELD) resolve({ kind: 'held' });
      else resolve({ kind: 'failed', why: said.trim() || `${name} ended with ${signal ?? `exit code ${code}`}` });
    });
  });
}

function noLock(file: string, why: string): RefusedError {
  return new RefusedError({
    what: `${file} cannot be locked: ${why}.`,
    why: 'That one engine has a home, and one process makes the server, is kept by a lock of the kernel; some network disks have none.',
    now: 'Nothing was started or ended.',
    mend: 'Use a folder on a disk of this machine: export SLUICE_HOME=<folder>    and for the server that sluice keeps: export XDG_CACHE_HOME=<folder>',
  });
}

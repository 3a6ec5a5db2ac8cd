/**
 * Small private files of the sluice home (0600): written whole or not at all, and changed by one process at a time.
 * A process that dies in the middle holds nobody up: its lock is broken by exactly one of those who wait.
 * Pids are compared on one machine only; a home is not shared between machines.
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { shellWord } from '../../protocol/text/shell-word.js';
import { ConfigError, problem } from '../system/config-error.js';
import { createFile } from '../system/create-file.js';
import { readForeignFileSync } from '../system/foreign-file.js';
import { replaceFile } from '../system/replace-file.js';
import { sendSignal } from '../system/send-signal.js';

/** Unit: bytes. The trust store keeps the text of each config, 256 KB at most, of every repository of a host. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Such as one of zod. Errors: for what is no T. */
export interface Schema<T> {
  parse(value: unknown): T;
}

const LOCK_WAIT_MS = 10_000;
const LOCK_POLL_MS = 10;

/** Writes the file unless it is there; answers true to the one who wrote. Whoever reads it reads all of it. */
export function createPrivateFile(path: string, content: string): boolean {
  return createFile(path, content, 0o600);
}

/** Null where there is no file. */
export function readTextFile(path: string): string | null {
  // Also where what should be the home is a file; `ensureHome` tells that better.
  const reading = readForeignFileSync(path, { maxBytes: MAX_BYTES, links: 'followed' });
  if (reading.kind === 'absent') return null;
  if (reading.kind === 'read') return reading.bytes.toString('utf8');
  if (reading.kind === 'refused' && reading.error !== null) throw reading.error;
  throw new Error(
    `${path} is no file that sluice wrote: ${reading.kind === 'refused' ? 'not a regular file' : `${reading.size} bytes`}`,
  );
}

/** `empty` where there is no file. **Errors** ConfigError where the content is not what sluice wrote; nothing is replaced. */
export function readJsonFile<T>(path: string, schema: Schema<T>, empty: T): T {
  const text = readTextFile(path);
  if (text === null) return empty;
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const found = 'the file does not hold what sluice writes there';
    const mend = `Look at it, then move it away:  mv ${shellWord(path)} ${shellWord(`${path}.bad`)}`;
    const error = new ConfigError([
      problem('BadConfig', path, { key: path, found, rule: 'must be the JSON that sluice wrote', mend }),
    ]);
    error.cause = cause;
    throw error;
  }
}

/** Read, change, write, with no other process in between. */
export async function updateJsonFile<T>(
  path: string,
  shape: { schema: Schema<T>; empty: T },
  change: (value: T) => NoInfer<T>,
): Promise<T> {
  return underLock(path, () => {
    const next = change(readJsonFile(path, shape.schema, shape.empty));
    replaceFile(path, `${JSON.stringify(next, null, 2)}\n`);
    return next;
  });
}

/** Does `work` while no other process does its own with that file. It is synchronous, so the lock is held for a moment only. **Errors** those of `work`; ConfigError where another process keeps the lock. */
export async function underLock<T>(path: string, work: () => T): Promise<T> {
  const release = await takeLock(`${path}.lock`);
  try {
    return work();
  } finally {
    release();
  }
}

async function takeLock(lock: string): Promise<() => void> {
  const owner = nameOwner();
  const deadline = performance.now() + LOCK_WAIT_MS;
  while (!createPrivateFile(lock, owner)) {
    const holder = readTextFile(lock);
    if (holder !== null && isDead(holder)) breakLock(lock, holder);
    if (performance.now() > deadline) {
      const found = `another process holds it (${holder?.trim() ?? 'gone'})`;
      const mend = `If no sluice process is at work:  rm ${shellWord(lock)}`;
      throw new ConfigError([
        problem('BadConfig', lock, { key: lock, found, rule: 'one process writes at a time', mend }),
      ]);
    }
    await delay(LOCK_POLL_MS);
  }
  return () => rmSync(lock, { force: true });
}

/**
 * The right to remove a dead owner's lock is itself made once, under that owner's own name: two who saw the same dead lock
 * cannot remove it twice, and so never remove the lock of the one who came next. Where the one who made it died too, it is broken
 * as any lock is.
 */
function breakLock(lock: string, holder: string): void {
  const [, token = 'unknown'] = holder.trim().split(' ');
  const right = `${lock}.${/^[\w-]{1,64}$/.test(token) ? token : 'unknown'}`;
  if (!createPrivateFile(right, nameOwner())) {
    const breaker = readTextFile(right);
    if (breaker !== null && isDead(breaker)) breakLock(right, breaker);
    return;
  }
  if (readTextFile(lock) === holder) rmSync(lock, { force: true });
  rmSync(right, { force: true });
}

function nameOwner(): string {
  return `${process.pid} ${randomUUID()}\n`;
}

function isDead(holder: string): boolean {
  const pid = Number(holder.split(' ')[0]);
  return !Number.isSafeInteger(pid) || pid < 1 || sendSignal(pid, 0) === 'gone';
}

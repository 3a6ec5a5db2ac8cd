/**
 * The folder of a merge queue on a host, which says which queue that is. Who cleans it asks the server under its lock whether the queue is open, and each activity of a queue comes
 * past that lock before it touches anything: one of a queue that was opened after the answer begins when the cleaning is over.
 */
import { basename, join } from 'node:path';
import { makeFolder } from '../../config/home/make-folder.js';
import { type QueueRef, queueName } from '../../protocol/actors/merge-queue.js';
import { withRepositoryLock } from '../git/start/repository-lock.js';
import { type Durability, readJson, writeMark } from '../process/marks.js';

export const QUEUE_FILE = 'queue.json';

/** `stateDir`: of the queue. Effects: the folder, with its name in it. */
export function enterQueueFolder(
  stateDir: string,
  { repoKey, branch }: QueueRef,
  durability: Durability,
): Promise<void> {
  return withRepositoryLock(stateDir, async () => {
    const there = readQueueFolder(stateDir);
    if (there?.repoKey === repoKey && there.branch === branch) return;
    makeFolder(stateDir);
    writeMark(join(stateDir, QUEUE_FILE), JSON.stringify({ repoKey, branch }), durability);
  });
}

/** Alone: no activity of the queue begins meanwhile. */
export function aloneInQueueFolder<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  return withRepositoryLock(stateDir, work);
}

/** Null: the folder does not say it. */
export function readQueueFolder(stateDir: string): QueueRef | null {
  const { repoKey, branch } = readJson(join(stateDir, QUEUE_FILE)) ?? {};
  if (typeof repoKey !== 'string' || typeof branch !== 'string') return null;
  return basename(stateDir) === queueName({ repoKey, branch }) ? { repoKey, branch } : null;
}

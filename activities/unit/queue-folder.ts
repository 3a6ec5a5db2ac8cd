/**
 * The folder of a merge queue on a host, which says by whose branch it is named. Who cleans it asks the server under its lock whether the queue is open, and each activity of a queue comes
 * past that lock before it touches anything: one of a queue that was opened after the answer begins when the cleaning is over.
 */
import { basename, join } from 'node:path';
import { makeFolder } from '../../config/home/make-folder.js';
import { queueName } from '../../protocol/actors/merge-queue.js';
import { withRepositoryLock } from '../git/start/repository-lock.js';
import { type Durability, readJson, writeMark } from '../process/marks.js';

export const QUEUE_FILE = 'queue.json';

/** `stateDir`: of the queue. Effects: the folder, with its name in it. */
export function enterQueueFolder(stateDir: string, branch: string, durability: Durability): Promise<void> {
  return withRepositoryLock(stateDir, async () => {
    if (readQueueFolder(stateDir) === branch) return;
    makeFolder(stateDir);
    writeMark(join(stateDir, QUEUE_FILE), JSON.stringify({ branch }), durability);
  });
}

/** Alone: no activity of the queue begins meanwhile. */
export function aloneInQueueFolder<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  return withRepositoryLock(stateDir, work);
}

/** The branch of the queue; null: the folder does not say it. */
export function readQueueFolder(stateDir: string): string | null {
  const branch = readJson(join(stateDir, QUEUE_FILE))?.['branch'];
  return typeof branch === 'string' && basename(stateDir) === queueName({ branch }) ? branch : null;
}

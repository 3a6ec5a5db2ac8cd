/** Looks at a folder again when something of it changes. It takes a folder that does not exist yet, and a file system whose changes are not reported. */
import { watch } from 'node:fs';

export interface FolderFollower {
  /** Looks now; the last call after the end sees everything. Errors: those of the look. */
  readNow(): Promise<void>;
  close(): void;
}

/** **Unit** ms. Until the folder exists, and between two looks: changes that come faster are seen together. */
const LOOK_AGAIN_MS = 100;
/** For changes that nobody reports. */
const SAFETY_LOOK_MS = 1_000;

/** `isFollowed`: by the name of an entry; a system that names none, as null, may have changed any. One look is under way at a time. */
export function followFolder(
  dir: string,
  isFollowed: (name: string | null) => boolean,
  look: () => Promise<void>,
): FolderFollower {
  let closed = false;
  let watcher: ReturnType<typeof watch> | null = null;
  let reading: Promise<void> = Promise.resolve();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isDue = false;
  /** One that has not begun sees whatever is there when it does, so it is the look of everybody who asks meanwhile. */
  let next: Promise<void> | null = null;
  const begin = async () => {
    next = null;
    isDue = false;
    lookedAt = performance.now();
    if (!closed) await look();
  };
  const readNow = () => {
    next ??= reading.then(begin, begin);
    reading = next;
    return next;
  };
  // Nobody waits for these: what failed is tried again by the next look, and told by the one that somebody waits for.
  const lookAgain = () => void readNow().catch(() => {});
  const noteChange = () => {
    isDue = true;
    if (performance.now() - lookedAt >= LOOK_AGAIN_MS) lookAgain();
  };
  const attach = () => {
    if (closed || watcher !== null) return;
    try {
      watcher = watch(dir, (_, name) => (isFollowed(name) ? noteChange() : undefined));
      watcher.on('error', () => {
        watcher?.close();
        watcher = null;
      });
      lookAgain();
    } catch {
      // Not there yet: the timer looks again.
    }
  };
  attach();
  const timer = setInterval(() => {
    attach();
    if (isDue || performance.now() - lookedAt >= SAFETY_LOOK_MS) lookAgain();
  }, LOOK_AGAIN_MS);
  return {
    readNow,
    close() {
      closed = true;
      clearInterval(timer);
      watcher?.close();
    },
  };
}

/** Looks at a folder again when something of it changes. It takes a folder that does not exist yet, and a file system whose changes are not reported. */
import { watch } from 'node:fs';

export interface FolderFollower {
  /** Looks now; the last call after the end sees everything. Errors: those of the look. */
  readNow(): Promise<void>;
  close(): void;
}

/** **Unit** ms. Until the folder exists, and for changes that nobody reports. */
const LOOK_AGAIN_MS = 100;
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
  const readNow = () => {
    reading = reading.then(look, look);
    return reading;
  };
  // Nobody waits for these: what failed is tried again by the next look, and told by the one that somebody waits for.
  const lookAgain = () => void readNow().catch(() => {});
  const attach = () => {
    if (closed || watcher !== null) return;
    try {
      watcher = watch(dir, (_, name) => (isFollowed(name) ? lookAgain() : undefined));
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
  let sinceRead = 0;
  const timer = setInterval(() => {
    attach();
    sinceRead += LOOK_AGAIN_MS;
    if (sinceRead < SAFETY_LOOK_MS) return;
    sinceRead = 0;
    lookAgain();
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

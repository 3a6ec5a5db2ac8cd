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
  let isDue = false;
  const looks = new Looks(async () => {
    isDue = false;
    if (!closed) await look();
  });
  // Nobody waits for these: what failed is tried again by the next look, and told by the one that somebody waits for.
  const lookAgain = () => void looks.now().catch(() => {});
  const noteChange = () => {
    isDue = true;
    if (looks.agoMs >= LOOK_AGAIN_MS) lookAgain();
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
    if (isDue || looks.agoMs >= SAFETY_LOOK_MS) lookAgain();
  }, LOOK_AGAIN_MS);
  return {
    readNow: () => looks.now(),
    close() {
      closed = true;
      clearInterval(timer);
      watcher?.close();
    },
  };
}

/** One at a time. A look that has not begun sees whatever is there when it does, so it is that of everybody who asks meanwhile. */
class Looks {
  private last: Promise<void> = Promise.resolve();
  private next: Promise<void> | null = null;
  private beganAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly look: () => Promise<void>) {}

  /** Since the last one began. */
  get agoMs(): number {
    return performance.now() - this.beganAt;
  }

  /** Errors: those of the look. */
  now(): Promise<void> {
    const begin = async () => {
      this.next = null;
      this.beganAt = performance.now();
      await this.look();
    };
    this.next ??= this.last.then(begin, begin);
    this.last = this.next;
    return this.next;
  }
}

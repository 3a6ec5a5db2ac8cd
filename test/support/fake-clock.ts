/**
 * A wall clock of a process's own that a test can set while the process runs, by libfaketime. The clock that nobody can set stays the real one,
 * as it does where a person or NTP sets the time. The clock of the machine is never touched.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';

const NAME = 'faketime/libfaketime.so.1';

/** Debian and Ubuntu, Fedora, Arch and others, a build of one's own. */
const PLACES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib', '/usr/local/lib'];

const LIBRARY = PLACES.map((place) => `${place}/${NAME}`).find((path) => existsSync(path)) ?? null;

export const HAS_FAKE_CLOCK = LIBRARY !== null;
export const NO_FAKE_CLOCK = 'libfaketime is not installed (apt-get install libfaketime)';

export interface FakeClock {
  /** For the process whose clock it is. */
  readonly env: Readonly<Record<string, string>>;
  /** Ahead of the real one; a process sees it at its next look. Unit: seconds. */
  set(offset: number): void;
}

/** `file` is one of the test's own. */
export function fakeClock(file: string): FakeClock {
  const set = (offset: number) => {
    writeFileSync(`${file}.new`, `${offset < 0 ? '' : '+'}${offset}\n`);
    renameSync(`${file}.new`, file);
  };
  set(0);
  const env = {
    LD_PRELOAD: LIBRARY ?? '',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  return { env, set };
}

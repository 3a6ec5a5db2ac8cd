/**
 * What a process of ours has open because of whoever started it: a shell's `exec 60<folder`, the lock of flock(1), files of an editor or of a CI runner. It would be handed
 * on for as long as the engine lives, and who holds it reaches what it leads to past any sandbox (`/proc/self/fd/60/..`). The first thing that each of our
 * processes does is to close such descriptors. It lies in config/, the one place below command line, worker and activities that may touch files.
 */
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { codeOf } from './error-code.js';

/** Linux, where a descriptor tells its flags. */
const OWN_DESCRIPTORS = '/proc/self/fdinfo';

const LAST_OF_STDIO = 2;
/** In the octal number behind `flags:`. Source: proc_pid_fdinfo(5). */
const CLOSE_ON_EXEC = 0o2000000;

/** An argument such as the /dev/fd/63 that a shell puts in the place of `<(command)`. */
const NAMED = /\/(?:dev|proc\/self)\/fd\/(\d+)/;

/**
 * Closes every descriptor above 2 that a program started from here would get without being given it. Node opens all of its own with close-on-exec, libuv those of a
 * child too, so one without is foreign. Node itself sets the flag at its start on what it finds at 0 to 15: that one stays open here and is handed to nobody.
 * On macOS nothing is closed: libuv starts programs there with POSIX_SPAWN_CLOEXEC_DEFAULT, which hands on nothing that was not given.
 */
export function closeForeignDescriptors(named: readonly string[] = []): void {
  const kept = new Set(named.map((argument) => NAMED.exec(argument)?.[1]));
  for (const name of ownDescriptors()) {
    if (Number(name) > LAST_OF_STDIO && !kept.has(name) && isHandedOn(name)) closeSync(Number(name));
  }
}

function ownDescriptors(): readonly string[] {
  try {
    return readdirSync(OWN_DESCRIPTORS);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function isHandedOn(name: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`${OWN_DESCRIPTORS}/${name}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch (error) {
    // The one by which the list was read.
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

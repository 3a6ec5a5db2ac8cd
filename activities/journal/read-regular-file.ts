/** Reads a file of the run directory, where an agent can put anything: never waits for a FIFO, never follows a link, never takes in a flood. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { codeOf } from '../../config/error-code.js';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** What `open` says of something that is not there, or not a file of ours. */
const NOT_OURS: ReadonlySet<string | null> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES', 'EPERM', 'ENODEV']);

/** Undefined: nothing there, no regular file, not readable, or larger than `maxBytes`. */
export function readRegularFile(path: string, maxBytes: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (NOT_OURS.has(codeOf(error))) return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(file);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

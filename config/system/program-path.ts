/**
 * The PATH that programs are looked up in: the person's, without what an agent can write into.
 * Relative entries name another folder in every place, and `node_modules/.bin` is put in front by `npm run`.
 * It does not know repositories: an absolute entry inside one is the business of `resolveProgram`.
 */
import { delimiter, isAbsolute, sep } from 'node:path';

const BIN = `${sep}node_modules${sep}.bin`;

export function programPath(path: string): string {
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && !entry.replace(/[/\\]+$/, '').endsWith(BIN))
    .join(delimiter);
}

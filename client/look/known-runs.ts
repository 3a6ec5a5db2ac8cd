/** Where runs of this host may lie. What reads the list is loaded when it is needed, so that help does not pay for it. */
import { messageOf } from '../../config/system/error-code.js';
import { readForeignFile, textOf } from '../../config/system/foreign-file.js';
import { RefusedError } from '../../protocol/text/refusal.js';
import { foreignBlock } from '../views/foreign.js';
import { findRunsDir } from './find-runs-dir.js';

/** Where runs lie when nobody says otherwise, and where the original has them (V-97). */
const RUNS_DIRS = ['.sluice/runs', '.vibestrate/runs'];

/** Unit: bytes. A config that counts is far smaller. */
const MAX_LOOK_BYTES = 1024 * 1024;

/** The repositories on this host's list. Where it cannot be read, none, and `warn` is told what mends that. */
export async function knownRepositories(home: string, warn: (text: string) => void): Promise<readonly string[]> {
  const { listRepositories } = await import('../../config/home/host-list.js');
  try {
    return listRepositories(home);
  } catch (error) {
    const why = error instanceof RefusedError ? `${error.parts.what}\n  ${error.parts.mend}` : messageOf(error);
    warn(`The runs of the known repositories are not looked at: ${foreignBlock(why)}`);
    return [];
  }
}

/** Folders, relative to a repository, in which its runs may lie. Only looked at, so a config that is wrong is no error here. */
export async function runsDirsOf(root: string): Promise<readonly string[]> {
  const path = `${root}/.sluice/config.yaml`;
  // A link is a person's own way to keep a config elsewhere.
  const text = await readForeignFile(path, { maxBytes: MAX_LOOK_BYTES, links: 'followed' }).then(textOf, () => null);
  const named = findRunsDir(text ?? '');
  return [...new Set([...(named === null ? [] : [named]), ...RUNS_DIRS])];
}

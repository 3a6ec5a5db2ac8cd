/** The part of a change that is of one file, by its place among the changed files: a name is a word of no command, and git prints odd ones in a form of its own. */
import { diffTextUpTo } from '../repository.js';

export interface FilePatch {
  readonly patch: string;
  /** The rest of it was left out. */
  readonly isCut: boolean;
}

/** **Unit** characters. */
const MAX_PATCH_CHARS = 512 * 1024;
/** **Unit** bytes of the change of all files, which git prints whole. */
const MAX_CHANGE_BYTES = 16 * 1024 * 1024;

export interface AskedPatch {
  readonly repo: string;
  readonly baseSha: string;
  readonly headSha: string;
  /** From 0, as `diffFiles` lists them. */
  readonly place: number;
}

/** Null where there is no such file, or one of the commits is not here. Errors: RefusedError where git was ended, as of a change above 16 MiB. */
export async function readPatchOfFile({ repo, baseSha, headSha, place }: AskedPatch): Promise<FilePatch | null> {
  const whole = await diffTextUpTo(repo, { base: baseSha, head: headSha, maxBytes: MAX_CHANGE_BYTES });
  const part = whole === null ? undefined : partsOf(whole)[place];
  return part === undefined ? null : { patch: part.slice(0, MAX_PATCH_CHARS), isCut: part.length > MAX_PATCH_CHARS };
}

/** Within a part every line begins with another character. */
function partsOf(patch: string): readonly string[] {
  return patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
}

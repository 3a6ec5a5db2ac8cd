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

/**
 * One a file, as `diffFiles` counts them. Within a part every line begins with another character; a line ends with a line feed alone, whatever else a text may hold. A change of type is two
 * parts of one file: the old one is removed, the new one made, under one name.
 */
function partsOf(patch: string): readonly string[] {
  const parts = patch.split(/(?<=^|\n)(?=diff --git )/);
  return parts.flatMap((part, at) => {
    if (isNewHalf(part, parts[at - 1])) return [];
    const next = parts[at + 1];
    return [next !== undefined && isNewHalf(next, part) ? part + next : part];
  });
}

function isNewHalf(part: string, before: string | undefined): boolean {
  const [name, kind] = part.split('\n', 2);
  const [oldName, oldKind] = before?.split('\n', 2) ?? [];
  const isChange = kind?.startsWith('new file mode ') === true && oldKind?.startsWith('deleted file mode ') === true;
  return isChange && name === oldName;
}

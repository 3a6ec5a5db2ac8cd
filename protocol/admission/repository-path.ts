/** Paths that an agent names: relative, and inside the repository. Pure; whether a link leads out of it is for the host to see. Source: docs/requirements/skep.md "Formats". */
import { quoteValue } from './agent-text.js';

/** Unit: UTF-16 code units. */
const MAX_PATH_CHARS = 400;

type ReadPath = { readonly kind: 'path'; readonly path: string } | { readonly kind: 'bad'; readonly why: string };

/** Shape: `path` has no empty part, no `.` and no slash at its end. */
export function readRepositoryPath(value: unknown): ReadPath {
  if (typeof value !== 'string') return bad(value, 'it must be a text');
  if (value.length > MAX_PATH_CHARS) return bad(value, `a path has at most ${MAX_PATH_CHARS} characters`);
  // Format characters too: some file systems ignore them, so that `.g\u200cit` is `.git` there.
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(value)) return bad(value, 'it holds a character that cannot be seen');
  if (value.includes('\\')) return bad(value, 'parts of a path are parted by "/"');
  if (/^(?:\/|~(?:\/|$)|[A-Za-z]:)/.test(value)) return bad(value, 'it must be relative to the top of the repository');
  const parts = value.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0) return bad(value, 'it names no file');
  if (parts.includes('..')) return bad(value, 'it must stay inside the repository');
  if (parts.some(isGitDir)) return bad(value, 'what belongs to git is nobody’s to change');
  return { kind: 'path', path: parts.join('/') };
}

/** As Windows and macOS see it: without case, dots and spaces at the end, streams; and by its short name. Source: git, is_ntfs_dotgit. */
function isGitDir(part: string): boolean {
  return /^(?:\.git|git~1)[. ]*(?::.*)?$/i.test(part);
}

function bad(value: unknown, rule: string): ReadPath {
  return { kind: 'bad', why: `${quoteValue(value)} is no path: ${rule}` };
}

/** What a repository's backlog, ledger and runs are called by: a part of workflow ids, run ids and paths. Pure. */
const MAX_CHARS = 48;
const PROJECT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/;

export const PROJECT_RULE = `letters, digits, _ and -; 1 to ${MAX_CHARS} characters; the first a letter or a digit`;

export function isProject(text: string): boolean {
  return PROJECT.test(text);
}

/** The name of the repository's folder, as far as it can be one. `commonDir`: of git, absolute. */
export function projectOf(commonDir: string): string {
  const [last = '', parent = ''] = commonDir
    .split('/')
    .filter((part) => part !== '')
    .toReversed();
  const name = (last === '.git' ? parent : last.replace(/\.git$/, ''))
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_CHARS)
    .replace(/-+$/, '');
  return name === '' ? 'repo' : name;
}

/** What names a repository on a host: a part of paths. */
export function isRepoKey(text: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,99}$/.test(text);
}

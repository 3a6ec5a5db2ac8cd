/**
 * The folder of runs that a config names, by its line alone: whoever looks for runs is asked for no trust and needs no config that is right. The text is
 * a repository's, so it costs no more than its length.
 */

/** **Unit** characters; a path has at most as many. */
const MAX_LINE = 4096;

/** Of the first line with that key, at any depth. Null: none names a folder. */
export function findRunsDir(text: string): string | null {
  const said = /^ *runsDir:(.*)$/m.exec(text)?.[1]?.trim() ?? '';
  if (said.length > MAX_LINE) return null;
  const quote = /^["']/.exec(said)?.[0] ?? null;
  const named = (quote === null ? said.split('#')[0] : said.split(quote)[1])?.trim() ?? '';
  return named === '' || named.includes('..') ? null : named;
}

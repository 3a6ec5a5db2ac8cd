/** A text as one word of a command line. Pure. */

/** Shape: what sh, bash and zsh take for exactly this text, as an argument; in quotes, unless it has no character that any of them reads as more than itself. The text has no NUL. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Texts measured and cut by the columns that a terminal gives them. Pure. */

/** Cuts the end to a number of columns, with an ellipsis. */
export function truncate(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let cut = '';
  let used = 0;
  for (const char of text) {
    const next = used + columnsOf(char);
    if (next > width - 1) break;
    cut += char;
    used = next;
  }
  return `${cut}…`;
}

/** Cuts the beginning: the end is where somebody types. */
export function keepEnd(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const char of Array.from(text).toReversed()) {
    const next = used + columnsOf(char);
    if (next > width - 1) break;
    kept = char + kept;
    used = next;
  }
  return `…${kept}`;
}

/** Wide characters (CJK, emoji) take two columns; a rough rule that never counts too few for them. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    columns += (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xffe6) || code >= 0x1f300 ? 2 : 1;
  }
  return columns;
}

/** A generated part of a page that people write: what lies between two marks. */

export interface MarkedPart {
  readonly file: string;
  readonly begin: string;
  readonly end: string;
}

/** The page with that part written anew; the rest stays as it is. Errors: plain Error where the page has lost a mark. */
export function withPart(page: string, { file, begin, end }: MarkedPart, lines: readonly string[]): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`${file} must hold "${begin}" and, below it, "${end}"`);
  return [page.slice(0, before + begin.length), ...lines, page.slice(after)].join('\n');
}

/** Texts cut by the columns that a terminal gives them. Pure. */
import stringWidth from 'string-width';

const CHARACTERS = new Intl.Segmenter();

/** Cuts the end to a number of columns, with an ellipsis. */
export function truncate(text: string, width: number): string {
  return stringWidth(text) <= width ? text : `${firstOf(charactersOf(text), width - 1).join('')}…`;
}

/** Fills up to a number of columns. */
export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** Cuts the beginning: the end is where somebody types. */
export function keepEnd(text: string, width: number): string {
  return stringWidth(text) <= width
    ? text
    : `…${firstOf(charactersOf(text).toReversed(), width - 1)
        .toReversed()
        .join('')}`;
}

function charactersOf(text: string): readonly string[] {
  return Array.from(CHARACTERS.segment(text), ({ segment }) => segment);
}

function firstOf(characters: readonly string[], columns: number): readonly string[] {
  let used = 0;
  const end = characters.findIndex((character) => (used += stringWidth(character)) > columns);
  return end < 0 ? characters : characters.slice(0, end);
}

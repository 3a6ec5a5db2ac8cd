/** What a CLI said, as one printable line for people and for the table of phrases. */
import { withoutSequences } from '../../protocol/text/printable.js';

const MAX_CHARS = 1000;

export function oneLine(text: string | null): string {
  return withoutSequences((text ?? '').slice(0, 4 * MAX_CHARS))
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, MAX_CHARS);
}

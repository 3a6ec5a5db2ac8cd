/** Text that somebody else wrote, on its way to a person. Pure. */
import { printable, printableLine } from '../../protocol/text/printable.js';
import { redact } from '../../protocol/text/redact.js';

/** On one line: redacted, no control sequences, no bidi. */
export function foreign(text: string): string {
  return printableLine(redact(text)).trim();
}

/** The same for text whose lines matter. */
export function foreignBlock(text: string): string {
  return printable(redact(text));
}

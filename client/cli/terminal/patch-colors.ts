/** A patch as a terminal shows it: printable, and coloured by us, so that no byte of a file colours or moves anything. */
import { foreignBlock, type Io } from './io.js';

export function paintPatch(patch: string, { green, red, cyan, bold }: Io['colors']): string {
  return foreignBlock(patch)
    .split('\n')
    .map((line) => {
      if (/^(?:diff|index|---|\+\+\+) /.test(line)) return bold(line);
      if (line.startsWith('@@')) return cyan(line);
      if (line.startsWith('+')) return green(line);
      return line.startsWith('-') ? red(line) : line;
    })
    .join('\n');
}

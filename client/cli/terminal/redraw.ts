/** Lines on a terminal that are drawn again in their own place, and can be taken away. */
import stringWidth from 'string-width';
import type { Io } from './io.js';

export interface Redraw {
  /** In place of those that were drawn before. */
  draw(lines: readonly string[]): void;
  erase(): void;
}

export function createRedraw(io: Pick<Io, 'write' | 'columns'>): Redraw {
  let drawn: readonly string[] = [];
  const eraser = () => {
    // After the terminal became narrower the old lines take more rows than they were.
    const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / io.columns())), 0);
    return rows === 0 ? '' : `\r\u001b[${rows}A\u001b[0J`;
  };
  return {
    draw(lines) {
      io.write(`${eraser()}${lines.join('\n')}\n`);
      drawn = lines;
    },
    erase() {
      io.write(eraser());
      drawn = [];
    },
  };
}

import { describe, expect, it } from '@jest/globals';
import { createRedraw } from '../../../client/cli/terminal/redraw.js';

describe('lines that are drawn again in their place', () => {
  it('take away as many rows as they have, by what can be seen of them and how wide the terminal is now', () => {
    const written: string[] = [];
    let width = 20;
    const redraw = createRedraw({ write: (text) => written.push(text), columns: () => width });

    redraw.draw(['\u001b[31mtwelve chars\u001b[0m', '']);
    width = 10;
    redraw.draw(['one']);
    redraw.erase();
    redraw.erase();

    expect(written).toEqual([
      '\u001b[31mtwelve chars\u001b[0m\n\n',
      '\r\u001b[3A\u001b[0Jone\n',
      '\r\u001b[1A\u001b[0J',
      '',
    ]);
  });
});

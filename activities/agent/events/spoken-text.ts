/** The text that glances at events make: words that come in parts make lines, and whatever is not a part stands on lines of its own. */
import type { Glance } from '../contract.js';

export class SpokenText {
  private isLineOpen = false;

  /** What the glance adds to the text; of a command and its end nothing but the end of a line that was open. */
  add(glance: Glance): string {
    const text = 'text' in glance ? glance.text : '';
    if (glance.kind === 'piece') {
      if (text !== '') this.isLineOpen = !text.endsWith('\n');
      return text;
    }
    const end = this.isLineOpen ? '\n' : '';
    this.isLineOpen = false;
    return glance.kind === 'said' ? `${end}${text}\n` : end;
  }
}

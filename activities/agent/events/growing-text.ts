/**
 * The last text of a turn, which comes in parts: its middle is left out above `MAX_TEXT_BYTES`, now and then and not at each part, since each time
 * costs the whole text. So what a part costs does not grow with the text.
 */
import { MAX_TEXT_BYTES } from '../outcome/read-plain-turn.js';
import { boundText } from './event-fields.js';

const MAX_OPEN_CHARS = 4 * MAX_TEXT_BYTES;

export class GrowingText {
  private parts: string[] = [];
  private chars = 0;

  get text(): string {
    return boundText(this.parts.join(''));
  }

  get isEmpty(): boolean {
    return this.parts.length === 0;
  }

  add(part: string): void {
    this.parts.push(part);
    this.chars += part.length;
    if (this.chars < MAX_OPEN_CHARS) return;
    this.parts = [this.text];
    this.chars = 0;
  }

  clear(): void {
    this.parts = [];
    this.chars = 0;
  }
}

/** What a run is at just now, in words. Pure. The texts are foreign: the caller makes them printable. */
import type { LiveWork } from '../../../protocol/messages/live-work.js';
import { elapsed } from '../../views/waiting-text.js';

/** `npm test`, `set-up: npm ci`; null: an agent that has started nothing. */
export function workText({ kind, command }: LiveWork): string | null {
  return command === null ? null : `${kind === 'setup' ? 'set-up: ' : ''}${command}`;
}

/** The end of what it said, and below it what is at work: `npm test 0:12`. At most `room` lines. */
export function workLines(work: LiveWork, room: number, now: number): readonly string[] {
  const what = workText(work);
  const own = what === null ? [] : [`${what} ${elapsed(now - Date.parse(work.since))}`];
  return room <= 0 ? [] : [...work.lines, ...own].slice(-room);
}

/**
 * Single keys from a terminal. While somebody listens the terminal echoes nothing and sends no signals, so Ctrl+C and Ctrl+Z are served here.
 * What was typed before a listener asks something is not kept for it: the listener gets every key when it is typed.
 */
import type { ReadStream } from 'node:tty';

/** `text`: one character, or what was pasted, without line ends. */
export type Key =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'enter' | 'escape' | 'backspace' | 'clear' };

const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';

export type KeySource = Pick<ReadStream, 'setRawMode' | 'setEncoding' | 'on' | 'off' | 'resume' | 'pause'>;

/** Effects: raw mode until the answer is called. */
export function listenToKeys(stdin: KeySource, listener: (key: Key) => void, interrupt: () => void): () => void {
  const onData = (chunk: string) => {
    if (chunk.includes(CTRL_C)) interrupt();
    else if (chunk === CTRL_Z) suspend(stdin);
    else for (const key of keysOf(chunk)) listener(key);
  };
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.on('data', onData);
  stdin.resume();
  return () => {
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

/** What one read of a raw terminal means. A line end inside what was pasted is a space; only one at the end is Enter. */
export function keysOf(chunk: string): readonly Key[] {
  if (chunk === '\u001b') return [{ kind: 'escape' }];
  // Arrow and function keys mean nothing here.
  if (chunk.startsWith('\u001b')) return [];
  if (chunk === '\u007f' || chunk === '\b') return [{ kind: 'backspace' }];
  if (chunk === '\u0015') return [{ kind: 'clear' }];
  const ends = /[\r\n]+$/.test(chunk);
  const text = chunk
    .replace(/[\r\n]+$/, '')
    .replace(/[\r\n\t]+/g, ' ')
    .replace(/\p{Cc}/gu, '');
  return [...(text === '' ? [] : [{ kind: 'text' as const, text }]), ...(ends ? [{ kind: 'enter' as const }] : [])];
}

function suspend(stdin: KeySource): void {
  stdin.setRawMode(false);
  process.once('SIGCONT', () => stdin.setRawMode(true));
  process.kill(process.pid, 'SIGTSTP');
}

/**
 * What may be shown of a text that still grows: each piece that it answers is final. What was answered for a text is the beginning of what is answered for every
 * longer one, wherever the pieces end, and the beginning of what `redact` makes of the whole. No part of a secret of a known shape is in it.
 * Whole lines come redacted. Of the open one comes what stands before anything that could begin a secret, up to its last white space. The lines of a private
 * key are one line, up to its END. A line of more than 64 Ki characters is left out from there on, which is said in its place.
 */
import { KEY_BEGIN, nextKeyEnd, redact, type StreamRedactor, SUSPECT } from './redact.js';

/** **Unit** characters. Nobody reads a longer line while it is written, and what is open is held in memory. */
export const MAX_LINE_CHARS = 64 * 1024;

export const LEFT_OUT = '[the rest of this line, which is longer than 64 Ki characters, is left out]\n';

export class VisibleText implements StreamRedactor {
  /** The open line, and with it the lines of an open key. */
  private held = '';
  /** Of `held` that was answered. None of it is in a secret, so it is as it was given. */
  private shown = 0;
  /** Up to where `held` was looked through; behind a white space, which is in nothing that begins a secret. */
  private looked = 0;
  private isSuspect = false;
  /** Where the last line of `held` begins. */
  private lineAt = 0;
  private isLeavingOut = false;
  private readonly key = new OpenKey();

  push(chunk: string): string {
    const rest = this.isLeavingOut ? this.leave(chunk) : chunk;
    this.held += rest;
    return this.takeLines() + this.takeWords();
  }

  /** Of a text that ended by itself: a secret that was cut would not be known as one. */
  end(): string {
    const rest = redact(this.held).slice(this.shown);
    this.forget(this.held.length);
    return rest;
  }

  private takeLines(): string {
    const mayHoldKey = this.key.isOpen || this.held.includes('PRIVATE KEY');
    let begin = 0;
    for (let end = this.nextLine(); end > 0; end = this.nextLine()) {
      if (mayHoldKey) this.key.take(this.held.slice(this.lineAt, end));
      else this.key.pass(end - this.lineAt);
      this.lineAt = end;
      if (end - 1 - begin > MAX_LINE_CHARS) return this.leaveOut(begin, this.key.isOpen);
      if (!this.key.isOpen) begin = end;
    }
    return this.held.length - begin > MAX_LINE_CHARS ? this.leaveOut(begin, true) : this.takeTo(begin);
  }

  /** Behind the next newline; 0: there is none. */
  private nextLine(): number {
    return this.held.indexOf('\n', this.lineAt) + 1;
  }

  private takeTo(end: number): string {
    if (end === 0) return '';
    const lines = redact(this.held.slice(0, end)).slice(this.shown);
    this.forget(end);
    return lines;
  }

  private takeWords(): string {
    if (this.isSuspect) return '';
    const fresh = this.held.slice(this.looked);
    const suspect = fresh.slice(0, behindSpace(fresh)).search(SUSPECT);
    this.isSuspect = suspect >= 0;
    this.looked += behindSpace(suspect < 0 ? fresh : fresh.slice(0, suspect));
    const words = this.held.slice(this.shown, this.looked);
    this.shown = this.looked;
    return words;
  }

  /** The line that begins there is too long. What is shown of it depends on its beginning alone, not on how much of it was given at once. */
  private leaveOut(begin: number, goesOn: boolean): string {
    const before = this.takeTo(begin);
    const rest = this.held.slice(this.lineAt);
    this.held = this.held.slice(0, MAX_LINE_CHARS);
    const words = this.takeWords();
    this.forget(this.held.length);
    this.isLeavingOut = goesOn;
    return before + words + LEFT_OUT + this.push(rest);
  }

  /** Answers what stands behind the line that is left out. */
  private leave(text: string): string {
    let from = 0;
    for (let end = text.indexOf('\n') + 1; end > 0; end = text.indexOf('\n', from) + 1) {
      this.key.take(text.slice(from, end));
      from = end;
      if (this.key.isOpen) continue;
      this.isLeavingOut = false;
      return text.slice(from);
    }
    this.key.take(text.slice(from));
    return '';
  }

  private forget(chars: number): void {
    this.held = this.held.slice(chars);
    this.shown = 0;
    this.looked = 0;
    this.isSuspect = false;
    this.lineAt = Math.max(0, this.lineAt - chars);
  }
}

/** **Unit** characters. The most that `redact` takes for a key whose END is missing, and a little. */
const KEY_REACH_CHARS = 42 * 1024;

/** **Unit** characters. Longer than what begins or ends a key. */
const MARK_CHARS = 128;

/** Whether a text that comes in pieces may be inside of a private key. */
class OpenKey {
  private position = 0;
  /** Of the last BEGIN, and of what follows it; null: an END followed. */
  private begin: { readonly at: number; readonly body: number } | null = null;
  private lastBegin = -1;
  /** The end of a line that was taken in part. */
  private carried = '';

  get isOpen(): boolean {
    return this.begin !== null && this.position - this.begin.at <= KEY_REACH_CHARS;
  }

  /** A line, or a part of one. */
  take(text: string): void {
    const looked = this.carried + text;
    const base = this.position - this.carried.length;
    for (const { index, 0: mark } of looked.matchAll(KEY_BEGIN)) {
      const at = base + index;
      if (at <= this.lastBegin) continue;
      this.begin = { at, body: at + mark.length };
      this.lastBegin = at;
    }
    if (this.begin !== null && nextKeyEnd(looked, Math.max(0, this.begin.body - base)) !== null) this.begin = null;
    this.position += text.length;
    this.carried = text.endsWith('\n') ? '' : looked.slice(-MARK_CHARS);
  }

  /** Whole lines without any mark. */
  pass(chars: number): void {
    this.position += chars;
  }
}

/** 0: there is no white space. */
function behindSpace(text: string): number {
  let at = text.length;
  while (at > 0 && !SPACE.test(text.charAt(at - 1))) at -= 1;
  return at;
}

const SPACE = /\s/;

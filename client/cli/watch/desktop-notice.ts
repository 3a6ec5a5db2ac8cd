/**
 * A notice of the desktop, by way of the terminal that watches: OSC 9 and OSC 777, which terminals show or ignore. Only where output is a
 * terminal that moves its cursor; a multiplexer may swallow them. Text is redacted and holds nothing that the terminal would obey.
 */
import { foreign, type Io } from '../terminal/io.js';

export interface DesktopNotice {
  readonly title: string;
  readonly text: string;
}

const MAX_CHARS = 200;

/** Null where the terminal would print the sequence as text. Source: console_codes(4), which knows neither. */
export function noticeSequence({ title, text }: DesktopNotice, term: string | undefined): string | null {
  if (term === undefined || term === 'dumb' || term === 'linux') return null;
  // A semicolon separates the fields of 777; a digit at the start of 9 is a command of ConEmu.
  const fields = [title, text].map((field) => foreign(field).replaceAll(';', ',').slice(0, MAX_CHARS));
  const [head = '', body = ''] = fields;
  return `\u001b]9;${body === '' ? head : `${head}: ${body}`}\u0007\u001b]777;notify;${head};${body}\u0007`;
}

/** Does nothing where nobody could see it. */
export function noticeDesktop(io: Pick<Io, 'live' | 'env' | 'write'>, notice: DesktopNotice): void {
  const sequence = io.live ? noticeSequence(notice, io.env['TERM']) : null;
  if (sequence !== null) io.write(sequence);
}

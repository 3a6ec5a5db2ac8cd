/**
 * What a program says when an error reaches nobody: of a machine that has run out of something four lines, never a stack. It writes at once and without a stream, for
 * there may be no descriptor left to make one with.
 */
import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { messageOf } from './error-code.js';
import { systemTrouble } from './system-trouble.js';

const STDERR = 2;
const FAILED = 1;

interface LastWords {
  /** What is true then, as a sentence. */
  readonly now: string;
}

/** Effects: from now on an error that nobody catches ends this process with exit code 1 and says why on stderr. */
export function sayLastWords(said: LastWords): void {
  process.on('uncaughtException', (error: unknown) => {
    // Of a defect all that node itself would print.
    write(systemWords(error, said) ?? `${inspect(error)}\n`);
    process.exit(FAILED);
  });
}

/** **Shape** what, why, what is true now, what mends it, each with its newline. Null: it is not the machine. */
export function systemWords(error: unknown, { now }: LastWords): string | null {
  const trouble = systemTrouble(error, homeOfPerson());
  return trouble === null
    ? null
    : `sluice: ${trouble.short}: ${oneLine(messageOf(error))}\n  ${trouble.why}\n  ${now}\n  ${trouble.mend}\n`;
}

/** As config/home/home.ts, which may be what could not be loaded. */
function homeOfPerson(): string {
  return process.env['SLUICE_HOME'] || join(homedir(), '.sluice');
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

function write(text: string): void {
  try {
    writeSync(STDERR, text);
  } catch {
    // Nobody listens.
  }
}

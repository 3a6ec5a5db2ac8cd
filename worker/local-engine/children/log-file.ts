/** The engine's log files: appended by a descriptor that children inherit, turned over when they are long, one old one kept. */
import {
  closeSync,
  copyFileSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';

const TURN_OVER_BYTES = 1_000_000;
const TAIL_LINES = 5;
/** The last lines and a dump above them; the whole of a long log is more than the engine's heap. */
const TAIL_BYTES = 256 * 1024;

/** Effects: a file over a megabyte becomes `<file>.1`. The descriptor belongs to the caller. */
export function openLog(file: string): number {
  turnOver(file, () => renameSync(file, `${file}.1`));
  return openSync(file, 'a', 0o600);
}

/** Of one that processes hold open: they go on in the same file, for whoever appends writes at its end. What comes between copy and cut is lost. */
export function turnOverInUse(file: string): void {
  turnOver(file, () => {
    copyFileSync(file, `${file}.1`);
    truncateSync(file);
  });
}

function turnOver(file: string, change: () => void): void {
  try {
    if (statSync(file).size > TURN_OVER_BYTES) change();
  } catch {
    // It does not exist yet, or the disk is full: it stays as it is.
  }
}

/** A full disk costs the line and nothing else: the engine goes on. */
export function appendLine(log: number, line: string): void {
  try {
    writeSync(log, `${line}\n`);
  } catch {
    // There is nowhere left to say so.
  }
}

/** The last lines, for an error message, and above them why the program died where it went on with a dump of its stacks; empty if there are none. */
export function readTail(file: string): string {
  try {
    const lines = endOf(file).trimEnd().split('\n');
    const tail = lines.slice(-TAIL_LINES);
    return [...whyItDied(lines).filter((line) => !tail.includes(line)), ...tail].map(shortened).join('\n');
  } catch {
    return '';
  }
}

function endOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const from = Math.max(0, fstatSync(file).size - TAIL_BYTES);
    const bytes = Buffer.alloc(TAIL_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, TAIL_BYTES, from));
  } finally {
    closeSync(file);
  }
}

/** What a runtime says first as it dies; a dump of hundreds of lines follows. `runtime:` lines of Go explain it beforehand. */
const DEATH = /^(?:panic: |fatal error: )/i;
const BEFORE_DEATH = /^runtime: /;
/** Of a program that lived, so what died above was an earlier one. */
const OF_LIFE = /^(?:time=|\{|Temporal |Error: )/;
const MAX_DEATH_LINES = 5;

function whyItDied(lines: readonly string[]): readonly string[] {
  const death = lines.findLastIndex((line) => DEATH.test(line));
  if (death === -1 || lines.slice(death).some((line) => OF_LIFE.test(line))) return [];
  const before = lines.slice(0, death);
  const first = before.findLastIndex((line) => !BEFORE_DEATH.test(line)) + 1;
  return lines.slice(first, death + 1).slice(-MAX_DEATH_LINES);
}

/** Unit: characters. The server says in one line of thousands what needed what; the reason stands at its end. */
const [MAX_HEAD, MAX_END] = [200, 400];

function shortened(line: string): string {
  return line.length <= MAX_HEAD + MAX_END ? line : `${line.slice(0, MAX_HEAD)} … ${line.slice(-MAX_END)}`;
}

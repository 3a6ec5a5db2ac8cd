/**
 * The marks of a command on disk: claim.json, exit.json, the end that was decided (`ending`) and the status noted by the parent `sh` (`raw`).
 * Each is written by temp file and rename, whatever a command put in its place; a torn or foreign one reads as absent, never as an answer.
 * Read by hand, without a schema library: the guard must start in milliseconds and stay small.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../config/system/error-code.js';
import { readForeignFileSync } from '../../config/system/foreign-file.js';
import { flushFolder, replaceFile } from '../../config/system/replace-file.js';
import { isRecord, parseRecord } from '../../protocol/text/json.js';
import { type Claim, type CommandLimits, EXIT_REASONS, type ExitReason, type ExitRecord } from './contract.js';

export type Durability = 'process' | 'power';

export const EXIT_FILE = 'exit.json';
export const CLAIM_FILE = 'claim.json';
export const RAW_FILE = 'raw';
export const STDOUT_FILE = 'stdout';
export const STDERR_FILE = 'stderr';
/** Records of another input are moved into `stale/<n>`. */
export const STALE_FOLDER = 'stale';

const ENDING_FILE = 'ending';
const EXIT_TEMP = 'exit.json.tmp';

/** Every file of a start; moved aside together. */
export const MARK_FILES = [CLAIM_FILE, EXIT_FILE, RAW_FILE, ENDING_FILE, STDOUT_FILE, STDERR_FILE] as const;

/** What the guard reads of a command that has ended, or that a former guard started. */
export const READ_AT_END = [CLAIM_FILE, EXIT_FILE, RAW_FILE, ENDING_FILE] as const;

/** Unit: bytes. The largest is a run's record: a task of 256 KB and a policy. */
export const MAX_MARK_BYTES = 16 * 1024 * 1024;

/** Room for exit.json on a full disk: two absolute paths of 4 096 bytes, JSON-escaped, and the rest. */
const EXIT_RESERVED_BYTES = 32 * 1024;

export function readExit(dir: string): ExitRecord | null {
  const value = readJson(join(dir, EXIT_FILE));
  return value !== null && isExit(value) ? value : null;
}

export function readClaim(dir: string): Claim | null {
  const value = readJson(join(dir, CLAIM_FILE));
  return value !== null && isClaim(value) ? value : null;
}

/** The exit status noted by `sh`. A line that does not end is a torn write. */
export function readRaw(dir: string): number | null {
  const match = /^(\d{1,3})\n/.exec(readText(join(dir, RAW_FILE)) ?? '');
  return match === null ? null : Number(match[1]);
}

/** The reason of an end that was decided but perhaps not carried out. */
export function readEnding(dir: string): ExitReason | null {
  const text = readText(join(dir, ENDING_FILE))?.trim();
  return EXIT_REASONS.find((reason) => reason === text) ?? null;
}

export function writeEnding(dir: string, reason: ExitReason, durability: Durability): void {
  writeMark(join(dir, ENDING_FILE), `${reason}\n`, durability);
}

export function writeClaim(dir: string, claim: Claim, durability: Durability): void {
  writeMark(join(dir, CLAIM_FILE), JSON.stringify(claim), durability);
}

/** Takes the room of `raw` and exit.json before the go byte, so that a disk that fills up later cannot lose the end. */
export function reserveExit(dir: string): void {
  writeFileSync(join(dir, RAW_FILE), '    ');
  writeFileSync(join(dir, EXIT_TEMP), Buffer.alloc(EXIT_RESERVED_BYTES, ' '));
}

/** Writes into the reserved room. Errors: those of the disk; the caller keeps the record and tries again. */
export function writeExit(dir: string, exit: ExitRecord, durability: Durability): void {
  const text = Buffer.from(JSON.stringify(exit));
  const temp = join(dir, EXIT_TEMP);
  const fd = openReserved(temp);
  try {
    writeSync(fd, text, 0, text.length, 0);
    ftruncateSync(fd, text.length);
    if (durability === 'power') fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  freeFolder(join(dir, EXIT_FILE));
  renameSync(temp, join(dir, EXIT_FILE));
  if (durability === 'power') flushFolder(dir);
}

/** Errors: those of the disk; the old mark stays then, and no temp file is left. */
export function writeMark(path: string, text: string, durability: Durability): void {
  freeFolder(path);
  replaceFile(path, text, durability === 'power' ? 'flushed' : 'written');
}

/** Adds a line to a mark that is there; one that is none of ours stays as it is. Errors: those of the disk; a torn line may be left, which the next one ends. */
export function extendMark(path: string, line: string, durability: Durability): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return;
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    writeFileSync(fd, `\n${line}`);
    if (durability === 'power') fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Of a mark that is extended; none where there is no mark. */
export function readLines(path: string): readonly string[] {
  return readText(path)?.split('\n') ?? [];
}

/** Forgets the start before the next one, whatever stands under its names; its claim stays until it is replaced, for it holds the count of starts. */
export function clearForStart(dir: string): void {
  for (const name of [EXIT_FILE, ENDING_FILE, RAW_FILE, EXIT_TEMP, STDOUT_FILE, STDERR_FILE]) {
    rmSync(join(dir, name), { force: true, recursive: true });
  }
}

export function readJson(path: string): Readonly<Record<string, unknown>> | null {
  return parseRecord(readText(path));
}

export function isLimits(value: unknown): value is CommandLimits {
  return (
    isRecord(value) &&
    [value.timeoutMs, value.killGraceMs, value.outputBytes].every((limit) => typeof limit === 'number' && limit >= 0) &&
    (value.stallMs === null || (typeof value.stallMs === 'number' && value.stallMs > 0))
  );
}

/** Takes a name for a file of ours: a file or a link goes, a folder stays beside it under another name, for there may be anything in it. */
export function freeName(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) {
    renameSync(path, `${path}.${randomUUID()}.foreign`);
  } else if (found !== undefined) {
    rmSync(path, { force: true });
  }
}

/** A rename replaces all but a folder. */
function freeFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) freeName(path);
}

/** To read and to write, for us alone. */
const OWN_MODE = 0o600;

/** The room itself, unless a command put something else there. */
function openReserved(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true && found.nlink === 1 && (found.mode & OWN_MODE) === OWN_MODE) {
    return openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  }
  freeName(path);
  return openSync(path, 'wx', OWN_MODE);
}

/** Ours, and not to be read now: that it was there must not be forgotten. */
const KEPT_FROM_US: ReadonlySet<string | null> = new Set(['EACCES', 'EAGAIN', 'EPERM']);

/** A file that is not there, or no mark by its kind or size, reads as absent; any other trouble is the caller's to hear. */
function readText(path: string): string | null {
  const reading = readForeignFileSync(path, { maxBytes: MAX_MARK_BYTES });
  if (reading.kind === 'refused' && KEPT_FROM_US.has(codeOf(reading.error))) throw reading.error;
  return reading.kind === 'read' ? reading.bytes.toString('utf8') : null;
}

function isExit(value: object): value is ExitRecord {
  const exit: Partial<Record<keyof ExitRecord, unknown>> = value;
  return (
    areStrings([exit.token, exit.inputHash, exit.startedAt, exit.endedAt, exit.stdout, exit.stderr, exit.claimedAt]) &&
    EXIT_REASONS.some((reason) => reason === exit.reason) &&
    (exit.exitCode === null || typeof exit.exitCode === 'number') &&
    (exit.signal === null || typeof exit.signal === 'string') &&
    typeof exit.stdoutBytes === 'number' &&
    typeof exit.stderrBytes === 'number' &&
    typeof exit.ranMs === 'number' &&
    typeof exit.diskFull === 'boolean'
  );
}

function isClaim(value: object): value is Claim {
  const claim: Partial<Record<keyof Claim, unknown>> = value;
  return (
    areStrings([claim.token, claim.group, claim.inputHash, claim.claimedAt, claim.pidStart, claim.bootId]) &&
    typeof claim.starts === 'number' &&
    typeof claim.pid === 'number' &&
    (claim.limitMark === null || typeof claim.limitMark === 'string') &&
    isLimits(claim.limits)
  );
}

function areStrings(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}

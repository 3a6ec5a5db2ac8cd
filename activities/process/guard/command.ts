/**
 * One running command: its limits, its end and the exit record. The reason of an end is decided once, the first one wins, and is written down
 * before the first signal, so that the next guard knows it too. The record comes only after nothing of the command lives.
 */
import { statfsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failpoint } from '../../../protocol/failpoints.js';
import type { Claim, ExitReason, ExitRecord } from '../contract.js';
import { type Durability, readEnding, readRaw, STDERR_FILE, STDOUT_FILE, writeEnding, writeExit } from '../marks.js';
import { makeFolderAgain } from './command-folder.js';
import { cutOutput, measureOutput, takeFolderBack } from './cut-output.js';
import type { GuardLog } from './guard-log.js';
import { SIGNAL_BASE } from './parent-shell.js';
import { type ProcessTable, readAge, type Trace } from './process-table.js';
import { endEverything } from './sweep.js';

export interface Command {
  readonly claim: Claim;
  readonly dir: string;
  /** After exit.json is on disk. Null: gone, and nobody knows how. */
  readonly ended: Promise<ExitRecord | null>;
  /** Resolves like `ended`. A later reason changes nothing. */
  end(reason: ExitReason): Promise<ExitRecord | null>;
  /** Looks at time and output; called every WATCH_MS. */
  watch(): void;
}

export interface ShellEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface CommandParts {
  readonly claim: Claim;
  readonly dir: string;
  /** The parent `sh` is a former guard's child: its status is known from `raw` alone. */
  readonly adopted: boolean;
  readonly shellEnded: Promise<ShellEnd>;
}

export interface CommandDeps {
  readonly table: ProcessTable;
  readonly durability: Durability;
  readonly failpoint: Failpoint;
  readonly log: GuardLog;
}

/** Source: the output limit is overshot by what a flood writes in this time. */
export const WATCH_MS = 50;

const WRITE_AGAIN_MS = 250;

/** A program with less room than this may have been cut off in the middle of a word. Unit: bytes. */
const FULL_BYTES = 64 * 1024;

export function tendCommand(parts: CommandParts, deps: CommandDeps): Command {
  return new TendedCommand(parts, deps);
}

class TendedCommand implements Command {
  readonly claim: Claim;
  readonly dir: string;
  readonly ended: Promise<ExitRecord | null>;
  private readonly trace: Trace;
  private readonly startedMs: number;
  private reason: ExitReason | null;
  private shellHasEnded = false;
  private graceUntil = 0;
  /** Of an end that was asked for. */
  private ending: Promise<void> | null = null;
  private bytes = 0;
  private grewMs = performance.now();

  constructor(
    private readonly parts: CommandParts,
    private readonly deps: CommandDeps,
  ) {
    this.claim = parts.claim;
    this.dir = parts.dir;
    this.trace = { token: this.claim.token, limitMark: this.claim.limitMark, pid: this.claim.pid };
    this.startedMs = performance.now() - (parts.adopted ? ageOfAdopted(this.claim) : 0);
    this.reason = readEnding(this.dir);
    // With a reason already: the former guard died between its decision and the end.
    if (parts.adopted && this.reason !== null) this.endWithin(this.claim.limits.killGraceMs);
    this.ended = this.tend();
  }

  end(why: ExitReason): Promise<ExitRecord | null> {
    if (this.reason !== null || this.shellHasEnded) return this.ended;
    this.decide(why);
    // A flood goes on through any grace.
    this.endWithin(why === 'output_limit' ? 0 : this.claim.limits.killGraceMs);
    return this.ended;
  }

  watch(): void {
    if (this.reason !== null || this.shellHasEnded) return;
    const { limits } = this.claim;
    const now = performance.now();
    const size = measureOutput(this.dir);
    if (size.stdout + size.stderr !== this.bytes) {
      this.bytes = size.stdout + size.stderr;
      this.grewMs = now;
    }
    if (now - this.startedMs >= limits.timeoutMs) void this.end('timed_out');
    else if (this.bytes > limits.outputBytes) void this.end('output_limit');
    else if (limits.stallMs !== null && now - this.grewMs >= limits.stallMs) void this.end('stalled');
  }

  /** Nothing lives that could write any more. The reason is down before the cut, after which nobody could find it. */
  private judgeOutput(): void {
    const { dir, deps, claim } = this;
    try {
      if (!makeFolderAgain(dir, claim)) return;
      const { stdout, stderr } = measureOutput(dir);
      if (this.reason === null && stdout + stderr > claim.limits.outputBytes) this.decide('output_limit');
      cutOutput(dir, claim.limits.outputBytes);
    } catch (error) {
      deps.log('the output of a command could not be put in order', { token: claim.token, message: String(error) });
    }
  }

  private decide(why: ExitReason): void {
    this.reason = why;
    try {
      writeEnding(this.dir, why, this.deps.durability);
    } catch {
      this.deps.log('the reason of an end could not be written', { token: this.claim.token, reason: why });
    }
  }

  private endWithin(graceMs: number): void {
    this.graceUntil = performance.now() + graceMs;
    this.ending = endEverything(this.deps.table, this.trace, graceMs);
  }

  private async tend(): Promise<ExitRecord | null> {
    const { parts, deps, claim, dir } = this;
    const shell = await parts.shellEnded;
    this.shellHasEnded = true;
    deps.failpoint('guard.before-sweep');
    await endEverything(
      deps.table,
      this.trace,
      this.reason === null ? claim.limits.killGraceMs : Math.max(0, this.graceUntil - performance.now()),
    );
    // It may still be between two passes: the next would find what is started under this token once the end is told.
    await this.ending;
    takeFolderBack(dir);
    const code = readRaw(dir) ?? shell.code;
    if (parts.adopted && code === null && this.reason === null) {
      deps.log('a command was lost with its guard', { token: claim.token });
      return null;
    }
    this.judgeOutput();
    const exit = exitRecord({
      parts,
      reason: this.reason ?? 'exited',
      code,
      shellSignal: shell.signal,
      ranMs: performance.now() - this.startedMs,
    });
    deps.failpoint('guard.before-exit');
    await writeUntilItHolds(parts, exit, deps);
    deps.failpoint('guard.after-exit');
    return exit;
  }
}

interface Ending {
  readonly parts: CommandParts;
  readonly reason: ExitReason;
  readonly code: number | null;
  readonly shellSignal: string | null;
  readonly ranMs: number;
}

function exitRecord({ parts, reason, code, shellSignal, ranMs }: Ending): ExitRecord {
  const size = measureOutput(parts.dir);
  return {
    token: parts.claim.token,
    inputHash: parts.claim.inputHash,
    reason,
    exitCode: code,
    signal: code === null ? shellSignal : signalOf(code),
    startedAt: parts.claim.claimedAt,
    endedAt: new Date().toISOString(),
    ranMs: Math.round(ranMs),
    diskFull: isDiskFull(parts.dir),
    stdoutBytes: size.stdout,
    stderrBytes: size.stderr,
    stdout: join(parts.dir, STDOUT_FILE),
    stderr: join(parts.dir, STDERR_FILE),
    claimedAt: parts.claim.claimedAt,
  };
}

/** The clock may have been set since the claim; only a command that ended before anybody looked has nothing better. */
function ageOfAdopted({ pid, pidStart, claimedAt }: Claim): number {
  return readAge(pid, pidStart) ?? Math.max(0, Date.now() - Date.parse(claimedAt));
}

function isDiskFull(dir: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize < FULL_BYTES;
  } catch {
    return false;
  }
}

function signalOf(code: number): string | null {
  const number = code - SIGNAL_BASE;
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;
}

/** A full disk passes; the folder of a run that somebody removed does not come back, and the record is still told to whoever waits. */
async function writeUntilItHolds({ dir, claim }: CommandParts, exit: ExitRecord, deps: CommandDeps): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (makeFolderAgain(dir, claim)) writeExit(dir, exit, deps.durability);
      return;
    } catch {
      if (tries === 1) {
        deps.log('an exit record could not be written; it is kept in memory and tried again', { token: exit.token });
      }
      await sleep(WRITE_AGAIN_MS);
    }
  }
}

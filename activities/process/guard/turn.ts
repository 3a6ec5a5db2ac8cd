/**
 * One running command: its limits, its end and the exit record. The reason of an end is decided once, the first one wins, and is written down
 * before the first signal, so that the next guard knows it too. The record comes only after nothing of the command lives.
 */
import { existsSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failpoint } from '../../../protocol/failpoints.js';
import type { Claim, ExitReason, ExitRecord } from '../contract.js';
import { type Durability, readEnding, readRaw, STDERR_FILE, STDOUT_FILE, writeEnding, writeExit } from '../marks.js';
import type { GuardLog } from './guard-log.js';
import { SIGNAL_BASE } from './parent-shell.js';
import type { ProcessTable, Trace } from './process-table.js';
import { endEverything } from './sweep.js';

export interface Turn {
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

export interface TurnParts {
  readonly claim: Claim;
  readonly dir: string;
  /** The parent `sh` is a former guard's child: its status is known from `raw` alone. */
  readonly adopted: boolean;
  readonly shellEnded: Promise<ShellEnd>;
}

export interface TurnDeps {
  readonly table: ProcessTable;
  readonly durability: Durability;
  readonly failpoint: Failpoint;
  readonly log: GuardLog;
}

/** Source: the output limit is overshot by what a flood writes in this time. */
export const WATCH_MS = 50;

const WRITE_AGAIN_MS = 250;

export function tendTurn(parts: TurnParts, deps: TurnDeps): Turn {
  const { claim, dir } = parts;
  const { limits } = claim;
  const trace: Trace = { token: claim.token, limitMark: claim.limitMark, pid: claim.pid };
  const startedMs = performance.now() - Math.max(0, Date.now() - Date.parse(claim.claimedAt));
  let reason = readEnding(dir);
  let shellHasEnded = false;
  let graceUntil = 0;
  let bytes = 0;
  let grewMs = performance.now();

  const tend = async (): Promise<ExitRecord | null> => {
    const shell = await parts.shellEnded;
    shellHasEnded = true;
    await endEverything(deps.table, trace, reason === null ? limits.killGraceMs : Math.max(0, graceUntil - performance.now()));
    const code = readRaw(dir) ?? shell.code;
    if (parts.adopted && code === null && reason === null) {
      deps.log('a command was lost with its guard', { token: claim.token });
      return null;
    }
    const exit = exitRecord({ parts, reason: reason ?? 'exited', code, shellSignal: shell.signal });
    deps.failpoint('guard.before-exit');
    await writeUntilItHolds(dir, exit, deps);
    deps.failpoint('guard.after-exit');
    return exit;
  };
  const ended = tend();

  const end = (why: ExitReason): Promise<ExitRecord | null> => {
    if (reason === null && !shellHasEnded) {
      reason = why;
      // A flood goes on through any grace.
      const graceMs = why === 'output_limit' ? 0 : limits.killGraceMs;
      graceUntil = performance.now() + graceMs;
      try {
        writeEnding(dir, why, deps.durability);
      } catch {
        deps.log('the reason of an end could not be written', { token: claim.token, reason: why });
      }
      void endEverything(deps.table, trace, graceMs);
    }
    return ended;
  };

  const watch = () => {
    if (reason !== null || shellHasEnded) {
      return;
    }
    const now = performance.now();
    const size = outputSize(dir);
    if (size.stdout + size.stderr !== bytes) {
      bytes = size.stdout + size.stderr;
      grewMs = now;
    }
    if (now - startedMs >= limits.timeoutMs) {
      void end('timed_out');
    } else if (bytes > limits.outputBytes) {
      void end('output_limit');
    } else if (limits.stallMs !== null && now - grewMs >= limits.stallMs) {
      void end('stalled');
    }
  };

  if (parts.adopted && reason !== null) {
    // The former guard died between its decision and the end.
    graceUntil = performance.now() + limits.killGraceMs;
    void endEverything(deps.table, trace, limits.killGraceMs);
  }
  return { claim, dir, ended, end, watch };
}

interface Ending {
  readonly parts: TurnParts;
  readonly reason: ExitReason;
  readonly code: number | null;
  readonly shellSignal: string | null;
}

function exitRecord({ parts, reason, code, shellSignal }: Ending): ExitRecord {
  const size = outputSize(parts.dir);
  return {
    token: parts.claim.token,
    inputHash: parts.claim.inputHash,
    reason,
    exitCode: code,
    signal: code === null ? shellSignal : signalOf(code),
    startedAt: parts.claim.claimedAt,
    endedAt: new Date().toISOString(),
    stdoutBytes: size.stdout,
    stderrBytes: size.stderr,
    stdout: join(parts.dir, STDOUT_FILE),
    stderr: join(parts.dir, STDERR_FILE),
    claimedAt: parts.claim.claimedAt,
  };
}

function signalOf(code: number): string | null {
  const number = code - SIGNAL_BASE;
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;
}

/** A full disk passes; a folder that somebody removed does not come back, and the record is still told to whoever waits. */
async function writeUntilItHolds(dir: string, exit: ExitRecord, deps: TurnDeps): Promise<void> {
  for (let tries = 1; existsSync(dir); tries += 1) {
    try {
      writeExit(dir, exit, deps.durability);
      return;
    } catch {
      if (tries === 1) {
        deps.log('an exit record could not be written; it is kept in memory and tried again', { token: exit.token });
      }
      await sleep(WRITE_AGAIN_MS);
    }
  }
}

function outputSize(dir: string): { readonly stdout: number; readonly stderr: number } {
  const sizeOf = (name: string) => statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0;
  return { stdout: sizeOf(STDOUT_FILE), stderr: sizeOf(STDERR_FILE) };
}

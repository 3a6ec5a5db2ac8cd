/**
 * All commands of this guard: reserve, start, end, adopt. Everything about one token happens one after the other, for a sweep of one attempt
 * must never meet the fresh start of another. A reservation belongs to a connection and falls with it; a start needs a reservation.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSerializer } from '../../../config/system/serialize.js';
import { MAX_LOST_STARTS } from '../../../protocol/limits.js';
import type { Claim, CommandSpec, ExitReason, LiveCommand } from '../contract.js';
import {
  clearForStart,
  MARK_FILES,
  readClaim,
  readExit,
  reserveExit,
  STALE_FOLDER,
  STDERR_FILE,
  STDOUT_FILE,
  writeClaim,
  writeExit,
} from '../marks.js';
import { baseOf, type Reply } from '../wire.js';
import { checkPlaces, checkProgram, refusalOf } from './check-spec.js';
import { type Command, type CommandDeps, type ShellEnd, tendCommand } from './command.js';
import type { CommandList, ListedCommand } from './command-list.js';
import { takeFolderBack } from './cut-output.js';
import type { LimitMarks } from './limit-mark.js';
import { type ParentShell, spawnParentShell } from './parent-shell.js';
import { isAlive, readBootId, readStat } from './process-table.js';
import { endEverything } from './sweep.js';

export const ADOPTED_WATCH_MS = 50;

/** Whoever reserves; compared by identity. */
export type Owner = object;

export interface Asked {
  readonly owner: Owner;
  /** An end `aborted` is no answer. */
  readonly again: boolean;
}

export interface CommandsDeps extends CommandDeps {
  readonly list: CommandList;
  readonly marks: LimitMarks;
}

export interface Commands {
  /** Answers a finished command, names a running one, or sweeps and reserves. */
  reserve(spec: CommandSpec, asked: Asked): Promise<Reply>;
  /** The claim, then the go byte. */
  go(token: string, owner: Owner): Promise<Reply>;
  /** Lets reservations fall; without a token all of this owner. */
  drop(owner: Owner, token?: string): void;
  get(token: string): Command | null;
  all(): readonly Command[];
  live(): readonly LiveCommand[];
  /** No command and no reservation. */
  isEmpty(): boolean;
  end(token: string, reason: ExitReason): Promise<void>;
  endGroup(group: string, exceptBase: string | null, reason: ExitReason): Promise<void>;
  /** Takes over what dead guards left; a look at a small folder. */
  adoptOrphans(): void;
}

/** A start from when it was asked for: an end of its token or group that comes before its reservation ends it too. */
interface Start {
  readonly spec: CommandSpec;
  ended: ExitReason | null;
}

interface Reservation {
  readonly spec: CommandSpec;
  readonly owner: Owner;
  readonly starts: number;
  readonly movedAside: boolean;
  readonly settled: Promise<void>;
  readonly settle: () => void;
}

export function createCommands(deps: CommandsDeps): Commands {
  return new GuardCommands(deps);
}

class GuardCommands implements Commands {
  private readonly commands = new Map<string, Command>();
  private readonly reservations = new Map<string, Reservation>();
  private readonly starting = new Set<Start>();
  /** One thing at a time for a token. */
  private readonly inOrder = createSerializer();
  private readonly bootId = readBootId();

  constructor(private readonly deps: CommandsDeps) {}

  async reserve(spec: CommandSpec, asked: Asked): Promise<Reply> {
    const start: Start = { spec, ended: null };
    this.starting.add(start);
    try {
      return await this.inOrder(spec.token, () => this.reserveNow(start, asked));
    } finally {
      this.starting.delete(start);
    }
  }

  async go(token: string, owner: Owner): Promise<Reply> {
    const reservation = this.reservations.get(token);
    return reservation === undefined || reservation.owner !== owner ? { kind: 'unknown' } : this.goNow(reservation);
  }

  drop(owner: Owner, token?: string): void {
    for (const reservation of Array.from(this.reservations.values())) {
      if (reservation.owner === owner && (token === undefined || reservation.spec.token === token)) {
        this.fall(reservation.spec.token);
      }
    }
  }

  get(token: string): Command | null {
    return this.commands.get(token) ?? null;
  }

  all(): readonly Command[] {
    return [...this.commands.values()];
  }

  live(): readonly LiveCommand[] {
    return this.all().map(({ claim }) => ({ token: claim.token, group: claim.group }));
  }

  isEmpty(): boolean {
    return this.commands.size === 0 && this.reservations.size === 0;
  }

  async end(token: string, reason: ExitReason): Promise<void> {
    this.endStarts((one) => one.token === token, reason);
    this.endReservation(token, reason);
    await this.commands.get(token)?.end(reason);
  }

  async endGroup(group: string, exceptBase: string | null, reason: ExitReason): Promise<void> {
    const isMeant = (one: LiveCommand) => one.group === group && baseOf(one.token) !== exceptBase;
    this.endStarts(isMeant, reason);
    for (const { spec } of Array.from(this.reservations.values())) {
      if (isMeant(spec)) this.endReservation(spec.token, reason);
    }
    const others = this.all().filter(({ claim }) => isMeant(claim));
    // Where one cannot be ended, nothing of the others lives any more when the caller hears of it.
    const ends = await Promise.allSettled(others.map((command) => command.end(reason)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  adoptOrphans(): void {
    for (const listed of this.deps.list.others()) {
      if (!listed.ownerLives && !this.commands.has(listed.token)) this.adoptIfReadable(listed);
    }
  }

  /** What cannot be read of one command is no reason to leave the others alone; it stays listed, and whoever asks for it hears why. */
  private adoptIfReadable(listed: ListedCommand): void {
    try {
      this.adopt(listed);
    } catch (error) {
      this.deps.log('a command of a former guard could not be adopted', {
        token: listed.token,
        message: String(error),
      });
    }
  }

  private async reserveNow(start: Start, { owner, again }: Asked): Promise<Reply> {
    const { spec } = start;
    while (this.reservations.has(spec.token)) await this.reservations.get(spec.token)?.settled;
    const listed = this.commands.has(spec.token) ? null : this.deps.list.get(spec.token);
    if (listed !== null) {
      if (listed.ownerLives && listed.dir === spec.dir && readExit(spec.dir) === null) return { kind: 'unknown' };
      this.adopt(listed);
    }
    const running = this.commands.get(spec.token);
    if (running !== undefined && running.claim.inputHash === spec.inputHash) {
      return { kind: 'running', movedAside: existsSync(join(spec.dir, STALE_FOLDER)) };
    }
    await running?.end('aborted');
    const movedAside = moveStaleAside(spec);
    const exit = readExit(spec.dir);
    if (exit !== null && exit.reason !== 'interrupted' && !(again && exit.reason === 'aborted')) {
      return { kind: 'ended', exit, movedAside };
    }
    checkProgram(spec);
    const former = readClaim(spec.dir);
    // A start that has an exit was not lost.
    const lost = exit === null ? (former?.starts ?? 0) : 0;
    if (lost >= MAX_LOST_STARTS) return { kind: 'crash_loop', starts: lost, movedAside };
    if (start.ended === null) await this.clearTheWay(spec, former);
    if (start.ended !== null) return this.answerEnded(spec, start.ended, movedAside);
    // Adopted meanwhile: the next look ends it.
    if (this.all().some(({ claim }) => claim.group === spec.group && baseOf(claim.token) !== baseOf(spec.token))) {
      return { kind: 'unknown' };
    }
    this.reservations.set(spec.token, { spec, owner, starts: lost + 1, movedAside, ...settleable() });
    return { kind: 'reserved', movedAside };
  }

  private async clearTheWay(spec: CommandSpec, former: Claim | null): Promise<void> {
    await this.endGroup(spec.group, baseOf(spec.token), 'aborted');
    if (former !== null) {
      // Without a claim there never was a go byte.
      await endEverything(this.deps.table, { token: spec.token, limitMark: former.limitMark, pid: -1 }, 0);
    }
  }

  /** Its place is not the newest of its run any more: to start it over would end that one. After an interruption it is to start again. */
  private answerEnded(spec: CommandSpec, reason: ExitReason, movedAside: boolean): Reply {
    recordNeverStarted(spec, reason, this.deps);
    const exit = readExit(spec.dir);
    return exit === null || reason === 'interrupted' ? { kind: 'unknown' } : { kind: 'ended', exit, movedAside };
  }

  private async goNow(reservation: Reservation): Promise<Reply> {
    const { deps } = this;
    const { spec } = reservation;
    let shell: ParentShell | null = null;
    try {
      checkPlaces(spec);
      deps.failpoint('guard.before-shell');
      clearForStart(spec.dir);
      reserveExit(spec.dir);
      const limitMark = deps.marks.draw((mark) => this.all().some((command) => command.claim.limitMark === mark));
      shell = await spawnParentShell(spec, limitMark === null ? [] : deps.marks.prefix(limitMark));
      if (this.reservations.get(spec.token) !== reservation) {
        // Ended, or its worker died, while the sh came up: a new look finds what is true now.
        shell.callOff();
        await shell.ended;
        return { kind: 'unknown' };
      }
      const claim = claimOf(reservation, { pid: shell.pid, limitMark, bootId: this.bootId });
      deps.list.own(spec.token, spec.dir);
      deps.failpoint('guard.before-claim');
      writeClaim(spec.dir, claim, deps.durability);
      deps.failpoint('guard.after-claim');
      shell.go();
      deps.failpoint('guard.after-go');
      this.keep(claim, spec.dir, { adopted: false, ended: shell.ended });
      return { kind: 'running', movedAside: reservation.movedAside };
    } catch (error) {
      shell?.callOff();
      await shell?.ended;
      deps.list.remove(spec.token);
      throw refusalOf(error, spec);
    } finally {
      if (this.reservations.get(spec.token) === reservation) this.fall(spec.token);
    }
  }

  private keep(
    claim: Claim,
    dir: string,
    shell: { readonly adopted: boolean; readonly ended: Promise<ShellEnd> },
  ): void {
    const command = tendCommand({ claim, dir, adopted: shell.adopted, shellEnded: shell.ended }, this.deps);
    this.commands.set(claim.token, command);
    const note = (sentence: string) => (error: unknown) =>
      this.deps.log(sentence, { token: claim.token, message: String(error) });
    const forget = () => {
      this.commands.delete(claim.token);
      this.deps.list.remove(claim.token);
    };
    void command.ended
      // Whoever waits for it looks again, and hears then what is in the way.
      .catch(note('a command could not be brought to its end'))
      .then(forget)
      .catch(note('a command that ended could not be taken off the list'));
  }

  private adopt(listed: ListedCommand): void {
    const { deps } = this;
    takeFolderBack(listed.dir);
    const claim = readClaim(listed.dir);
    if (claim === null || claim.token !== listed.token || readExit(listed.dir) !== null) {
      deps.list.remove(listed.token);
      return;
    }
    deps.list.own(listed.token, listed.dir);
    const lives = claim.bootId === this.bootId && isAlive(claim.pid, claim.pidStart);
    deps.log(lives ? 'adopted a running command' : 'found a command that ended without a guard', {
      token: claim.token,
    });
    // A pid of a dead `sh` proves nothing any more.
    this.keep(lives ? claim : { ...claim, pid: -1 }, listed.dir, {
      adopted: true,
      ended: untilGone(lives ? claim : null),
    });
  }

  private fall(token: string): void {
    const reservation = this.reservations.get(token);
    this.reservations.delete(token);
    reservation?.settle();
  }

  /** Each is told once it has waited for what was in its way. */
  private endStarts(isMeant: (one: LiveCommand) => boolean, reason: ExitReason): void {
    for (const start of this.starting) if (isMeant(start.spec)) start.ended ??= reason;
  }

  /** Ended before its first instruction: the record says so to whoever waits. */
  private endReservation(token: string, reason: ExitReason): void {
    const reservation = this.reservations.get(token);
    if (reservation !== undefined) {
      recordNeverStarted(reservation.spec, reason, this.deps);
      this.fall(token);
    }
  }
}

function settleable(): Pick<Reservation, 'settled' | 'settle'> {
  let settle = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { settled, settle };
}

function claimOf(reservation: Reservation, made: Pick<Claim, 'pid' | 'limitMark' | 'bootId'>): Claim {
  const { token, group, inputHash, limits } = reservation.spec;
  const pidStart = readStat(made.pid)?.start ?? '';
  return {
    token,
    group,
    inputHash,
    limits,
    starts: reservation.starts,
    pidStart,
    claimedAt: new Date().toISOString(),
    ...made,
  };
}

/** A former guard's child cannot be waited for. */
async function untilGone(claim: Claim | null): Promise<ShellEnd> {
  while (claim !== null && isAlive(claim.pid, claim.pidStart)) await sleep(ADOPTED_WATCH_MS);
  return { code: null, signal: null };
}

/** Records of another input are kept, but never answered. Shape: true also if an earlier attempt moved them. */
function moveStaleAside(spec: CommandSpec): boolean {
  const stale = [readClaim(spec.dir), readExit(spec.dir)].some(
    (mark) => mark !== null && (mark.inputHash !== spec.inputHash || mark.token !== spec.token),
  );
  if (stale) {
    const folder = join(spec.dir, STALE_FOLDER);
    const target = join(folder, String(existsSync(folder) ? readdirSync(folder).length + 1 : 1));
    mkdirSync(target, { recursive: true, mode: 0o700 });
    for (const name of MARK_FILES.filter((mark) => existsSync(join(spec.dir, mark)))) {
      renameSync(join(spec.dir, name), join(target, name));
    }
  }
  return existsSync(join(spec.dir, STALE_FOLDER));
}

function recordNeverStarted(spec: CommandSpec, reason: ExitReason, deps: CommandDeps): void {
  const now = new Date().toISOString();
  const stdout = join(spec.dir, STDOUT_FILE);
  const stderr = join(spec.dir, STDERR_FILE);
  const { token, inputHash } = spec;
  const times = { startedAt: now, endedAt: now, claimedAt: now };
  try {
    clearForStart(spec.dir);
    writeFileSync(stdout, '');
    writeFileSync(stderr, '');
    const nothing = {
      exitCode: null,
      signal: null,
      ranMs: 0,
      diskFull: false,
      stdoutBytes: 0,
      stderrBytes: 0,
      stdout,
      stderr,
    };
    writeExit(spec.dir, { token, inputHash, reason, ...times, ...nothing }, deps.durability);
  } catch {
    deps.log('the end of a command that never started could not be written', { token });
  }
}

/**
 * What the rest of the host side knows of processes: a command to run, how it ended, and who keeps it.
 * The guard owns processes and writes `exit.json`; callers own what an end means.
 */

/** Shape: every path is absolute; `dir` exists and belongs to this token alone. */
export interface CommandSpec {
  /** A place token or `<token>.<n>`. */
  readonly token: string;
  /** `<repoKey>/<runId>`. A start first ends every live command of the group that belongs to another place. */
  readonly group: string;
  readonly inputHash: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Complete: nothing is inherited. The guard adds the turn tag. */
  readonly env: Readonly<Record<string, string>>;
  /** A file, or null for /dev/null. */
  readonly stdin: string | null;
  /** Where claim.json, stdout, stderr, raw and exit.json lie. */
  readonly dir: string;
  readonly limits: CommandLimits;
}

export interface CommandLimits {
  readonly timeoutMs: number;
  /** Without growth of stdout and stderr for so long the command is ended; null: never. */
  readonly stallMs: number | null;
  /** Between TERM and KILL. */
  readonly killGraceMs: number;
  /** Of stdout and stderr together. */
  readonly outputBytes: number;
}

export const EXIT_REASONS = ['exited', 'timed_out', 'stalled', 'aborted', 'interrupted', 'output_limit'] as const;

/**
 * Why a command ended. `interrupted` is no answer: the command is started again. So is `aborted` for a caller that comes after it without a
 * cancel: somebody else's stop ended the command, and the server still wants it done.
 */
export type ExitReason = (typeof EXIT_REASONS)[number];

export type StopReason = Extract<ExitReason, 'aborted' | 'interrupted'>;

export interface ExitRecord {
  readonly token: string;
  readonly inputHash: string;
  readonly reason: ExitReason;
  /** As a shell reports it: 128 + n after signal n. Null if the parent `sh` was killed too. */
  readonly exitCode: number | null;
  /** The signal behind an exit code of 128 + n; a program that exits with such a code by itself looks the same. */
  readonly signal: string | null;
  /** ISO 8601, UTC, like all times here. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** By a clock that nobody can set. Unit: ms. */
  readonly ranMs: number;
  /** The disk of its output had no room left at its end: what it printed may be cut. */
  readonly diskFull: boolean;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Time of the claim: the times of the engine's commit are taken from it. */
  readonly claimedAt: string;
}

/** The durable mark before a start. Shape: never holds argv or env, which may carry secrets. */
export interface Claim {
  readonly token: string;
  readonly group: string;
  readonly inputHash: string;
  readonly claimedAt: string;
  /** Starts in a row without an exit, this one included. */
  readonly starts: number;
  /** Of the parent `sh`, in this boot of the host. */
  readonly pid: number;
  /** Clock ticks since boot; tells a pid from its next owner. */
  readonly pidStart: string;
  readonly bootId: string;
  /** `<soft>:<hard>` of RLIMIT_MSGQUEUE, or null where no such mark can be set. */
  readonly limitMark: string | null;
  readonly limits: CommandLimits;
}

/** Shape: `movedAside` says that records of another input lay in `dir` and are now in `dir/stale/<n>`. */
export type CommandEnd =
  | { readonly kind: 'ended'; readonly exit: ExitRecord; readonly movedAside: boolean }
  | { readonly kind: 'crash_loop'; readonly starts: number; readonly movedAside: boolean };

export interface RunHooks {
  /** Called after everything old of this token and group is gone and before the command's first instruction. Called again if the guard dies in between. */
  readonly prepare: () => Promise<void>;
  /** Ends the command (TERM, grace, KILL); `run` then answers its end, reason `aborted`. */
  readonly cancel: AbortSignal;
  /** `run` rejects with DetachedError; the command goes on. */
  readonly detach: AbortSignal;
}

export interface Processes {
  /** Errors: DetachedError, StartRefused, GuardUnavailable, and whatever `prepare` throws. Attempts of one activity come as one call (unit/attempts.ts). */
  run(spec: CommandSpec, hooks: RunHooks): Promise<CommandEnd>;
  /** Ends every live command of a group and waits until nothing of it lives. With `interrupted` whoever asks for one next starts it again. */
  endGroup(group: string, reason: StopReason): Promise<void>;
  live(): Promise<readonly LiveCommand[]>;
  /** Leaves the guard and every command alone. */
  close(): Promise<void>;
}

export interface LiveCommand {
  readonly token: string;
  readonly group: string;
}

/** The caller went away; the command goes on under the guard. */
export class DetachedError extends Error {
  override readonly name = 'DetachedError';
}

export const START_REFUSALS = [
  'bad_request',
  'program_missing',
  'program_not_executable',
  'cwd_missing',
  'stdin_missing',
  'argument_too_long',
  'mark_not_written',
  'spawn_failed',
] as const;

export type StartRefusal = (typeof START_REFUSALS)[number];

/** The guard could not start the command; nothing was started. Only `mark_not_written` and `spawn_failed` may pass with time. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';

  constructor(
    readonly code: StartRefusal,
    message: string,
  ) {
    super(message);
  }
}

/** No guard answers and none can be started; the message says why. */
export class GuardUnavailable extends Error {
  override readonly name = 'GuardUnavailable';
}

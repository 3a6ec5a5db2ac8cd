/**
 * What workers and guards say to each other: one JSON object a line over the guard's unix socket.
 * The words hello, ask, stop and retire, and their fields, are frozen for ever: a worker of any version speaks them with a guard of any other.
 */
import type { CommandSpec, ExitRecord, LiveCommand, StartRefusal, StopReason } from './contract.js';

/** Raised too where an older guard must start nothing more: one below 3 opens a prompt as a file for its program, and cuts no output. */
export const PROTOCOL_VERSION = 3;

export type Request =
  | { readonly op: 'hello'; readonly version: number }
  | { readonly op: 'ask'; readonly token: string }
  | { readonly op: 'stop'; readonly token: string }
  /** Spares the commands whose token is `exceptBase` or lies below it. Without `reason`: aborted; a guard of version 1 knows no other. */
  | { readonly op: 'stop'; readonly group: string; readonly exceptBase: string | null; readonly reason?: StopReason }
  | { readonly op: 'retire' }
  /** `again`: an end `aborted` is no answer either, as in `ExitReason`. */
  | { readonly op: 'start'; readonly spec: CommandSpec; readonly again: boolean }
  | { readonly op: 'go'; readonly token: string }
  | { readonly op: 'drop'; readonly token: string }
  | { readonly op: 'live' };

export type Reply =
  | { readonly kind: 'hello'; readonly version: number; readonly pid: number }
  /** Asking for a running command attaches: its end is told on this connection. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'running'; readonly movedAside: boolean }
  | { readonly kind: 'reserved'; readonly movedAside: boolean }
  | { readonly kind: 'ended'; readonly exit: ExitRecord; readonly movedAside: boolean }
  | { readonly kind: 'crash_loop'; readonly starts: number; readonly movedAside: boolean }
  | { readonly kind: 'refused'; readonly code: StartRefusal; readonly message: string }
  | { readonly kind: 'retired' }
  | { readonly kind: 'live'; readonly commands: readonly LiveCommand[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string };

/** `exit` is null if the command is gone and nobody knows how it ended. */
export interface EndedEvent {
  readonly event: 'ended';
  readonly token: string;
  readonly exit: ExitRecord | null;
}

/** Far above a request with all arguments and variables that a system takes (6 MB on Linux), each character escaped. */
export const MAX_LINE_CHARS = 48 * 1024 * 1024;

/** The place token of a command's token. */
export function baseOf(token: string): string {
  return token.slice(0, 36);
}

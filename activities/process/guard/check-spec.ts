/** What can be said about a command before it is started. A missing program (127) and one that is not executable (126) look like an agent's own codes later; a missing folder reads "ENOENT /bin/sh". */
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { codeOf, messageOf } from '../../../config/system/error-code.js';
import { isExecutable } from '../../../config/system/resolve-program.js';
import { isToken } from '../../../protocol/run/place.js';
import { isRecord } from '../../../protocol/text/json.js';
import { type CommandSpec, StartRefused } from '../contract.js';
import { isLimits } from '../marks.js';

/** Errors: StartRefused `bad_request`. */
export function readSpec(value: unknown): CommandSpec {
  if (isRecord(value) && isSpec(value)) return value;
  throw new StartRefused('bad_request', 'The command is not one that this guard understands. Nothing was started.');
}

/** Errors: StartRefused. */
export function checkProgram(spec: CommandSpec): void {
  const program = spec.argv[0];
  // One that was not found is named as it was asked for; nothing beside the guard is taken for it.
  const stat = isAbsolute(program) ? statSync(program, { throwIfNoEntry: false }) : undefined;
  if (stat === undefined) {
    throw new StartRefused('program_missing', `${program}: no such program. Nothing was started.`);
  }
  if (!stat.isFile() || !isExecutable(program)) {
    throw new StartRefused('program_not_executable', `${program} is not executable. Nothing was started.`);
  }
}

/** After `prepare`, which may make both. Errors: StartRefused. */
export function checkPlaces(spec: CommandSpec): void {
  if (!statSync(spec.cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StartRefused('cwd_missing', `${spec.cwd}: no such folder to work in. Nothing was started.`);
  }
  if (spec.stdin !== null && statSync(spec.stdin, { throwIfNoEntry: false }) === undefined) {
    throw new StartRefused('stdin_missing', `${spec.stdin}: no such file for stdin. Nothing was started.`);
  }
}

/** Puts a system's words into a refusal. */
export function refusalOf(error: unknown, spec: CommandSpec): StartRefused {
  if (error instanceof StartRefused) return error;
  const code = codeOf(error) ?? '';
  if (code === 'E2BIG') {
    const longest = Math.max(...spec.argv.map((arg) => Buffer.byteLength(arg)));
    return new StartRefused(
      'argument_too_long',
      `${spec.argv[0]} cannot be started: its longest argument has ${longest} bytes, too many for the system. Long texts go by stdin. Nothing was started.`,
    );
  }
  const disk = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'ENOENT', 'EIO'].includes(code) && !isSpawnError(error);
  const message = messageOf(error);
  return disk
    ? new StartRefused(
        'mark_not_written',
        `A mark in ${spec.dir} could not be written: ${message}. Nothing was started.`,
      )
    : new StartRefused('spawn_failed', `${spec.argv[0]} could not be started: ${message}. Nothing was started.`);
}

function isSpawnError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn');
}

function isSpec(value: object): value is CommandSpec {
  const spec: Partial<Record<keyof CommandSpec, unknown>> = value;
  const paths = [spec.cwd, spec.dir, ...(spec.stdin === null ? [] : [spec.stdin])];
  return (
    isToken(spec.token) &&
    typeof spec.group === 'string' &&
    typeof spec.inputHash === 'string' &&
    Array.isArray(spec.argv) &&
    spec.argv.length > 0 &&
    [...spec.argv, ...paths].every((text) => typeof text === 'string' && !text.includes('\0')) &&
    paths.every((path) => typeof path === 'string' && isAbsolute(path)) &&
    isRecord(spec.env) &&
    Object.values(spec.env).every((text) => typeof text === 'string') &&
    isLimits(spec.limits)
  );
}

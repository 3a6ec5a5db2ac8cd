/**
 * The tiny `sh` between guard and program. It waits for the go byte, so that the claim is durable before the program's first instruction,
 * and notes the exit status in `raw`, so that even the guard's death loses nothing. The program runs in its foreground: a background job
 * would read /dev/null and ignore SIGINT. Without a go byte (the guard died) it ends and runs nothing.
 * What the program reads comes through a pipe that a `cat` fills, so that no file of ours stands behind its stdin:
 * docs/decisions/0019-a-prompt-comes-through-a-pipe.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { isExecutable } from '../../../config/system/resolve-program.js';
import { TURN_TAG, UMASK_VARIABLE } from '../../../protocol/names.js';
import type { CommandSpec } from '../contract.js';
import { RAW_FILE, STDERR_FILE, STDOUT_FILE } from '../marks.js';

/** What a shell adds to the number of the signal that ended a program. */
export const SIGNAL_BASE = 128;

export interface ParentShell {
  readonly child: ChildProcess;
  readonly pid: number;
  go(): void;
  /** Lets it end without running anything. */
  callOff(): void;
  /** Null: the shell itself was killed; `signal` says by what. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/**
 * A trap with a command, unlike an ignored signal, is not inherited by the program. The shell's own messages ("Terminated") stay out of the
 * program's stderr, which comes as descriptor 4 and is put in place in the fork only. `raw` is overwritten in place, in room that was reserved on the disk.
 * The `cat` is nobody's job: the shell waits for the program alone, whose status is the status. Both lose the descriptors of the other.
 */
const SCRIPT = `trap : TERM INT HUP QUIT
umask "\${${UMASK_VARIABLE}:-077}"
raw=$1
cat=$2
shift 2
IFS= read -r go <&3 && [ "$go" = go ] || exit 125
exec 3<&-
if [ -n "$cat" ]; then
  { "$cat" <&5 4>&- 5<&- & } | (exec 2>&4 4>&- 5<&- && exec "$@")
else
  (exec 2>&4 4>&- && exec "$@")
fi
status=$?
printf '%s\\n' "$status" 1<>"$raw"
exit "$status"`;

/** Fixed places: a program of that name on a PATH is not ours to trust. The last is NixOS. */
const CAT_PLACES = ['/bin/cat', '/usr/bin/cat', '/run/current-system/sw/bin/cat'];

/** Nothing of an earlier start stands there any more: what does is not ours. */
const OUTPUT_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;

const INPUT_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Errors: those of spawn, E2BIG among them, and of opening the three files; plain Error on a system without `cat`. */
export async function spawnParentShell(spec: CommandSpec, markPrefix: readonly string[]): Promise<ParentShell> {
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    const fd = openSync(path, flags, 0o600);
    opened.push(fd);
    return fd;
  };
  try {
    const stdin = spec.stdin === null ? [] : [open(spec.stdin, INPUT_FLAGS)];
    const cat = spec.stdin === null ? '' : findCat();
    const stdout = open(join(spec.dir, STDOUT_FILE), OUTPUT_FLAGS);
    const stderr = open(join(spec.dir, STDERR_FILE), OUTPUT_FLAGS);
    const [program, ...args] = [
      ...markPrefix,
      '/bin/sh',
      '-c',
      SCRIPT,
      'sh',
      join(spec.dir, RAW_FILE),
      cat,
      ...spec.argv,
    ];
    const child = spawn(program ?? '/bin/sh', args, {
      cwd: spec.cwd,
      env: { ...spec.env, [TURN_TAG]: spec.token },
      stdio: ['ignore', stdout, 'ignore', 'pipe', stderr, ...stdin],
      detached: true,
    });
    return await watch(child);
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

function findCat(): string {
  const cat = CAT_PLACES.find(isExecutable);
  if (cat === undefined) throw new Error(`none of ${CAT_PLACES.join(', ')} is there to hand the program its stdin`);
  return cat;
}

async function watch(child: ChildProcess): Promise<ParentShell> {
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  if (child.pid === undefined) throw await new Promise((resolve) => child.once('error', resolve));
  child.on('error', () => {});
  const gate = child.stdio[3];
  if (gate === null || gate === undefined || !('write' in gate)) throw new Error('the parent sh has no go pipe');
  gate.on('error', () => {});
  return { child, pid: child.pid, ended, go: () => gate.end('go\n'), callOff: () => gate.end() };
}

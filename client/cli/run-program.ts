/**
 * One command of the `sluice` program: parses arguments, runs it, turns errors into four lines and an exit code.
 * It returns only when everything written has left the process, and never shows a stack for an error that a person can mend.
 */
import { CommanderError } from '@commander-js/extra-typings';
import { endingWith } from '../../config/system/ending-signal.js';
import { messageOf } from '../../config/system/error-code.js';
import { orAborted } from '../../config/system/or-aborted.js';
import { systemTrouble, systemTroubleIn } from '../../config/system/system-trouble.js';
import { formatRefusal, type Refusal, RefusedError } from '../../protocol/text/refusal.js';
import type { CommandBody } from './program/command-row.js';
import { COMMANDS, createProgram } from './program.js';
import { sluiceHome } from './server/host-config.js';
import type { Context } from './terminal/context.js';
import { EXIT, type ExitCode } from './terminal/exit-codes.js';
import { createProcessIo, foreignBlock, type Io } from './terminal/io.js';

const WHAT_GOES_ON = 'What was started before goes on; see: sluice list';

/** Answers the exit code. */
export async function runProgram(argv: readonly string[]): Promise<ExitCode> {
  const { io, flush } = createProcessIo();
  const exitCode = await runCommand(argv, io);
  // A pipe says only now what it did not take.
  await flush();
  const unwritten = unwrittenOf(io);
  if (unwritten === null) return exitCode;
  io.err(foreignBlock(formatRefusal(unwritten)));
  await flush();
  return EXIT.notStarted;
}

async function runCommand(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const { own, behindDashes } = splitAtDashes(argv);
  const program = createProgram({
    behindDashes,
    out: (text) => io.out(text),
    write: (text) => io.write(text),
    err: (text) => io.err(foreignBlock(text)),
    async start(body, { json, ownsStop }) {
      checkFolder();
      const context: Context = { io, home: await sluiceHome(io.env), json };
      code = await (ownsStop ? body(context) : untilStopped(body, context));
    },
  });
  try {
    await program.parseAsync(own, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.notStarted;
    return await report(error, io, own.includes('--json'));
  }
  return code;
}

/** A command that has nothing to detach from ends at once, and what it reads and starts with it. */
async function untilStopped(body: CommandBody, context: Context): Promise<ExitCode> {
  const { stop } = context.io;
  const work = endingWith(stop, () => body(context));
  return orAborted(work, stop, () => (stop.reason === 'EPIPE' ? EXIT.done : EXIT.detached));
}

/** Commander would hand what stands behind `--` to the task. */
function splitAtDashes(argv: readonly string[]): { own: string[]; behindDashes: string[] } {
  const takesIt = COMMANDS.some(
    ({ name, takesProgram }) => takesProgram && `${argv.join(' ')} `.startsWith(`${name} `),
  );
  const at = takesIt ? argv.indexOf('--') : -1;
  return at < 0 ? { own: [...argv], behindDashes: [] } : { own: argv.slice(0, at), behindDashes: argv.slice(at + 1) };
}

/** Errors: RefusedError. Whatever a command looks for or starts begins there. */
function checkFolder(): void {
  try {
    process.cwd();
  } catch (error) {
    throw new RefusedError({
      what: `the folder that you stand in is gone: ${messageOf(error)}`,
      why: 'a command begins in a folder that is there; somebody removed this one, such as the worktree of a run',
      now: WHAT_GOES_ON,
      mend: 'cd    or into another: cd <folder>',
    });
  }
}

/** Null: whatever reads the output has it, or wants no more of it. */
function unwrittenOf({ stop }: Io): Refusal | null {
  // The names of signals, and EPIPE, are no errors.
  if (!stop.aborted || typeof stop.reason === 'string') return null;
  const message = messageOf(stop.reason);
  const trouble = systemTroubleIn(message, null);
  return {
    what: `standard output cannot be written${trouble === null ? '' : `, ${trouble.short}`}: ${message}`,
    why: trouble?.why ?? 'the result of a command is whole, or it is none',
    now: `What was printed is not whole. ${WHAT_GOES_ON}`,
    mend: trouble?.mend ?? 'the same command again, with its output elsewhere',
  };
}

async function report(error: unknown, { json, err, env }: Io, asJson: boolean): Promise<ExitCode> {
  const code = error instanceof RefusedError ? error.exitCode : EXIT.notStarted;
  const parts = error instanceof RefusedError ? error.parts : partsOf(error, await sluiceHome(env));
  if (asJson) json({ kind: 'error', ...parts, exitCode: code });
  err(foreignBlock(formatRefusal(parts)));
  if (!(error instanceof RefusedError) && (env['SLUICE_DEBUG'] ?? '') !== '' && error instanceof Error)
    err(foreignBlock(stacksOf(error)));
  return code;
}

/** What it came of says more than itself. */
function stacksOf({ stack = '', cause }: Error): string {
  return cause instanceof Error ? `${stack}\ncaused by ${stacksOf(cause)}` : stack;
}

function partsOf(error: unknown, home: string): Refusal {
  const message = messageOf(error);
  const trouble = systemTrouble(error, home);
  if (trouble !== null)
    return { what: `${trouble.short}: ${message}`, why: trouble.why, now: WHAT_GOES_ON, mend: trouble.mend };
  return {
    what: `this is a defect or an unexpected answer: ${message}`,
    why: '',
    now: WHAT_GOES_ON,
    mend: 'SLUICE_DEBUG=1 in front of the same command shows where it happened; sluice doctor looks at the machine',
  };
}

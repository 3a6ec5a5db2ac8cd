/** One set-up or validation command: a shell line under the guard, at a sub-place of its activity, so that a second attempt goes on at the first one without an exit. */
import { join } from 'node:path';
import { makeFolder } from '../../config/home/make-folder.js';
import { subToken } from '../../protocol/run/place.js';
import { type CommandEnd, DetachedError, type ExitRecord } from '../process/contract.js';
import { STDOUT_FILE } from '../process/marks.js';
import { enterSandbox } from '../sandbox/enter-sandbox.js';
import type { AtWorkplace } from '../unit/at-place.js';
import { tellingWork } from '../unit/tell-work.js';
import { runLineCommand } from './own-commands.js';

export interface CommandLine {
  readonly kind: 'setup' | 'checks';
  readonly line: string;
  /** Of the sub-place, from 1. */
  readonly n: number;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Runs only if the command is really about to start. */
  readonly prepare: () => Promise<void>;
}

/** A command that the host could not bring to an end three times in a row. */
export class CommandCrashLoop extends Error {
  override readonly name = 'CommandCrashLoop';
}

/** Errors: DetachedError after a cancel, a detach or somebody else's abort; CommandCrashLoop. */
export async function runCommandLine(at: AtWorkplace, command: CommandLine): Promise<ExitRecord> {
  const { deps, workplace, place, signals } = at;
  const { env, group, policy } = workplace;
  const dir = join(place.dir, String(command.n));
  makeFolder(dir);
  const argv = ['/bin/sh', '-c', command.line] as const;
  const entered = enterSandbox(deps, { workplace, argv, env, cwd: command.cwd, dir, agent: null });
  const prepare = async () => {
    await command.prepare();
    await entered.prepare();
  };
  const run = () =>
    runLineCommand(
      at,
      {
        token: subToken(place.token, command.n),
        group,
        inputHash: place.inputHash,
        argv: entered.argv,
        cwd: command.cwd,
        env,
        stdin: null,
        dir,
        limits: {
          timeoutMs: command.timeoutMs,
          // A compiler may be silent for long; the time limit is enough.
          stallMs: null,
          killGraceMs: policy.limits.killGraceMs,
          outputBytes: policy.limits.outputBytes,
        },
      },
      { prepare, cancel: signals.cancel, detach: signals.detach },
    );
  const watched = { kind: command.kind, command: command.line, stdout: join(dir, STDOUT_FILE), glance: null };
  const end: CommandEnd = await tellingWork(at.teller, watched, run);
  if (end.kind === 'crash_loop')
    throw new CommandCrashLoop(`\`${command.line}\` was started ${end.starts} times and never came to an end`);
  // Ended by somebody else's stop: neither red nor green. The next attempt, if the server wants one, starts it again.
  if (signals.cancel.aborted || end.exit.reason === 'aborted') throw new DetachedError('aborted');
  return end.exit;
}

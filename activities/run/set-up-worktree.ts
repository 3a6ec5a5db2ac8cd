/** Makes a fresh worktree usable: copies, links, then the set-up commands. A failed command starts no agent; its output is named. */
import { join } from 'node:path';
import type { Observation } from '../../protocol/journal.js';
import { copyAndLink } from '../git/worktree-setup-files.js';
import { CommandCrashLoop, type CommandLineContext, runCommandLine } from './run-command-line.js';

export interface SetupEnd {
  readonly error: string | null;
  readonly observations: readonly Observation[];
}

export async function setUpWorktree(context: CommandLineContext): Promise<SetupEnd> {
  const { run, place } = context;
  const { worktree: policy } = run.record.policy;
  const { repository, worktree } = run.record;
  await copyAndLink({ repository, target: worktree, copy: policy.copy, link: policy.link, gitDir: join(run.stateDir, 'git') });
  const observations: Observation[] = [];
  for (const [index, line] of policy.setup.entries()) {
    const error = await runSetupLine(context, { line, n: index + 1 });
    observations.push(completed(line, error));
    if (error !== null) return { error: `${error}; its output is in ${join(place.dir, String(index + 1))}`, observations };
  }
  return { error: null, observations };
}

async function runSetupLine(context: CommandLineContext, { line, n }: { line: string; n: number }): Promise<string | null> {
  const { run, signals } = context;
  try {
    const exit = await runCommandLine(context, {
      line,
      n,
      cwd: run.record.worktree,
      timeoutMs: run.record.policy.worktree.setupTimeoutMs,
      prepare: () => Promise.resolve(),
    });
    if (exit.reason === 'exited' && exit.exitCode === 0) return null;
    return `set-up command \`${line}\` failed (${exit.reason === 'exited' ? `exit ${exit.exitCode ?? 'none'}` : exit.reason})`;
  } catch (err) {
    if (err instanceof CommandCrashLoop) return err.message;
    // An aborted set-up still opens the run: only an open run can be closed with a report.
    if (signals.cancel.aborted) return `set-up command \`${line}\` was ended by an abort`;
    throw err;
  }
}

function completed(line: string, error: string | null): Observation {
  return {
    timestamp: new Date().toISOString(),
    type: 'worktree.setup.completed',
    message: error ?? `\`${line}\` done`,
    data: { command: line, ok: error === null },
  };
}

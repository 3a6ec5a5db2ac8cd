/** Makes a fresh worktree usable: copies, links, then the set-up commands. A failed command starts no agent; its output is named. */
import { join } from 'node:path';
import { MAX_SENTENCE_CHARS } from '../../protocol/limits.js';
import type { Observation } from '../../protocol/messages/journal.js';
import { type CopyAndLinkResult, copyAndLink } from '../git/run/worktree-setup-files.js';
import { refusedHosts } from '../sandbox/refused-hosts.js';
import type { AtPlace } from '../unit/at-place.js';
import { leftObservations } from './own-commands.js';
import { CommandCrashLoop, runCommandLine } from './run-command-line.js';
import { runSetup } from './run-setup.js';
import { noteSetUp } from './setup-files.js';

/** The sentence has room for few more. */
const MAX_TOLD_PATHS = 10;

export interface SetupEnd {
  readonly error: string | null;
  readonly observations: readonly Observation[];
}

export async function setUpWorktree(at: AtPlace): Promise<SetupEnd> {
  const { deps, workplace, place } = at;
  const { copy, link, setup } = workplace.policy.worktree;
  const { repository, worktree, gitDir } = workplace.git;
  const { skipped } = await copyAndLink({ repository, target: worktree, copy, link, gitDir });
  const observations = skipped.length === 0 ? [] : [leftOut(skipped)];
  const error = await setupError(at, observations);
  if (error === null) await noteSetUp(workplace, deps.durability);
  const folders = setup.map((_, index) => join(place.dir, String(index + 1)));
  observations.push(
    ...refusedHosts(folders, { what: 'set-up', seq: 0 }),
    ...leftObservations(place, { stage: null, seq: 0 }),
  );
  return { error: error === null ? null : `${error}; its output is below ${place.dir}`, observations };
}

async function setupError(at: AtPlace, observations: Observation[]): Promise<string | null> {
  const { workplace, signals } = at;
  const { worktree: policy } = workplace.policy;
  try {
    return await runSetup({
      lines: policy.setup,
      limitMs: policy.setupTimeoutMs,
      run: (line, index, timeoutMs) =>
        runCommandLine(at, {
          kind: 'setup',
          line,
          n: index + 1,
          cwd: workplace.git.worktree,
          timeoutMs,
          prepare: () => Promise.resolve(),
        }),
      each: (line, error) => observations.push(completed(line, error)),
    });
  } catch (err) {
    if (err instanceof CommandCrashLoop) return err.message;
    // An aborted set-up still opens the run: only an open run can be closed with a report.
    if (signals.cancel.aborted) return 'the set-up was ended by an abort';
    throw err;
  }
}

/** One line, for what is missing is mostly missing for one reason: a command that fails later is understood by it. */
function leftOut(skipped: CopyAndLinkResult['skipped']): Observation {
  const count = skipped.length === 1 ? '1 path was' : `${skipped.length} paths were`;
  const told = skipped.slice(0, MAX_TOLD_PATHS).map(({ path, why }) => `${path} (${why})`);
  return {
    timestamp: new Date().toISOString(),
    type: 'worktree.setup.completed',
    message: `${count} left out of the worktree: ${told.join(', ')}`.slice(0, MAX_SENTENCE_CHARS),
    data: { skipped: skipped.length },
  };
}

function completed(line: string, error: string | null): Observation {
  return {
    timestamp: new Date().toISOString(),
    type: 'worktree.setup.completed',
    message: error ?? `\`${line}\` done`,
    data: { command: line, ok: error === null },
  };
}

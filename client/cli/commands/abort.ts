/** `sluice abort`: ends a run `aborted`. Worktree, branch and files stay; the commands that would remove them are printed (V-72). */

import { viewOf } from '../../look/find-runs.js';
import { removalCommands } from '../find/removal-commands.js';
import { sendToRun, type TakenByRun } from '../gates/send-to-run.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { checkOption } from '../terminal/message-text.js';
import { personOf } from '../terminal/person.js';
import { startedView, watchToEnd } from '../watch/watch-started.js';

export interface AbortOptions {
  readonly run: string | null;
  readonly reason?: string | undefined;
  readonly wait: boolean;
}

export async function abort(context: Context, options: AbortOptions): Promise<ExitCode> {
  const by = personOf(context);
  const reason = checkOption('--reason', options.reason, 'sluice abort --reason "<why>"');
  return sendToRun(context, {
    command: 'abort',
    asked: options.run,
    meant: 'open',
    compose: () => ({ name: 'abort', argument: { reason, by } }),
    afterwards: (taken) => (options.wait ? waitForClose(context, taken) : tellWhatStays(context, taken)),
  });
}

async function tellWhatStays({ io, json }: Context, { run, sluice }: TakenByRun): Promise<ExitCode> {
  if (json) return EXIT.done;
  const view = await viewOf(run, sluice);
  const commands = removalCommands({ worktree: view?.worktree ?? null, branch: view?.branch ?? run.branch });
  if (commands.length > 0) io.out('Worktree, branch and files stay. Once it is closed, these remove the first two:');
  for (const command of commands) io.out(`  ${command}`);
  return EXIT.done;
}

/** Done means closed, however it ended: a run may reach its outcome before the abort reaches it. */
async function waitForClose(context: Context, { run, sluice }: TakenByRun): Promise<ExitCode> {
  const { end, exitCode } = await watchToEnd(context, startedView(context, sluice, run));
  return end.kind === 'closed' || end.kind === 'aborted' ? EXIT.done : exitCode;
}

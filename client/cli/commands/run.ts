/**
 * `sluice run`: checks everything that can be checked here, starts the run, watches it to its end.
 * Before the start nothing is left half-made: an interrupt or a refusal says "nothing was started". After it, an interrupt detaches.
 */
import { join } from 'node:path';
import { orAborted } from '../../../config/system/or-aborted.js';
import type { RunInput } from '../../../protocol/messages/messages.js';
import { titleOf } from '../../../protocol/messages/run-input.js';
import { branchOf } from '../../../protocol/names.js';
import { makeRunId } from '../../../protocol/run/run-id.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { type Connected, connectToRun } from '../server/connect.js';
import { hostIdFor, keepCommand, serveRepository } from '../server/host-config.js';
import { checkHost } from '../start/check-host.js';
import { checkProgram } from '../start/check-program.js';
import { checkRepository } from '../start/check-repository.js';
import { type ChosenConfig, chooseConfig } from '../start/choose-config.js';
import { offerFound } from '../start/offer-found.js';
import {
  checkRunId,
  checkTask,
  checkTitle,
  type Program,
  programOf,
  type RunOptions,
  refusal,
} from '../start/run-arguments.js';
import { isAttended, policyOf } from '../start/run-policy.js';
import { lookForUncommitted } from '../start/tell-uncommitted.js';
import { type Context, tellStopped } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { readInput } from '../terminal/message-text.js';
import type { StartedView } from '../watch/watch-started.js';

/** A run that may be started: everything was checked, nothing was written. */
export interface PreparedRun {
  readonly runId: string;
  readonly input: RunInput;
  readonly config: ChosenConfig;
  readonly program: Program | null;
}

export async function run(context: Context, options: RunOptions): Promise<ExitCode> {
  const { io } = context;
  const prepared = await orAborted(prepareRun(context, options), io.stop, () => null);
  if (prepared === null) return tellStopped(context, 'Nothing was started.');
  // Where the program is built anew meanwhile this part of it is gone, and a run that had started would not be watched.
  const after = options.detach ? null : await import('./after-run.js');
  await using connected = await orAborted(connectToRun(context, options), io.stop, () => null);
  if (connected === null) return tellStopped(context, 'Nothing was started.');
  const { host, detach } = options;
  const started = await startRun(context, { prepared, connected, host, detach });
  if (after !== null) return await after.watchToLand(context, started);
  if (!context.json) io.out(`Started ${started.runId}. Watch it with: sluice watch ${started.runId}`);
  return EXIT.done;
}

/** Errors: RefusedError or ConfigError for everything that can be refused without a server. */
export async function prepareRun(context: Context, options: RunOptions): Promise<PreparedRun> {
  const named = programOf(options, 'run');
  const runId = checkRunId(options.runId);
  const title = checkTitle(options.title);
  const policy = policyOf(options);
  const task = checkTask(await taskText(context, options));
  const { root, baseSha, branch, head } = await checkRepository(context, options);
  const tellUncommitted = baseSha === head ? lookForUncommitted(root, head) : null;
  const program = checkProgram(context, named, root);
  const runInput = {
    ...(options.preset === undefined ? {} : { preset: options.preset }),
    ...(Object.keys(policy).length === 0 ? {} : { policy }),
  };
  await offerFound(context, { root, baseSha, program, agent: options.agent ?? null });
  const config = await chooseConfig(context, { root, baseSha, runInput, program });
  const base = options.base ?? branch ?? baseSha;
  await tellUncommitted?.(context);
  const input: RunInput = {
    task,
    repo: root,
    base,
    attended: isAttended(context.io, options),
    ...runInput,
    ...(title === undefined ? {} : { title }),
    ...(config.configHash === null ? {} : { configHash: config.configHash }),
  };
  if (config.gatesExpire && input.attended !== true && options.unattended !== true) context.io.err(NOBODY_ATTENDS);
  return { runId: runId ?? makeRunId(title ?? task, Math.random), input, config, program };
}

/** A run that is told to wait for a person, and ends where it should wait, surprises. */
const NOBODY_ATTENDS =
  'Note: nobody attends this run, so its first gate expires at once and the run ends blocked; to have it wait: --attended, or gates.unattendedExpire';

export interface StartParts {
  readonly prepared: PreparedRun;
  readonly connected: Connected;
  /** From `--host`. */
  readonly host: string | undefined;
  /** It is told by who starts it. */
  readonly detach: boolean;
}

/** Effects: the repository joins the host's list, the command is stored, the workflow starts. Errors: RefusedError for a taken id. */
export async function startRun(
  context: Context,
  { prepared, connected, host: named, detach }: StartParts,
): Promise<StartedView> {
  const { io, home, json } = context;
  const { runId, config, program } = prepared;
  const { sluice, engine } = connected;
  await serveRepository(home, prepared.input.repo);
  const commandHash = program === null ? null : await keepCommand(home, program);
  if (named !== undefined) await checkHost(context, sluice, named);
  const host = named ?? (await hostIdFor(home, sluice, engine !== null));
  const input: RunInput = {
    ...prepared.input,
    ...(commandHash === null ? {} : { commandHash }),
    ...(host === null ? {} : { host }),
  };
  const startedAt = new Date().toISOString();
  const started = await sluice.startRun({ runId, input });
  if (started.kind === 'taken') {
    throw new RefusedError({
      what: `the run id ${runId} is taken`,
      why: 'an id names one run for ever: its branch, folder and workflow',
      now: 'Nothing was started; the run of that id is untouched.',
      mend: `sluice status ${runId}    or choose another: --run-id <id>`,
    });
  }
  const title = titleOf(input);
  const runDir = engine !== null || named === undefined ? join(input.repo, config.runsDir, runId) : null;
  const { workflowId } = started;
  const { repo } = input;
  if (json) io.json({ kind: 'started', runId, workflowId, title, repo, branch: branchOf(runId), runDir });
  else if (!io.live && !detach) io.out(foreign(`${runId} started: ${title}`));
  return {
    sluice,
    runId,
    workflowId,
    title,
    repo,
    runDir,
    stages: config.stages,
    startedAt,
    events: false,
    desktop: config.desktop,
  };
}

async function taskText({ io }: Context, { task }: RunOptions): Promise<string> {
  if (task !== undefined && task !== '-') return task;
  if (task === undefined && process.stdin.isTTY === true) {
    throw refusal(
      'there is no task',
      'a run needs a sentence that says what to do',
      'sluice run "fix the failing test in src/parse.ts"',
    );
  }
  return (await readInput(io.stop, 'Nothing was started.')) ?? '';
}

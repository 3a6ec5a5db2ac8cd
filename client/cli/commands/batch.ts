/**
 * `sluice batch`: starts the tasks of a file as runs, a few at once, and shows one table. The name is the batch: started again under it, what
 * ran before is skipped; one that is open is watched, not started twice, and a file that was not taken is never exit code 0. Ctrl+C detaches.
 */

import { orAborted } from '../../../config/system/or-aborted.js';
import { type BatchView, batchWorkflowId } from '../../../protocol/actors/batch.js';
import type { SearchAttributeName } from '../../../protocol/names.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { Sluice } from '../../sluice.js';
import { CANCELLED, QUEUED } from '../gates/send-to-run.js';
import { type Connected, connectToLook, connectToRun } from '../server/connect.js';
import { hostIdFor, keepCommand, serveRepository } from '../server/host-config.js';
import { checkHost } from '../start/check-host.js';
import { batchNameOf, checkConcurrency, type PreparedBatch, prepareBatch } from '../start/prepare-batch.js';
import { type Program, programOf, refusal } from '../start/run-arguments.js';
import { type Context, tellStopped } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';
import { exitCodeOfBatch, sumLine, tableLines, withKnownOutcomes } from '../watch/batch-lines.js';
import { exitCodeOfEnd } from '../watch/run-end.js';
import { watchBatch } from '../watch/watch-batch.js';
import { keptRefusal } from '../watch/watch-started.js';

export interface BatchOptions {
  /** Null: the batch of `--name` is watched. "-" reads standard input. */
  readonly file: string | null;
  readonly name?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly agent?: string | undefined;
  /** Behind `--`. */
  readonly program: readonly string[];
  /** They are handed in there. */
  readonly backlog: boolean;
  readonly detach: boolean;
  readonly abort: boolean;
}

interface NamedBatch {
  readonly name: string;
  readonly workflowId: string;
}

export async function batch(context: Context, options: BatchOptions, connect = connectToLook): Promise<ExitCode> {
  const { file } = options;
  const name = batchNameOf(file, options.name);
  const named: NamedBatch = { name, workflowId: batchWorkflowId(name) };
  const concurrency = checkConcurrency(options.concurrency);
  if (options.abort) return abortBatch(context, named, connect);
  if (file === null) return comeBack(context, named, connect);
  const { stop } = context.io;
  const { agent, backlog } = options;
  const program = programOf(options, 'batch');
  const preparing = prepareBatch(context, { file, concurrency, agent, program, backlog });
  const prepared = await orAborted(preparing, stop, () => null);
  if (prepared === null) return tellStopped(context, 'Nothing was started.');
  await using connected = await orAborted(connectToRun(context, { local: false }), stop, () => null);
  if (connected === null) return tellStopped(context, 'Nothing was started.');
  const wasTaken = await start(context, { named, prepared, connected, program });
  const code = options.detach ? EXIT.done : await watch(context, connected.sluice, named);
  // Tasks that nobody runs are nothing to call done.
  return code === EXIT.done && !wasTaken ? EXIT.needsPerson : code;
}

interface BatchStart {
  readonly named: NamedBatch;
  readonly prepared: PreparedBatch;
  readonly connected: Connected;
  readonly program: Program | null;
}

/** Whether the file was taken. Effects: the repositories join the host's list, the workflow starts. */
async function start(
  { io, home, json }: Context,
  { named, prepared, connected, program }: BatchStart,
): Promise<boolean> {
  const { sluice, engine } = connected;
  for (const host of prepared.hosts) await checkHost({ io, home, json }, sluice, host);
  for (const root of prepared.repositories) await serveRepository(home, root);
  const host = await hostIdFor(home, sluice, engine !== null);
  const commandHash = program === null ? null : await keepCommand(home, program);
  const defaults = { ...(host === null ? {} : { host }), ...(commandHash === null ? {} : { commandHash }) };
  const input = { ...prepared.input, ...(Object.keys(defaults).length === 0 ? {} : { defaults }) };
  const state = await sluice.startBatch({
    workflowId: named.workflowId,
    input,
    searchAttributes: await knowsStatus(sluice),
  });
  const tasks = state === 'started' ? input.tasks.length : await tasksOfOpen(sluice, named);
  if (json) io.json({ kind: state, name: named.name, workflowId: named.workflowId, tasks });
  else if (state === 'started')
    io.out(
      `Batch ${named.name} started: ${tasks} ${tasks === 1 ? 'task' : 'tasks'}. Watch it with: sluice batch --name ${named.name}`,
    );
  else
    io.err(
      `The batch ${named.name} is open already: its own list counts, this file was not taken. Another name starts another: --name <name>`,
    );
  return state === 'started';
}

/** Null where no worker answers. */
async function tasksOfOpen(sluice: Sluice, { workflowId }: NamedBatch): Promise<number | null> {
  const view = await sluice.batchStatus(workflowId).catch(() => null);
  return view?.rows.length ?? null;
}

async function comeBack(context: Context, named: NamedBatch, connect: typeof connectToLook): Promise<ExitCode> {
  await using sluice = await look(context, named, connect);
  return await watch(context, sluice, named);
}

/** Errors: RefusedError where the batch was refused. */
async function watch(context: Context, sluice: Sluice, { name, workflowId }: NamedBatch): Promise<ExitCode> {
  const { io, json } = context;
  const end = await watchBatch(context, sluice, workflowId);
  switch (end.kind) {
    case 'closed':
      return tellEnd(context, withKnownOutcomes(end.result, await skippedRuns(sluice, end.result)));
    case 'refused':
      throw new RefusedError(keptRefusal(end.parts, workflowId));
    case 'detached':
    case 'server_away':
      if (json) io.json({ kind: 'ended', how: end.kind, workflowId });
      io.err(
        end.kind === 'detached'
          ? `Detached; the batch goes on. Come back with: sluice batch --name ${name}    End it with: sluice batch --name ${name} --abort`
          : `The server stays away; the batch goes on when it is back: sluice up && sluice batch --name ${name}`,
      );
      return exitCodeOfEnd(end);
    case 'failed':
    case 'aborted':
      if (json) io.json({ kind: 'ended', how: end.kind, workflowId, error: end.message });
      io.err(foreign(`The batch ${name} has no table: ${end.message}`));
      return exitCodeOfEnd(end);
  }
}

function tellEnd({ io, json }: Context, view: BatchView): ExitCode {
  if (json) io.json({ kind: 'ended', how: 'closed', ...view });
  else {
    for (const line of tableLines(view, {
      columns: io.outIsTerminal ? io.columns() : Number.MAX_SAFE_INTEGER,
      rows: view.rows.length,
    }))
      io.out(line);
    io.out(sumLine(view));
  }
  return exitCodeOfBatch(view);
}

/** One list, and only where something was skipped. */
async function skippedRuns(sluice: Sluice, { rows }: BatchView) {
  return rows.some(({ state }) => state === 'skipped') ? sluice.list(LIST_LIMIT).catch(() => []) : [];
}

const LIST_LIMIT = 1_000;

async function abortBatch(context: Context, named: NamedBatch, connect: typeof connectToLook): Promise<ExitCode> {
  const { io, json } = context;
  const message = { name: 'abort', argument: { by: personOf(context) } } as const;
  await using sluice = await orAborted(look(context, named, connect), io.stop, () => null);
  if (sluice === null) return tellStopped(context, 'Nothing was sent.');
  const sent = await orAborted(sluice.send(named.workflowId, message, io.stop), io.stop, () => null);
  if (sent === null)
    return tellStopped(
      context,
      `Whether the batch ${named.name} took the abort is not known; see: sluice batch --name ${named.name}`,
    );
  if (json) io.json({ kind: 'message', workflowId: named.workflowId, name: 'abort', sent: sent.kind });
  switch (sent.kind) {
    case 'accepted':
      if (!json) io.out(foreign(`abort accepted by the batch ${named.name}: ${sent.answer.message}`));
      return EXIT.done;
    case 'queued':
      if (!json) io.out(`abort queued for the batch ${named.name}: ${QUEUED}`);
      return EXIT.done;
    case 'cancelled':
      if (!json) io.out(`abort of the batch ${named.name}: ${CANCELLED}`);
      return EXIT.done;
    case 'refused':
    case 'not_kept':
    case 'closed':
      io.err(foreign(`The batch ${named.name} took no abort: ${sent.kind === 'closed' ? 'it is closed' : sent.why}.`));
      return EXIT.needsPerson;
    case 'unknown':
      throw new RefusedError(unknownBatch(named));
  }
}

/** Errors: RefusedError where the engine is down or the server knows no such batch. */
async function look(context: Context, named: NamedBatch, connect: typeof connectToLook): Promise<Sluice> {
  const sluice = await connect(context);
  if (sluice === null) {
    const why = 'a batch is known to its server only';
    throw new RefusedError({
      what: 'the local engine is down',
      why,
      now: 'Nothing was changed.',
      mend: `sluice up && sluice batch --name ${named.name}`,
    });
  }
  const known = await sluice.describe(named.workflowId).catch(() => null);
  if (known !== null) return sluice;
  await sluice.close();
  throw new RefusedError(unknownBatch(named));
}

function unknownBatch({ name }: NamedBatch) {
  return refusal(
    `the server knows no batch ${name}`,
    'a batch is known by the name that it was started with',
    `sluice batch <file.jsonl> --name ${name}`,
  ).parts;
}

async function knowsStatus(sluice: Sluice): Promise<boolean> {
  const status: SearchAttributeName = 'SluiceStatus';
  return (await sluice.searchAttributes().catch((): readonly string[] => [])).includes(status);
}

/** `sluice task …`: hands tasks in to the backlog of a repository, looks at them, and says what is to become of one. */
import { randomUUID } from 'node:crypto';
import { orAborted } from '../../../config/system/or-aborted.js';
import { whyNoDescription } from '../../../protocol/actors/backlog.js';
import type { ItemMessageName, ItemStateName } from '../../../protocol/actors/item.js';
import type { PlanChoice } from '../../../protocol/actors/item-admission.js';
import { whyNoDependencies, whyNoFiles, whyNoPriority } from '../../../protocol/actors/task-links.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { StatusView } from '../../../protocol/views/skep-status.js';
import { NotKnown, notKnown } from '../../calls/ask-calls.js';
import type { ListedItem } from '../../calls/backlog-calls.js';
import type { Sluice } from '../../sluice.js';
import { statusViewOf } from '../backlog/status-view.js';
import { readVerdict, tellCreated } from '../backlog/tell-created.js';
import { findItem, itemsHere } from '../find/find-item.js';
import { plainItems, renderItems, viewWord } from '../find/item-table.js';
import { type NotTaken, whyNotTaken } from '../gates/why-not-taken.js';
import { connectToLook, connectToRun } from '../server/connect.js';
import { hostIdFor, keepCommand, serveRepository } from '../server/host-config.js';
import { checkHost } from '../start/check-host.js';
import { type RunOptions, refusal } from '../start/run-arguments.js';
import { type Context, tellStopped } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { checkOption } from '../terminal/message-text.js';
import { personOf } from '../terminal/person.js';
import { type PreparedRun, prepareRun } from './run.js';

export interface CreateOptions extends Omit<RunOptions, 'runId' | 'detach'> {
  readonly priority?: string | undefined;
  readonly needsApproval: boolean;
  /** It asks for a document and changes nothing. */
  readonly answer: boolean;
  /** Tasks that must be done before it. */
  readonly after: readonly string[];
  /** Paths and globs of what it is going to touch. */
  readonly files: readonly string[];
  /** Sent again under it, it is the same task. */
  readonly key?: string | undefined;
  /** It is taken in whatever it resembles. Source: S-16. */
  readonly force?: boolean;
  /** It is only compared. Source: S-20. */
  readonly dryRun?: boolean;
}

/** Everything is checked as it is for a run that starts now. */
export async function createTask(context: Context, options: CreateOptions): Promise<ExitCode> {
  const { io, home } = context;
  const by = personOf(context);
  const priority = readPriority(options.priority ?? '0');
  const { key = randomUUID(), needsApproval, files } = options;
  // Unless its stages are named, it is answered by a plan.
  const stages = options.stages ?? (options.answer ? 'plan-only' : undefined);
  const preparing = prepareRun(context, { ...options, ...(stages === undefined ? {} : { stages }), detach: true });
  const prepared = await orAborted(preparing, io.stop, () => null);
  if (prepared === null) return tellStopped(context, 'Nothing was created.');
  refuseLong(prepared);
  refuseLinks(
    options.after.map((one) => numberOf(prepared.config.project, one)),
    files,
  );
  await using connected = await orAborted(connectToRun(context, options), io.stop, () => null);
  if (connected === null) return tellStopped(context, 'Nothing was created.');
  const { sluice, engine } = connected;
  const { input, program, config } = prepared;
  const dependsOn = options.after.map((one) => numberOf(config.project, one));
  await serveRepository(home, input.repo);
  const commandHash = program === null ? null : await keepCommand(home, program);
  if (options.host !== undefined) await checkHost(context, sluice, options.host);
  const host = options.host ?? (await hostIdFor(home, sluice, engine !== null));
  if (host === null)
    throw refusal(
      'no host is named',
      'a task is kept by the host that works at it',
      'sluice task create "<task>" --host <id>',
    );
  const { repo, ...run } = input;
  const task = {
    ...run,
    ...(options.force === true ? { force: true } : {}),
    ...(commandHash === null ? {} : { commandHash }),
    priority,
    gate: needsApproval ? 'start' : null,
    kind: options.answer ? 'answer' : 'change',
    dependsOn,
    files,
  };
  const argument = { key, repo, host, by, tasks: [task] };
  return await handIn(context, sluice, { project: config.project, argument, isDryRun: options.dryRun === true });
}

interface HandedIn {
  readonly project: string;
  readonly argument: { readonly key: string } & Readonly<Record<string, unknown>>;
  readonly isDryRun: boolean;
}

/** Errors: RefusedError, unless the backlog took it or the server keeps it. */
export async function handIn(
  context: Context,
  sluice: Sluice,
  { project, argument, isDryRun }: HandedIn,
): Promise<ExitCode> {
  const { stop } = context.io;
  const workflowId = await sluice.openBacklog(project);
  const message = { name: isDryRun ? ('compare' as const) : ('create' as const), argument };
  const sending = sluice.send(workflowId, message, stop).catch((error: unknown) => {
    if (error instanceof NotKnown) return error;
    // Refused, it was not sent; of whatever else became of it nobody knows.
    if (error instanceof RefusedError || stop.aborted) throw error;
    return notKnown(error);
  });
  const sent = await orAborted(sending, stop, () => null);
  return tellCreated(context, { sent, project, key: argument.key, isDryRun });
}

/** Errors: RefusedError. */
export function readPriority(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const why = whyNoPriority(value);
  if (why === null) return value;
  const usage = 'sluice task create "<task>" --priority 5';
  throw refusal(`--priority ${foreign(text)} ${why}`, 'the higher starts first, with backlog.order: priority', usage);
}

/** Of `shop-3`, in the project shop, or `3`. */
export function numberOf(project: string, task: string): string {
  return task.startsWith(`${project}-`) ? task.slice(project.length + 1) : task;
}

/** Errors: RefusedError. */
export function refuseLinks(dependsOn: readonly string[], files: readonly string[]): void {
  const noDependencies = whyNoDependencies(dependsOn, 1);
  if (noDependencies !== null)
    throw refusal(`--after ${noDependencies}`, 'a task waits for others by their numbers', 'sluice task list');
  const noFiles = whyNoFiles(files);
  if (noFiles !== null)
    throw refusal(
      `--file ${noFiles}`,
      'tasks that say what they touch can be kept apart',
      'sluice task create "<task>" --file "src/**"',
    );
}

/** Errors: RefusedError. Source: S-04. */
function refuseLong({ input }: PreparedRun): void {
  const why = whyNoDescription(input.task);
  if (why !== null)
    throw refusal(
      `the task ${why}`,
      'a task of a backlog is a description, and goes with every list of it',
      'sluice run "<task>"    takes a longer one',
    );
}

export interface ListOptions {
  readonly all: boolean;
  readonly open: boolean;
  /** Whose words for a state; missing: as the preset of the repository has it. */
  readonly view?: StatusView | undefined;
}

export async function listTasks(context: Context, { all, open, view: asked }: ListOptions): Promise<ExitCode> {
  const { io, json } = context;
  const view = await statusViewOf(context, asked);
  await using sluice = serverOf(await connectToLook(context));
  const items = (await itemsHere(context, sluice, all)).filter(({ closedAt }) => !open || closedAt === null);
  if (json) for (const item of items) io.json({ kind: 'item', ...item, view: viewWord(item, view) });
  else if (items.length === 0) io.err('No tasks yet. Hand one in with: sluice task create "<task>"');
  else if (io.outIsTerminal) io.out(renderItems(items, io, { view, now: Date.now() }));
  else for (const line of plainItems(items, view)) io.out(line);
  return EXIT.done;
}

export interface DecideOptions {
  readonly name: Exclude<ItemMessageName, 'set' | 'answer'>;
  /** Of `approve` alone. */
  readonly choice?: PlanChoice | null;
  readonly asked: string | null;
  readonly note?: string | undefined;
}

const FITTING: Readonly<Record<DecideOptions['name'], readonly ItemStateName[]>> = {
  approve: ['gated'],
  reject: ['admitting', 'clarifying', 'gated'],
  run: ['parked'],
  stop: ['admitting', 'clarifying', 'running'],
  pause: ['queued', 'running'],
  resume: ['queued', 'running'],
  done: ['parked'],
  remove: ['parked'],
};

/** Where more than the state says what can be meant. */
const FITS: Partial<Record<DecideOptions['name'], (item: ListedItem) => boolean>> = {
  pause: ({ isHeld, waits }) => !isHeld && waits !== 'person',
  resume: ({ isHeld, state, waits }) => isHeld || (state === 'running' && waits === 'person'),
};

export async function decideTask(context: Context, options: DecideOptions): Promise<ExitCode> {
  const { name, asked, note, choice = null } = options;
  const by = personOf(context);
  const said = checkOption('-m', note, 'sluice task stop <task> -m "<why>"');
  await using sluice = serverOf(await connectToLook(context));
  const found = await findItem(context, sluice, { asked, states: FITTING[name], fits: FITS[name] });
  if (name === 'run' && found.closedAt !== null)
    return await runClosed(context, sluice, { item: found, note: said, force: false });
  const meant = name === 'approve' ? await approvalOf(sluice, found, choice) : {};
  return await tellTask(context, sluice, { item: found, name, argument: { by, note: said, ...meant } });
}

export interface ReopenOptions {
  readonly asked: string | null;
  readonly note?: string | undefined;
  /** Whatever it resembles and its classifier says. */
  readonly force: boolean;
}

/** Of a closed one alone. Errors: RefusedError. Source: S-42. */
export async function reopenTask(
  context: Context,
  { asked, note, force }: ReopenOptions,
  connect = connectToLook,
): Promise<ExitCode> {
  const said = checkOption('-m', note, 'sluice task reopen <task> -m "<why>"');
  await using sluice = serverOf(await connect(context));
  const item = await findItem(context, sluice, { asked, states: ['closed'] });
  if (item.closedAt !== null) return await runClosed(context, sluice, { item, note: said, force });
  throw new RefusedError(
    {
      what: `the task ${foreign(`${item.project}-${item.id}`)} is ${item.state}, not closed`,
      why: 'only a closed task is taken in again',
      now: 'Nothing was changed.',
      mend: `sluice task show ${foreign(item.id)}`,
    },
    { exitCode: EXIT.needsPerson },
  );
}

/** An approval is of the plan that there is when it is given. Source: S-39. */
async function approvalOf(sluice: Sluice, { project, id, reason }: ListedItem, choice: PlanChoice | null) {
  const said = choice === null ? {} : { choice };
  if (reason === 'start') return said;
  const view = await sluice.item({ project, id });
  return { ...said, planHash: view?.admission?.plan?.hash ?? null };
}

interface TaskWord {
  readonly item: ListedItem;
  readonly name: ItemMessageName;
  readonly argument: Readonly<Record<string, unknown>>;
}

/** Errors: RefusedError where it does not take it. */
export async function tellTask(
  context: Context,
  sluice: Sluice,
  { item: { workflowId, project, id }, name, argument }: TaskWord,
): Promise<ExitCode> {
  const { io, json } = context;
  // Who sends it is no agent: those are refused before.
  const message = { name, argument: { ...argument, as: 'person' } };
  const sent = await orAborted(sluice.send(workflowId, message, io.stop), io.stop, () => null);
  if (sent === null)
    return tellStopped(
      context,
      foreign(`Whether ${project}-${id} took "${name}" is not known; see: sluice task show ${id}`),
    );
  const notTaken = whyNotTaken(sent);
  const words = sent.kind === 'accepted' ? sent.answer.message : (notTaken?.why ?? null);
  if (json) io.json({ kind: 'message', workflowId, name, sent: sent.kind, message: words });
  if (notTaken === null) {
    if (!json) io.out(foreign(`${project}-${id}: ${words ?? 'no worker answers; the server keeps the word'}`));
    return EXIT.done;
  }
  throw notTold(id, `the task ${foreign(`${project}-${id}`)} did not take "${name}"`, notTaken);
}

function notTold(id: string, what: string, { why, exitCode }: NotTaken): RefusedError {
  const parts = { what, why: foreign(why), now: 'Nothing was changed.', mend: `sluice task show ${foreign(id)}` };
  return new RefusedError(parts, { exitCode });
}

interface ClosedItem {
  readonly item: ListedItem;
  readonly note: string | null;
  readonly force: boolean;
}

/** It is handed in once more, under its number: its next run goes on at its branch. Errors: RefusedError. */
async function runClosed(
  context: Context,
  sluice: Sluice,
  { item: { project, id }, note, force }: ClosedItem,
): Promise<ExitCode> {
  const view = await sluice.item({ project, id });
  if (view === null)
    throw refusal(
      `the server knows no task ${foreign(`${project}-${id}`)} any more`,
      'it keeps a closed one for its retention',
      'sluice task create "<task>"',
    );
  const { repo, host, runs } = view;
  const key = `again-${project}-${id}-${randomUUID()}`;
  const argument = { key, repo, host, by: personOf(context), tasks: [{ again: id, runs, note, force }] };
  const workflowId = await sluice.openBacklog(project);
  const sent = await sluice.send(workflowId, { name: 'create', argument }, context.io.stop);
  const verdict = readVerdict(sent);
  const name = foreign(`${project}-${id}`);
  const refused = verdict?.kind === 'refused' ? { why: verdict.why, exitCode: EXIT.needsPerson } : null;
  const notTaken = whyNotTaken(sent) ?? refused;
  if (notTaken !== null) throw notTold(id, `the task ${name} does not go on`, notTaken);
  const words = verdict === null ? 'it is kept by the server until its host is back' : runs === 0 ? BEGINS : GOES_ON;
  if (context.json) context.io.json({ kind: 'message', workflowId, name: 'run', sent: sent.kind, message: words });
  else context.io.out(`${name}: ${words}`);
  return EXIT.done;
}

const BEGINS = 'it is taken in once more';
const GOES_ON = 'it is in the queue, and goes on where its last run ended';

/** Errors: RefusedError. */
export function serverOf(sluice: Sluice | null): Sluice {
  if (sluice !== null) return sluice;
  throw new RefusedError({
    what: 'the engine is down, so tasks cannot be asked about',
    why: 'backlogs and their tasks live on the server',
    now: 'Nothing was changed.',
    mend: 'sluice up',
  });
}

/** `sluice backlog …`: the queue of a repository's tasks as a whole. */
import {
  type BacklogMessageName,
  type BacklogView,
  readBacklogMessage,
  SET_TERMS,
  type TermChanges,
  type WaitsFor,
} from '../../../protocol/actors/backlog.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { projectAt } from '../../repository.js';
import type { Sluice } from '../../sluice.js';
import { whyNotTaken } from '../gates/why-not-taken.js';
import { connectToLook } from '../server/connect.js';
import { checkRepository } from '../start/check-repository.js';
import { effectiveConfig } from '../start/choose-config.js';
import { refusal } from '../start/run-arguments.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';
import { serverOf } from './task.js';

export async function showBacklog(context: Context): Promise<ExitCode> {
  const { io, json } = context;
  const project = await projectHere(context);
  await using sluice = serverOf(await connectToLook(context));
  const view = await viewOf(sluice, project);
  if (json) io.json({ kind: 'backlog', ...view });
  else for (const line of linesOf(view)) io.out(foreign(line));
  return EXIT.done;
}

function linesOf({
  project,
  terms,
  set,
  isPaused,
  awaySince,
  waiting,
  slots,
  counts,
  entries,
}: BacklogView): readonly string[] {
  const { gated, queued, running, parked } = counts;
  const queue = entries.filter(({ state }) => state === 'queued');
  return [
    `${project}  ${isPaused ? 'paused' : awaySince === null ? 'open' : `its host is away since ${awaySince}`}`,
    `${slots} of ${terms.maxConcurrent} slots taken; ${running} running, ${queued} queued, ${gated} to approve, ${parked} parked`,
    ...(Object.keys(set).length === 0 ? [] : [`set beside the config: ${termsIn(set)}`]),
    ...(waiting === 0 ? [] : [`${waiting} wait to be taken in`]),
    ...queue.map(
      ({ id, waitsFor, meets }) =>
        `${project}-${id}  ${waitsFor === null ? 'starts' : `waits for ${WAITS[waitsFor.kind](waitsFor.holder)}`}${meets.length === 0 || waitsFor?.kind === 'files' ? '' : `; may touch files of ${meets.join(', ')}`}`,
    ),
  ];
}

/** As `backlog set` takes them. */
function termsIn(set: BacklogView['set']): string {
  return SET_TERMS.flatMap((term) => (set[term] === undefined ? [] : [`${term} ${set[term]}`])).join(', ');
}

export interface SetOptions {
  readonly maxConcurrent?: string | undefined;
  readonly order?: string | undefined;
  readonly conflicts?: string | undefined;
  readonly asConfigured: boolean;
}

/** Errors: RefusedError for what is no value of a term. */
export async function setBacklog(context: Context, { asConfigured, ...options }: SetOptions): Promise<ExitCode> {
  const { maxConcurrent, order, conflicts } = options;
  const changes = {
    ...(asConfigured ? { maxConcurrent: null, order: null, conflicts: null } : {}),
    ...(maxConcurrent === undefined ? {} : { maxConcurrent: Number(maxConcurrent) }),
    ...(order === undefined ? {} : { order }),
    ...(conflicts === undefined ? {} : { conflicts }),
  };
  const reading = readBacklogMessage('set', changes);
  if (reading.kind === 'ok' && reading.message.kind === 'set')
    return steerBacklog(context, 'set', reading.message.changes);
  throw refusal(
    reading.kind === 'bad' ? foreign(reading.why) : 'nothing is to be set',
    'what is set counts beside the config until it is set anew',
    'sluice backlog set --max-concurrent 4',
  );
}

const WAITS: Readonly<Record<WaitsFor['kind'], (holder: string | null) => string>> = {
  pause: () => 'resume',
  news: (holder) => `${holder === null ? 'the tasks' : `task ${holder}`} to tell how it stands`,
  hold: () => 'somebody to resume it',
  dependency: (holder) => `task ${holder} to be done`,
  files: (holder) => `task ${holder}, which may touch the same files`,
  slot: () => 'a slot',
};

export async function steerBacklog(
  context: Context,
  name: Exclude<BacklogMessageName, 'create' | 'compare'>,
  said: TermChanges = {},
): Promise<ExitCode> {
  const { io, json } = context;
  const by = personOf(context);
  const project = await projectHere(context);
  await using sluice = serverOf(await connectToLook(context));
  await viewOf(sluice, project);
  const workflowId = await sluice.openBacklog(project);
  const sent = await sluice.send(workflowId, { name, argument: { by, ...said } }, io.stop);
  const notTaken = whyNotTaken(sent);
  const words = sent.kind === 'accepted' ? sent.answer.message : (notTaken?.why ?? null);
  if (json) io.json({ kind: 'message', workflowId, name, sent: sent.kind, message: words });
  else io.out(foreign(`the backlog of ${project}: ${words ?? 'no worker answers; the server keeps the word'}`));
  return notTaken?.exitCode ?? EXIT.done;
}

async function projectHere(context: Context): Promise<string> {
  const { root, baseSha } = await checkRepository(context, {});
  const { policy } = await effectiveConfig(context, { root, baseSha, runInput: {}, program: null, toLook: true });
  return policy.project.name ?? (await projectAt(root));
}

/** Errors: RefusedError where nothing was ever handed in. */
async function viewOf(sluice: Sluice, project: string): Promise<BacklogView> {
  const view = await sluice.backlog(project);
  if (view !== null) return view;
  throw new RefusedError({
    what: `nothing was handed in to the backlog of ${foreign(project)}`,
    why: 'a backlog begins with its first task',
    now: 'Nothing was changed.',
    mend: 'sluice task create "<task>"',
  });
}

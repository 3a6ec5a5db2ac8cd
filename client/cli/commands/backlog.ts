/** `sluice backlog …`: the queue of a repository's tasks as a whole. */
import type { BacklogView, WaitsFor } from '../../../protocol/actors/backlog.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { projectAt } from '../../repository.js';
import type { Sluice } from '../../sluice.js';
import { connectToLook } from '../server/connect.js';
import { checkRepository } from '../start/check-repository.js';
import { effectiveConfig } from '../start/choose-config.js';
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
    ...(waiting === 0 ? [] : [`${waiting} wait to be taken in`]),
    ...queue.map(
      ({ id, waitsFor, meets }) =>
        `${project}-${id}  ${waitsFor === null ? 'starts' : `waits for ${WAITS[waitsFor.kind](waitsFor.holder)}`}${meets.length === 0 || waitsFor?.kind === 'files' ? '' : `; may touch files of ${meets.join(', ')}`}`,
    ),
  ];
}

const WAITS: Readonly<Record<WaitsFor['kind'], (holder: string | null) => string>> = {
  pause: () => 'resume',
  news: (holder) => `${holder === null ? 'the tasks' : `task ${holder}`} to tell how it stands`,
  dependency: (holder) => `task ${holder} to be done`,
  files: (holder) => `task ${holder}, which may touch the same files`,
  slot: () => 'a slot',
};

export async function steerBacklog(context: Context, name: 'pause' | 'resume'): Promise<ExitCode> {
  const { io, json } = context;
  const by = personOf(context);
  const project = await projectHere(context);
  await using sluice = serverOf(await connectToLook(context));
  await viewOf(sluice, project);
  const workflowId = await sluice.openBacklog(project);
  const sent = await sluice.send(workflowId, { name, argument: { by } }, io.stop);
  const said = sent.kind === 'accepted' ? sent.answer.message : sent.kind === 'refused' ? sent.why : null;
  if (json) io.json({ kind: 'message', workflowId, name, sent: sent.kind, message: said });
  else io.out(foreign(`the backlog of ${project}: ${said ?? 'no worker answers; the server keeps the word'}`));
  return sent.kind === 'accepted' || sent.kind === 'queued' ? EXIT.done : EXIT.needsPerson;
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

/** `sluice landings`: what is on its way to its base, what waits for a person, and the merge queues that are paused or held. */
import type { MergeQueueView } from '../../../protocol/actors/merge-queue.js';
import { landingId } from '../../../protocol/names.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { ListedLanding } from '../../calls/landing-calls.js';
import type { MessageToSend, Sluice } from '../../sluice.js';
import { pullText } from '../../views/landing-text.js';
import { findRun, findRunIfAny } from '../find/find-run.js';
import { whyNotTaken } from '../gates/why-not-taken.js';
import { connectToLook } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { checkOption } from '../terminal/message-text.js';
import { personOf } from '../terminal/person.js';

export interface DropOptions {
  readonly run: string;
  readonly reason?: string | undefined;
}

export async function listLandings(context: Context, connect = connectToLook): Promise<ExitCode> {
  const { io, json } = context;
  await using sluice = serverOf(await connect(context));
  const [landings, queues] = await Promise.all([sluice.landings(), sluice.mergeQueues()]);
  const views = queues.flatMap(({ view }) => (view === null ? [] : [view]));
  if (json) {
    for (const landing of landings) io.json({ kind: 'landing', ...landing });
    for (const view of views) io.json({ kind: 'merge_queue', ...view });
    return EXIT.done;
  }
  for (const landing of landings) io.out(foreign(lineOf(landing)));
  for (const view of views) io.out(foreign(queueLine(view)));
  if (landings.length === 0 && views.length === 0) io.out('Nothing has landed yet. Land a run with: sluice land <run>');
  return EXIT.done;
}

/** Gives the head of a run up, unless it has landed before its queue hears of it. */
export async function dropLanding(context: Context, options: DropOptions, connect = connectToLook): Promise<ExitCode> {
  const by = personOf(context);
  const reason = checkOption('--reason', options.reason, 'sluice landings drop <run> --reason "<why>"');
  await using sluice = serverOf(await connect(context));
  const { runId } = await findRun(context, sluice, options.run);
  return await sendTo(context, sluice, {
    workflowId: landingId(runId),
    about: `the landing of ${runId}`,
    message: { name: 'abort', argument: { by, reason } },
  });
}

export interface SteerOptions {
  readonly name: 'pause' | 'resume';
  /** A base, or a run whose landing is meant; null: the only merge queue. */
  readonly asked: string | null;
}

export async function steer(
  context: Context,
  { name, asked }: SteerOptions,
  connect = connectToLook,
): Promise<ExitCode> {
  const message = { name, argument: { by: personOf(context) } };
  await using sluice = serverOf(await connect(context));
  const queues = await sluice.mergeQueues();
  const meant = queues.filter(({ view }) => asked === null || view?.branch === asked);
  const [only, ...others] = meant;
  if (only !== undefined && others.length === 0) {
    const about = `the merge queue of ${only.view?.branch ?? only.workflowId}`;
    return await sendTo(context, sluice, { workflowId: only.workflowId, about, message });
  }
  const run = only === undefined && asked !== null ? await findRunIfAny(context, sluice, asked) : null;
  if (run === null) throw new RefusedError(notOne(meant.length, name));
  return await sendTo(context, sluice, {
    workflowId: landingId(run.runId),
    about: `the landing of ${run.runId}`,
    message,
  });
}

interface Word {
  readonly workflowId: string;
  readonly about: string;
  readonly message: MessageToSend;
}

async function sendTo({ io, json }: Context, sluice: Sluice, { workflowId, about, message }: Word): Promise<ExitCode> {
  const sent = await sluice.send(workflowId, message, io.stop);
  const notTaken = whyNotTaken(sent);
  const said = sent.kind === 'accepted' ? sent.answer.message : (notTaken?.why ?? null);
  if (json) io.json({ kind: 'message', workflowId, name: message.name, sent: sent.kind, message: said });
  if (notTaken === null) {
    if (!json) io.out(foreign(`${about}: ${said ?? 'no worker answers; the server keeps the word'}`));
    return EXIT.done;
  }
  throw new RefusedError(
    {
      what: `${foreign(about)} did not take "${message.name}"`,
      why: foreign(notTaken.why),
      now: 'Nothing was changed.',
      mend: 'sluice landings list',
    },
    { exitCode: notTaken.exitCode },
  );
}

function lineOf({ runId, merge, base, entry, gate, paused, pull, repair, why }: ListedLanding): string {
  const isShown = pull !== null && entry === null && merge === 'unmerged';
  const at = paused ? 'paused' : isShown ? pullText(pull) : (entry ?? merge);
  const working = repair === null ? at : `mended by ${repair}`;
  const state = gate === null ? working : `waits for a person: ${gate.replaceAll('_', ' ')}`;
  return [runId, state, base ?? '', why ?? ''].filter((part) => part !== '').join('  ');
}

function queueLine({ branch, state, why, use, entries, chain }: MergeQueueView): string {
  const ready = chain?.links.length ?? 0;
  const counts = `${entries.length - ready} in the queue, ${ready} ready`;
  const held = why === null ? '' : ` (${why})`;
  return `queue of ${branch}  ${state}${held}  ${counts}${use === null || ready === 0 ? '' : `, but ${use}`}`;
}

function notOne(count: number, name: string) {
  return {
    what: count === 0 ? 'there is no such merge queue, and no such run' : `${count} merge queues can be meant`,
    why: 'a queue is there while something waits in it, and is named by its branch; the landing of one run by its id',
    now: 'Nothing was changed.',
    mend: `sluice landings list    then: sluice landings ${name} <branch or run>`,
  };
}

/** Errors: RefusedError. */
function serverOf(sluice: Sluice | null): Sluice {
  if (sluice !== null) return sluice;
  throw new RefusedError({
    what: 'the engine is down, so landings cannot be asked about',
    why: 'landings and merge queues live on the server',
    now: 'Nothing was changed.',
    mend: 'sluice up',
  });
}

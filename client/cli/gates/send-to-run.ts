/**
 * What every message of a person does: find the run that is meant, send, and say what is true now. Accepted and queued are different words.
 * Refused inside a turn and where no server could keep the message; an interrupt leaves open whether the run took it, and says so.
 */

import { orAborted } from '../../../config/system/or-aborted.js';
import { formatRefusal, type Refusal, RefusedError } from '../../../protocol/text/refusal.js';
import { gateOwnerOf, liveOwnerOf } from '../../look/find-landings.js';
import type { FoundRun } from '../../look/find-runs.js';
import type { MessageToSend, Sent, Sluice } from '../../sluice.js';
import { findMeantRun, type MeantRun } from '../find/meant-run.js';
import { connectToLook } from '../server/connect.js';
import { type Context, tellStopped } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, foreignBlock } from '../terminal/io.js';

export interface RunMessageCommand extends MeantRun {
  /** The command as a person types it: `approve`, `approvals decide`. */
  readonly command: string;
  /** What to send to the run that was found. Errors: RefusedError where there is nothing to send. */
  readonly compose: (run: FoundRun, sluice: Sluice) => Promise<MessageToSend> | MessageToSend;
  /** After the run took it, or the server kept it: says more, or waits. Answers the exit code. */
  readonly afterwards?: (sent: TakenByRun) => Promise<ExitCode>;
}

export interface TakenByRun {
  readonly run: FoundRun;
  readonly sluice: Sluice;
}

/** Errors: RefusedError for everything that is refused before it was sent. */
export async function sendToRun(
  context: Context,
  command: RunMessageCommand,
  connect = connectToLook,
): Promise<ExitCode> {
  const { stop } = context.io;
  await using sluice = await orAborted(
    connect(context).then((found) => serverFor(found, command)),
    stop,
    () => null,
  );
  if (sluice === null) return tellStopped(context, 'Nothing was sent.');
  const found = await orAborted(composed(context, sluice, command), stop, () => null);
  if (found === null) return tellStopped(context, 'Nothing was sent.');
  const sent = await sendTelling(context, sluice, found);
  if (sent === null) {
    context.io.err(
      `Stopped. Whether the run took the message is not known; see: sluice status ${foreign(found.run.runId)}`,
    );
    return EXIT.detached;
  }
  const code = tell(context, { ...found, sent });
  return code === EXIT.done && command.afterwards !== undefined
    ? await command.afterwards({ run: found.run, sluice })
    : code;
}

interface Composed {
  readonly run: FoundRun;
  readonly message: MessageToSend;
}

async function composed(context: Context, sluice: Sluice, command: RunMessageCommand): Promise<Composed> {
  const meant = await findMeantRun(context, sluice, command);
  const run = await ownerOf(meant, sluice, command);
  return { run, message: await command.compose(run, sluice) };
}

/** Its landing goes on where a run is closed. */
function ownerOf(run: FoundRun, sluice: Sluice, { command, meant }: RunMessageCommand): Promise<FoundRun> | FoundRun {
  if (meant === 'decision' || meant === 'answer') return gateOwnerOf(run, sluice);
  return command === 'pause' || command === 'resume' ? liveOwnerOf(run, sluice) : run;
}

/** Errors: RefusedError where no server could keep a message. */
function serverFor(sluice: Sluice | null, { command, asked }: RunMessageCommand): Sluice {
  if (sluice !== null) return sluice;
  throw new RefusedError({
    what: 'the local engine is down, so the message cannot be sent or kept',
    why: 'a run takes messages from its server, which keeps them while no worker runs',
    now: 'Nothing was sent; the run stands where it stood.',
    mend: `sluice up && sluice ${command}${asked === null ? '' : ` ${foreign(asked)}`} …`,
  });
}

/** **Unit** ms: an answer takes 20; after this somebody wonders. */
const TELL_AFTER_MS = 2_000;

/** Null when the person stopped first. */
async function sendTelling({ io }: Context, sluice: Sluice, { run, message }: Composed): Promise<Sent | null> {
  const timer = setTimeout(
    () => io.err('No worker has answered yet; after 10 s the message is left with the server.'),
    TELL_AFTER_MS,
  );
  try {
    return await sluice.send(run.workflowId, message, io.stop);
  } catch (error) {
    if (io.stop.aborted) return null;
    throw new RefusedError({
      what: `the server did not take the message for ${foreign(run.runId)}: ${foreign(reasonOf(error))}`,
      why: 'a message counts once the run accepted it or the server keeps it',
      now: 'Whether it arrived is not known.',
      mend: `sluice status ${foreign(run.runId)}    then send it again: a run refuses what was decided already`,
    });
  } finally {
    clearTimeout(timer);
  }
}

interface Told extends Composed {
  readonly sent: Sent;
}

/** One object with --json, whatever became of it. */
function tell({ io, json }: Context, { run, message, sent }: Told): ExitCode {
  const { runId } = run;
  const argument = message.argument;
  if (json)
    io.json({
      kind: 'message',
      runId,
      name: message.name,
      gate: argument['gate'] ?? null,
      sent: sent.kind,
      ...fieldsOf(sent),
    });
  switch (sent.kind) {
    case 'accepted':
      if (!json) io.out(foreign(`${nameOf(message)} accepted by ${runId}: ${sent.answer.message}`));
      return EXIT.done;
    case 'queued':
      if (!json) io.out(foreign(`${nameOf(message)} queued for ${runId}: ${QUEUED}`));
      return EXIT.done;
    case 'cancelled':
      if (!json) io.out(foreign(`abort of ${runId}: ${CANCELLED}`));
      return EXIT.done;
    case 'refused':
      return refused(io.err, refusedParts(run, message, sent.why), EXIT.needsPerson);
    case 'not_kept':
      return refused(io.err, notKeptParts(run, message, sent.why), EXIT.notStarted);
    case 'closed':
      return refused(io.err, closedParts(run, message), EXIT.needsPerson);
    case 'unknown':
      return refused(io.err, unknownParts(run), EXIT.notStarted);
  }
}

function fieldsOf(sent: Sent) {
  const answer = sent.kind === 'accepted' ? sent.answer : null;
  return {
    message: answer?.message ?? null,
    status: answer?.status ?? null,
    changed: answer?.changed ?? null,
    requestId: sent.kind === 'queued' ? sent.requestId : null,
    why: sent.kind === 'refused' || sent.kind === 'not_kept' ? sent.why : null,
  };
}

function refused(err: (text: string) => void, parts: Refusal, code: ExitCode): ExitCode {
  err(foreignBlock(formatRefusal(parts)));
  return code;
}

/** A decision is called by what it decides. */
function nameOf({ name, argument }: MessageToSend): string {
  const { decision } = argument;
  return name === 'approve' && typeof decision === 'string' ? decision.replace('_', ' ') : name;
}

function refusedParts({ runId }: FoundRun, message: MessageToSend, why: string): Refusal {
  return {
    what: `the run ${foreign(runId)} refused "${nameOf(message)}"`,
    why: foreign(why),
    now: 'Nothing was changed.',
    mend: `sluice ${message.name === 'approve' || message.name === 'answer' ? 'approvals show' : 'status'} ${foreign(runId)}`,
  };
}

/** What a person is told of a message that the server keeps: which of the two it was is not asked. */
export const QUEUED =
  'no worker took it, or the server takes no more Updates of it; it is checked when a worker is there';

/** What a person is told where the server keeps no more messages and cancels in place of an abort. */
export const CANCELLED = 'the server keeps no more messages of it, so it was cancelled, which ends it as an abort does';

function notKeptParts({ runId }: FoundRun, message: MessageToSend, why: string): Refusal {
  return {
    what: `the server keeps no "${nameOf(message)}" for ${foreign(runId)}: ${foreign(why)}`,
    why: 'it counts the messages of a run, as Updates and as Signals, and takes no more than its dynamic config says (docs/messages.md)',
    now: 'Nothing was sent; the run stands where it stood and loses nothing.',
    mend: `sluice abort --wait ${foreign(runId)} && sluice rewind ${foreign(runId)}    an abort is not counted; the new run counts from nothing`,
  };
}

function closedParts({ runId, status }: FoundRun, message: MessageToSend): Refusal {
  return {
    what: `the run ${foreign(runId)} is closed, so it takes no "${nameOf(message)}"`,
    why: 'a closed run stays as it ended',
    now:
      status === null ? 'Nothing was changed.' : `Nothing was changed. When it was looked up its status was ${status}.`,
    mend: `sluice status ${foreign(runId)}`,
  };
}

function unknownParts({ runId }: FoundRun): Refusal {
  return {
    what: `the server knows no run ${foreign(runId)}`,
    why: 'a message goes to a run on the server that it was started on',
    now: 'Nothing was sent.',
    mend: 'sluice list',
  };
}

/** Of a refusal what failed alone: what else it says may be true of the connection, and not of the message. */
export function reasonOf(error: unknown): string {
  if (error instanceof RefusedError) return error.parts.what;
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/**
 * The connection of a command to its server. The local engine is started only by commands that need it; looking commands get null and read files.
 * With a local engine no SDK is loaded: its worker makes the calls.
 */
import { lacksPart, messageOf } from '../../../config/system/error-code.js';
import { within } from '../../../config/system/within.js';
import { TASK_QUEUE } from '../../../protocol/names.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { callsOver, openCallLine } from '../../calls/ask-calls.js';
import { BUILD } from '../../calls/call-lines.js';
import { openLate } from '../../calls/open-late.js';
import type { Sluice, SluiceOptions } from '../../sluice.js';
import type { Context } from '../terminal/context.js';
import { foreign } from '../terminal/io.js';
import { chooseServer, type ServerChoice } from './choose-server.js';
import { callsSocket, type EngineReport, lookAtEngine, type RunningEngine, settledEngine, upEngine } from './up.js';

export interface Connected extends AsyncDisposable {
  readonly sluice: Sluice;
  /** Null where the server is not our own engine. */
  readonly engine: RunningEngine | null;
}

/** Our own engine has just said that its server is up: only a machine under load keeps anybody waiting. */
const OWN_CONNECT_MS = 15_000;

/** **Unit** ms: after this somebody wonders. */
const TELL_AFTER_MS = 2_000;

function connectedBy(sluice: Sluice, engine: Connected['engine']): Connected {
  return { sluice, engine, [Symbol.asyncDispose]: () => sluice.close() };
}

/** For commands that start runs: brings the local engine up, or refuses a server where nobody would work. */
export async function connectToRun(context: Context, options: { readonly local: boolean }): Promise<Connected> {
  const choice = await chooseServer(context, options);
  if (choice.kind === 'local') {
    const engine = await upEngine(context, { onProgress: (text) => context.io.err(foreign(text)) });
    return connectedBy(await connectOwn(context, engine, OWN_CONNECT_MS), engine);
  }
  const sluice = await connectRemote(choice);
  const { workflow } = await sluice.pollers();
  if (workflow > 0) return connectedBy(sluice, null);
  await sluice.close();
  throw new RefusedError({
    what: `nobody polls the task queue "${TASK_QUEUE}" at ${foreign(sluice.address)} (${choice.origin})`,
    why: 'a run needs a sluice worker that is connected to the same server and namespace',
    now: 'Nothing was started.',
    mend: 'start one with: sluice worker    or use the local engine: sluice run --local …',
  });
}

/** For commands that look: null when the local engine is down. Errors: RefusedError where it is there and does not answer, or is not up, within `limitMs`. */
export async function connectToLook(context: Context, limitMs = OWN_CONNECT_MS): Promise<Sluice | null> {
  const choice = await chooseServer(context, { local: false });
  if (choice.kind === 'remote') return connectRemote(choice);
  const report = await within(limitMs, lookAtEngine(context.home));
  if (report === 'late') throw notAnswering('its own socket says nothing', limitMs);
  const engine = report?.phase === 'starting' ? await within(limitMs, settledEngine(context.home)) : report;
  if (engine === 'late') throw stillStarting(limitMs);
  return engine !== null && servesPeople(engine) ? connectOwn(context, engine, limitMs) : null;
}

/** While a `sluice down` waits for a turn, and where the engine gave up on its worker, the server takes what ends that turn. */
function servesPeople({ phase, serverPid }: EngineReport): boolean {
  return phase === 'up' || ((phase === 'draining' || phase === 'failed') && serverPid !== null);
}

/** For commands that can do without a server: where the engine is down they say so, on stderr, whatever the form of their output. */
export async function connectOrRead(context: Context, read: string): Promise<Sluice | null> {
  const sluice = await connectToLook(context);
  if (sluice === null) context.io.err(`The engine is down; ${read}.`);
  return sluice;
}

type OwnServer = Pick<RunningEngine, 'address' | 'namespace'>;

/** By the engine's worker, without the SDK; by the SDK where that worker is away or of another build. Errors: RefusedError. */
async function connectOwn({ home, io }: Context, server: OwnServer, limitMs: number): Promise<Sluice> {
  const line = await openCallLine(await callsSocket(home));
  if (line?.build !== BUILD) {
    if (line !== null) io.err(OTHER_BUILD);
    line?.close();
    return await tellingIfBusy(io, connectBySdk(server, limitMs));
  }
  const sdk = openLate(async () => connectBySdk(await whereNow({ home, io }, server), LATE_CONNECT_MS));
  const close = () => {
    line.close();
    return sdk.close();
  };
  const { address, namespace } = server;
  return { address, namespace, ...callsOver(line, sdk.get), close, [Symbol.asyncDispose]: close };
}

/** An engine that was started again may have another address: somebody took its port. */
async function whereNow({ home, io }: Pick<Context, 'home' | 'io'>, before: OwnServer): Promise<OwnServer> {
  const now = await lookAtEngine(home).catch(() => null);
  if (now === null || now.address === before.address) return before;
  io.err(`The engine was started again and is at ${now.address} now.`);
  return now;
}

/** Once the worker is gone the engine may be too, and whoever watches asks again. */
const LATE_CONNECT_MS = 2_000;

const OTHER_BUILD =
  'The engine is of another build than this command line, which loads what asks its server itself; one build again: sluice up --restart';

/** Errors: RefusedError. */
function connectBySdk({ address, namespace }: OwnServer, limitMs: number): Promise<Sluice> {
  return bySdk({ address, namespace, connectTimeoutMs: limitMs }, (why) =>
    notAnswering(`its server at ${address}: ${why}`, limitMs),
  );
}

/** The facade brings parts of the SDK along, which no call over the socket needs. Errors: `refusal`, unless they cannot be loaded any more, which no server mends. */
async function bySdk(options: SluiceOptions, refusal: (why: string) => RefusedError): Promise<Sluice> {
  try {
    const { createSluice } = await import('../../sluice.js');
    return await createSluice(options);
  } catch (error) {
    throw lacksPart(error) ? error : refusal(foreign(messageOf(error)));
  }
}

async function tellingIfBusy<T>({ err }: Context['io'], connecting: Promise<T>): Promise<T> {
  const timer = setTimeout(() => err('The local engine is up and its server is busy; waiting for it.'), TELL_AFTER_MS);
  try {
    return await connecting;
  } finally {
    clearTimeout(timer);
  }
}

function notAnswering(who: string, limitMs: number): RefusedError {
  return new RefusedError({
    what: `the local engine runs and does not answer: ${who}`,
    why: `it must within ${limitMs / 1_000} s, also on a machine that is busy`,
    now: 'Nothing was sent or changed; the runs stand where they stood.',
    mend: 'try again; if it stays so: sluice doctor    or start it anew: sluice down --now && sluice up',
  });
}

function stillStarting(limitMs: number): RefusedError {
  return new RefusedError({
    what: `the local engine is still starting, after ${limitMs / 1_000} s more`,
    why: 'a busy or slow machine takes its time for the server; nothing is wrong until the engine says so',
    now: 'Nothing was sent or changed; the runs stand where they stood.',
    mend: 'sluice up    waits until it is up, or says why not',
  });
}

function connectRemote({ options, origin, leave }: Extract<ServerChoice, { kind: 'remote' }>): Promise<Sluice> {
  return bySdk(
    options,
    (why) =>
      new RefusedError({
        what: `the Temporal server at ${foreign(options.address)} (${origin}) does not answer`,
        why: `it must be reachable within 2 s: ${why}`,
        now: 'Nothing was started.',
        mend: `start that server, or use the local engine: ${leave}    or: sluice run --local …`,
      }),
  );
}

/** `sluice approvals`: the open gates of all runs, one gate in full, and the long form of a decision (V-45). */

import type { GateDecision } from '../../../protocol/messages/message-rows.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { ListedItem } from '../../calls/backlog-calls.js';
import { gateOwnerOf, withLandings } from '../../look/find-landings.js';
import { type FoundRun, findRuns, viewOf } from '../../look/find-runs.js';
import { type GateFacts, gatherFacts, partsOf } from '../../look/gate-facts.js';
import { detailsOf, gatesOf, openGates } from '../../look/open-gates.js';
import type { Sluice } from '../../sluice.js';
import { decidingCommands, gateLine, gateRows } from '../../views/gate-text.js';
import { MAX_ITEMS } from '../find/find-item.js';
import { findRun } from '../find/find-run.js';
import { findMeantRun, meantRuns } from '../find/meant-run.js';
import { chosenGate, decisionFor } from '../gates/decide-gate.js';
import { factRows, lookingCommand } from '../gates/fact-rows.js';
import { sendToRun } from '../gates/send-to-run.js';
import { connectToLook } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { lookPlaceOf } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, type Io } from '../terminal/io.js';
import { checkOption, checkText } from '../terminal/message-text.js';
import { personOf } from '../terminal/person.js';
import { timeText } from '../terminal/time-text.js';

/** Without a run the open gates of every run that waits; with one all its gates. */
export async function listApprovals(
  context: Context,
  { run: asked }: { readonly run: string | null },
): Promise<ExitCode> {
  const { io, json } = context;
  await using sluice = await connectToLook(context);
  const { gates, unseen } =
    asked === null
      ? await everyOpenGate(context, sluice)
      : await everyGateOf(await findRun(context, sluice, asked), sluice);
  const tasks = asked === null && sluice !== null ? await gatedTasks(sluice) : [];
  for (const run of unseen) tellUnseen(context, run);
  for (const task of tasks) tellTask(context, task);
  if (json) for (const { run, gate } of gates) io.json({ kind: 'gate', title: run.title, ...gate });
  else if (gates.length + unseen.length + tasks.length === 0)
    io.out(asked === null ? 'No run waits for a person.' : 'This run has no gates.');
  else for (const { run, gate } of gates) tellGate(context, run, gate);
  return EXIT.done;
}

/** Tasks of a backlog that somebody must let start. */
async function gatedTasks(sluice: Sluice): Promise<readonly ListedItem[]> {
  return (await sluice.items(MAX_ITEMS)).filter(({ state, closedAt }) => state === 'gated' && closedAt === null);
}

function tellTask({ io, json }: Context, item: ListedItem): void {
  if (json) return io.json({ kind: 'item', ...item });
  const { project, id, title, startedAt } = item;
  const name = foreign(`${project}-${id}`);
  const { bold, dim } = io.colors;
  io.out(`${bold(name)}  ${foreign(title ?? '')}`);
  io.out(`  a task that waits to be let start, since ${timeText(startedAt, io)}`);
  io.out(dim(`  sluice task approve ${name}    in full: sluice task show ${name}`));
}

export interface ShowOptions {
  readonly run: string | null;
  readonly gate: string | null;
}

export async function showApproval(context: Context, { run: asked, gate: id }: ShowOptions): Promise<ExitCode> {
  const { io, json } = context;
  await using sluice = await connectToLook(context);
  const meant =
    asked === null && sluice !== null
      ? await findMeantRun(context, sluice, { asked, meant: 'decision' })
      : await findRun(context, sluice, asked);
  const run = sluice === null ? meant : await gateOwnerOf(meant, sluice);
  const gate = shownGate(await gatesOrRefuse(run, sluice), run.runId, id);
  const facts = await factsOf(context, { run, gate }, sluice);
  if (json) io.json({ kind: 'gate', title: run.title, ...gate, shown: facts });
  else for (const line of gateInFull({ run, gate }, facts, io)) io.out(line);
  return EXIT.done;
}

async function factsOf({ io }: Context, { run, gate }: ShownGate, sluice: Sluice | null): Promise<GateFacts> {
  const [view, details] = await Promise.all([viewOf(run, sluice), detailsOf(run, sluice)]);
  const place = { runDir: run.runDir, repo: run.repo ?? io.cwd, baseSha: view?.baseSha ?? null };
  return gatherFacts(place, gate, details?.stages ?? []);
}

export interface DecideForm {
  readonly run: string;
  readonly gate: string | null;
  readonly approve: boolean;
  readonly reject: boolean;
  readonly requestChanges?: string | undefined;
  readonly note?: string | undefined;
  readonly commit?: string | undefined;
}

export async function decideApproval(context: Context, form: DecideForm): Promise<ExitCode> {
  const by = personOf(context);
  const { decision, note } = decisionOf(form);
  return sendToRun(context, {
    command: 'approvals decide',
    asked: form.run,
    meant: 'decision',
    compose: (run, sluice) =>
      decisionFor(run, sluice, { decision, note, by, gate: form.gate, commit: form.commit ?? null }),
  });
}

const USAGE = 'sluice approvals decide <run> [gate] --approve | --reject | --request-changes "<text>"';

/** Errors: RefusedError unless exactly one decision is named. */
function decisionOf({ approve, reject, requestChanges, note }: DecideForm): {
  decision: GateDecision;
  note: string | null;
} {
  const named: readonly GateDecision[] = [
    ...(approve ? (['approve'] as const) : []),
    ...(reject ? (['reject'] as const) : []),
    ...(requestChanges === undefined ? [] : (['request_changes'] as const)),
  ];
  const [decision] = named;
  if (decision === undefined || named.length > 1) {
    throw new RefusedError({
      what: named.length === 0 ? 'no decision is named' : `${named.length} decisions are named`,
      why: 'exactly one of --approve, --reject and --request-changes is taken',
      now: 'Nothing was sent.',
      mend: USAGE,
    });
  }
  if (requestChanges === undefined) return { decision, note: checkOption('--note', note, USAGE) };
  if (note !== undefined) {
    throw new RefusedError({
      what: '--note stands beside --request-changes',
      why: 'the text of --request-changes is the note',
      now: 'Nothing was sent.',
      mend: USAGE,
    });
  }
  return { decision, note: checkText({ name: '--request-changes', text: requestChanges, usage: USAGE }) };
}

interface ShownGate {
  readonly run: FoundRun;
  readonly gate: Gate;
}

interface FoundGates {
  readonly gates: readonly ShownGate[];
  /** Runs that wait for a person, but nobody here can say at which gate. */
  readonly unseen: readonly FoundRun[];
}

async function everyOpenGate(context: Context, sluice: Sluice | null): Promise<FoundGates> {
  const waiting = meantRuns(await withLandings(await findRuns(lookPlaceOf(context), sluice), sluice), 'gated');
  const perRun = await Promise.all(
    waiting.map(async (meant) => {
      const run = sluice === null ? meant : await gateOwnerOf(meant, sluice);
      return { run, gates: await gatesOf(run, sluice) };
    }),
  );
  return {
    gates: perRun.flatMap(({ run, gates }) => openGates(gates ?? []).map((gate) => ({ run, gate }))),
    unseen: perRun.flatMap(({ run, gates }) => (gates === null ? [run] : [])),
  };
}

/** Its own, and those of its landing. */
async function everyGateOf(run: FoundRun, sluice: Sluice | null): Promise<FoundGates> {
  const landing = run.closedAt === null ? null : await sluice?.landing(run.runId).catch(() => null);
  const gates = [...(await gatesOrRefuse(run, sluice)), ...(landing?.gates ?? [])];
  return { gates: gates.map((gate) => ({ run, gate })), unseen: [] };
}

function tellUnseen({ io, json }: Context, { runId, title }: FoundRun): void {
  if (json) io.json({ kind: 'gate_unseen', runId, title });
  else
    io.out(
      `${foreign(runId)} waits for a person, but its gate cannot be looked at: no worker answers. Start one: sluice up`,
    );
}

async function gatesOrRefuse(run: FoundRun, sluice: Sluice | null): Promise<readonly Gate[]> {
  const gates = await gatesOf(run, sluice);
  if (gates !== null) return gates;
  throw new RefusedError({
    what: `the gates of ${foreign(run.runId)} cannot be looked at`,
    why: 'gates are told by the run through a worker, or read from approvals.json on its host',
    now: `Its status is ${run.status ?? 'unknown'}.`,
    mend: 'sluice up    or, on another host: sluice worker',
  });
}

/** A closed gate too, when it is named; else the open one, or the last. */
function shownGate(gates: readonly Gate[], runId: string, id: string | null): Gate {
  const named = id === null ? undefined : gates.find((gate) => gate.id === id);
  if (named !== undefined) return named;
  const last = gates.at(-1);
  if (id === null && last !== undefined && openGates(gates).length === 0) return last;
  return chosenGate(gates, runId, id);
}

function tellGate({ io }: Context, run: FoundRun, gate: Gate): void {
  const { bold, dim } = io.colors;
  io.out(`${bold(foreign(run.runId))}  ${foreign(run.title ?? '')}`);
  io.out(`  ${gateLine(gate)}${gate.status === 'pending' ? '' : dim(` ${gate.status.replace('_', ' ')}`)}`);
  if (gate.status === 'pending')
    io.out(
      dim(`  ${decidingCommands(gate, run.runId)[0] ?? ''}    in full: sluice approvals show ${foreign(run.runId)}`),
    );
}

function gateInFull({ run: { runId, title }, gate }: ShownGate, facts: GateFacts, io: Io): string[] {
  const time = (iso: string) => timeText(iso, io);
  const rows: readonly [string, string | null][] = [
    ['run', runId],
    ['title', title],
    ['gate', `${gate.id}, ${gate.stage === 'completion' ? 'before the end' : gate.stage}, round ${gate.round}`],
    ['status', gate.status],
    ...[...gateRows(gate, { time }), ...factRows(facts, gate)].map(({ name, text }): [string, string] => [name, text]),
    ['opened', time(gate.createdAt)],
    [
      'decided',
      gate.resolvedAt === null
        ? null
        : `${time(gate.resolvedAt)}${gate.resolvedBy === null ? '' : ` by ${gate.resolvedBy}`}`,
    ],
    ['note', gate.decisionNote],
  ];
  const lines = rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(10)}${foreign(value)}`]));
  if (gate.status !== 'pending') return lines;
  const looks = partsOf(facts).map((part) => lookingCommand(part, runId));
  const commands = [...looks, ...decidingCommands(gate, runId)];
  return [...lines, ...commands.map((command, index) => `${(index === 0 ? 'next' : '').padEnd(10)}${command}`)];
}

/** What the journal and people are told of a landing: found by comparing what it was with what it has become, so that no change can go untold. Pure. */
import { MAX_SENTENCE_CHARS } from '../../protocol/limits.js';
import type { EventType, JournalEvent } from '../../protocol/messages/journal.js';
import type { Notification, NotificationKind } from '../../protocol/messages/notification.js';
import type { Gate } from '../../protocol/run/gate.js';
import type { JsonObject } from '../../protocol/text/json.js';
import { gateCommand } from '../gates/gate-book.js';
import type { GateLine } from '../gates/gate-decision.js';
import { approvalData } from '../gates/new-gate.js';
import { sentence } from '../journal/journal.js';
import type { LandingErrand } from './landing-errand.js';
import { isoOf } from './landing-gates.js';
import type { LandingState, LandingStep } from './landing-state.js';
import { viewOf } from './landing-view.js';

/** The oldest are dropped: a host that is away for so long is told the end. */
const MAX_UNWRITTEN = 500;

/** What happened, for the journal, and for people where they are told of it. */
interface Told {
  readonly type: EventType;
  readonly message: string;
  readonly data: JsonObject;
  readonly notify: { readonly kind: NotificationKind; readonly gate: Gate | null } | null;
}

/** `before`: the state that the step began with. */
export function record(before: LandingState, { state: after, errands }: LandingStep, now: number): LandingStep {
  const told = toldOf(before, after);
  const journal = told.reduce(({ seq, unwritten, ...rest }, { type, message, data }) => {
    const event: JournalEvent = { seq: seq + 1, timestamp: isoOf(now), type, message: sentence(message), data };
    return { ...rest, seq: seq + 1, updatedAt: isoOf(now), unwritten: [...unwritten, event].slice(-MAX_UNWRITTEN) };
  }, after.journal);
  const noted = { ...after, journal };
  const tell = tellPeople(noted, told, now);
  const written = { ...noted, journal: { ...journal, told: journal.told + tell.length } };
  return write(before, { state: written, errands: [...errands, ...tell] });
}

/** Nothing waits for it: what a host does not take goes with the next. */
function write(before: LandingState, { state, errands }: LandingStep): LandingStep {
  const { journal, run, runId, gates } = state;
  const isNew = journal.unwritten.at(-1)?.seq !== before.journal.unwritten.at(-1)?.seq;
  const isProgress = before.journal.isWriting && journal.unwritten.length < before.journal.unwritten.length;
  const source = run?.source ?? null;
  if (journal.isWriting || journal.unwritten.length === 0 || source === null) return { state, errands };
  // The first time that the host is known counts too.
  if (!isNew && !isProgress && (before.run?.source ?? null) !== null) return { state, errands };
  const { host, repoKey } = source;
  const batch = { events: journal.unwritten, view: viewOf(state), gates: gates.length === 0 ? null : gates };
  const input = { run: { runId, repoKey }, headRunId: state.headRunId, journal: batch };
  const errand: LandingErrand = { kind: 'write', workflowId: 'files', host, input };
  return { state: { ...state, journal: { ...journal, isWriting: true } }, errands: [...errands, errand] };
}

/** The host holds all up to `seq`; null: it was away. */
export function noteWritten(state: LandingState, seq: number | null): LandingState {
  const { journal } = state;
  const unwritten = seq === null ? journal.unwritten : journal.unwritten.filter((event) => event.seq > seq);
  return { ...state, journal: { ...journal, unwritten, isWriting: false } };
}

function toldOf(before: LandingState, after: LandingState): readonly Told[] {
  return [...gateLines(before, after), ...ringLines(before, after), ...mergeLines(before, after)];
}

function gateLines(before: LandingState, after: LandingState): readonly Told[] {
  return after.gates.flatMap((gate): Told[] => {
    const known = before.gates.find(({ id }) => id === gate.id);
    if (known?.status === gate.status) return [];
    const opened = `${gate.id} before ${gate.stage}: ${gate.reason}`;
    if (gate.status === 'pending')
      return [gateTold(gate, { type: 'approval.requested', message: opened }, 'gate_opened')];
    const message =
      gate.status === 'expired'
        ? `${gate.id} expired: nobody decided`
        : `${gate.resolvedBy ?? 'somebody'} decided ${gate.id} before ${gate.stage}: ${gate.status.replace('_', ' ')}`;
    return [gateTold(gate, { type: `approval.${gate.status}`, message }, null)];
  });
}

function ringLines({ rung: before }: LandingState, { rung, gates }: LandingState): readonly Told[] {
  const gate = gates.at(-1);
  if (gate === undefined || gate.status !== 'pending') return [];
  const message = `${gate.id} before ${gate.stage} still waits: ${gate.reason}`;
  const reminded = rung.reminders > before.reminders;
  const escalated = rung.escalated && !before.escalated;
  return [
    ...(reminded ? [gateTold(gate, { type: 'approval.reminded', message }, 'gate_reminder')] : []),
    ...(escalated ? [gateTold(gate, { type: 'approval.escalated', message }, 'gate_escalated')] : []),
  ];
}

function gateTold(gate: Gate, { type, message }: GateLine, kind: NotificationKind | null): Told {
  return { type, message, data: approvalData(gate), notify: kind === null ? null : { kind, gate } };
}

function mergeLines(before: LandingState, after: LandingState): readonly Told[] {
  const [from, to] = [viewOf(before), viewOf(after)];
  const [was, is] = [wordOf(from), wordOf(to)];
  // What keeps it, and that the forge may merge it all the same, is told as it is seen.
  if (was === is && keptOf(from) === keptOf(to)) return [];
  const why = keptOf(to) ?? to.repair?.why ?? to.entry?.why ?? null;
  const isOver = to.merge === 'merged' || to.merge === 'abandoned';
  const message = `${was} → ${is}${to.base === null ? '' : ` on ${to.base}`}${why === null ? '' : `: ${why}`}`;
  const data = {
    from: from.merge,
    to: to.merge,
    entry: to.entry?.state ?? null,
    base: to.base,
    commit: to.commit,
    why,
  };
  const notify = isOver && was !== is ? ({ kind: 'landing_closed', gate: null } as const) : null;
  return [{ type: 'merge.changed', message, data, notify }];
}

function keptOf({ abandoned, paused, waits }: ReturnType<typeof viewOf>): string | null {
  return abandoned ?? paused ?? waits;
}

/** Its turn in the queue is nothing to keep; that it waits for its base is. */
function wordOf({ merge, entry, pull, repair, paused }: ReturnType<typeof viewOf>): string {
  if (paused !== null) return 'paused';
  if (repair !== null) return `${repair.kind} by ${repair.runId ?? 'a run'}`;
  if (merge === 'unmerged' && entry === null && pull !== null)
    return `pull request ${pull.number}${pull.at === null ? '' : `, ${pull.at.replaceAll('_', ' ')}`}`;
  return entry?.state === 'ready' || entry?.state === 'watched' ? entry.state : merge;
}

/** Nobody before the host was asked who is told. */
function tellPeople(state: LandingState, told: readonly Told[], now: number): readonly LandingErrand[] {
  const { runId, run, terms, self, journal } = state;
  const source = run?.source ?? null;
  if (terms === null || source === null || terms.sinks.length === 0) return [];
  const { title, repo, branch, sinks } = terms;
  return told
    .flatMap(({ message, notify }) => (notify === null ? [] : [{ message, ...notify }]))
    .map(({ kind, message, gate }, index): LandingErrand => {
      const notification: Notification = {
        // Of this landing: a later one of the same run counts from one again.
        id: `${runId}:landing:${self.slice(self.lastIndexOf('/') + 1).slice(0, 8)}:${journal.told + index + 1}`,
        kind,
        message: message.slice(0, MAX_SENTENCE_CHARS),
        runId,
        title,
        repo,
        branch,
        stage: null,
        blockedReason: null,
        outcome: run?.outcome ?? null,
        status: gate === null ? 'merge_ready' : 'waiting_for_approval',
        gate: gate?.id ?? null,
        command: gate === null ? `sluice status ${runId}` : gateCommand(gate),
        at: isoOf(now),
      };
      const input = { hostId: source.host, run: { runId, repoKey: source.repoKey }, sinks, notification };
      return { kind: 'tell', workflowId: 'people', input };
    });
}

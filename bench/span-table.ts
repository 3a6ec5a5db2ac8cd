/**
 * Which part of one run takes how long: from the times that the server noted and the points that worker and guard passed. Pure.
 * Spans of a run neither overlap nor leave a gap: their sum is the time from the run's start to its close. Within an activity a span is what lies between two
 * neighbouring points; commands of git and writes of files that begin in it are counted and do not cut it, since they run beside each other.
 */
import { exactTimeOf, type HistoryEvent } from './plain-run.js';

/** As bench/trace/note-points.mjs writes it. Unit of `at`: ms since 1970 with fractions. */
export interface Point {
  readonly role: 'worker' | 'guard';
  readonly name: string;
  /** Type and id of the activity; null for the guard, which knows none. */
  readonly where: string | null;
  readonly at: number;
}

export interface Span {
  readonly from: string;
  readonly to: string;
  /** Of one activity; the mean where the part has several. */
  readonly ms: number;
  /** What began in it, such as `git status`; how often in one activity, as a mean. */
  readonly inside: Readonly<Record<string, number>>;
}

export interface Part {
  readonly kind: string;
  /** How many activities of the run. */
  readonly count: number;
  /** All of them together. */
  readonly ms: number;
  readonly spans: readonly Span[];
}

export interface SpanTable {
  /** From the start of the run to its close. */
  readonly totalMs: number;
  readonly parts: readonly Part[];
}

/** Neither cuts a span. */
const INSIDE = /^(git\.before|git\.after|run-file|journal|server)[-.]/;
/** Of server and worker, both of this machine: one follows the machine's clock, the other counts from its own start. Other runs are further away. */
const CLOCKS_DIFFER_MS = 20;
const SCHEDULED = 'scheduled';
const TAKEN = 'taken by the worker';
const ANSWERED = 'answer at the server';
const NEXT = 'next activity scheduled';

/** Of one closed run, alone on its host. `agents`: the stage of each `runTurn`, in order. Errors: plain Error for a history without its times. */
export function spansOf(
  events: readonly HistoryEvent[],
  points: readonly Point[],
  agents: readonly string[],
): SpanTable {
  const [began, ended] = [exactTimeOf(events[0]), exactTimeOf(events.at(-1))];
  const activities = activitiesIn(events, ended);
  const first = activities[0];
  if (first === undefined || !Number.isFinite(ended - began))
    throw new Error('this history has no activity with its times');
  const start: Part = {
    kind: 'start of the workflow',
    count: 1,
    ms: first.scheduledAt - began,
    spans: [{ from: 'run started', to: SCHEDULED, ms: first.scheduledAt - began, inside: {} }],
  };
  const turns = [...agents];
  const kinds = new Map<string, (readonly Span[])[]>();
  for (const activity of activities) {
    const kind = activity.type === 'runTurn' ? kindOfTurn(turns.shift()) : activity.type;
    kinds.set(kind, [...(kinds.get(kind) ?? []), spansIn(activity, points)]);
  }
  return { totalMs: ended - began, parts: [start, ...[...kinds].map(([kind, lists]) => partOf(kind, lists))] };
}

interface Activity {
  readonly id: string;
  readonly type: string;
  readonly scheduledAt: number;
  readonly takenAt: number;
  readonly answeredAt: number;
  readonly nextAt: number;
}

function activitiesIn(events: readonly HistoryEvent[], ended: number): readonly Activity[] {
  const scheduled = events.filter((event) => event.activityTaskScheduledEventAttributes != null);
  return scheduled.map((event, index) => {
    const id = event.eventId?.toString();
    const isOf = (attributes: { scheduledEventId?: HistoryEvent['eventId'] } | null | undefined) =>
      attributes?.scheduledEventId?.toString() === id;
    const { activityId, activityType } = event.activityTaskScheduledEventAttributes ?? {};
    const next = scheduled[index + 1];
    return {
      id: activityId ?? '',
      type: activityType?.name ?? 'unknown',
      scheduledAt: exactTimeOf(event),
      takenAt: exactTimeOf(events.find((one) => isOf(one.activityTaskStartedEventAttributes))),
      answeredAt: exactTimeOf(events.find((one) => isOf(one.activityTaskCompletedEventAttributes))),
      nextAt: next === undefined ? ended : exactTimeOf(next),
    };
  });
}

function kindOfTurn(stage: string | undefined): string {
  return stage === 'executing' || stage === 'fixing' ? 'write turn' : 'read-only turn';
}

function spansIn(
  { id, type, scheduledAt, takenAt, answeredAt, nextAt }: Activity,
  points: readonly Point[],
): readonly Span[] {
  const isNear = (at: number) => at > scheduledAt - CLOCKS_DIFFER_MS && at < nextAt + CLOCKS_DIFFER_MS;
  const isOfTurn = (at: number) => at >= takenAt && at <= answeredAt;
  const own = points
    .filter(({ role, where, at }) => (role === 'worker' ? where === `${type} ${id}` && isNear(at) : isOfTurn(at)))
    .toSorted((a, b) => a.at - b.at);
  const cuts = [
    { name: SCHEDULED, at: scheduledAt },
    { name: TAKEN, at: takenAt },
    ...own.filter(({ name }) => !INSIDE.test(name)),
    { name: ANSWERED, at: answeredAt },
    { name: NEXT, at: nextAt },
  ];
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index] ?? to;
    const begun = own.flatMap(({ name, at }) => (at >= from.at && at < to.at ? beginning(name) : []));
    return { from: from.name, to: to.name, ms: to.at - from.at, inside: countOf(begun) };
  });
}

function beginning(name: string): readonly string[] {
  if (name.startsWith('git.before-')) return [`git ${name.slice('git.before-'.length)}`];
  if (name === 'run-file.before-rename') return ['file'];
  return name === 'journal.before-append' ? ['journal'] : [];
}

function countOf(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Spans of the same two points are one, at the place where it was met first. */
function partOf(kind: string, activities: readonly (readonly Span[])[]): Part {
  const count = activities.length;
  const merged = new Map<string, Span>();
  for (const { from, to, ms, inside } of activities.flat()) {
    const known = merged.get(`${from} ${to}`);
    const names = new Set([...Object.keys(known?.inside ?? {}), ...Object.keys(inside)]);
    merged.set(`${from} ${to}`, {
      from,
      to,
      ms: (known?.ms ?? 0) + ms / count,
      inside: Object.fromEntries(
        [...names].map((name) => [name, (known?.inside[name] ?? 0) + (inside[name] ?? 0) / count]),
      ),
    });
  }
  const spans = [...merged.values()];
  return { kind, count, ms: count * spans.reduce((sum, { ms }) => sum + ms, 0), spans };
}

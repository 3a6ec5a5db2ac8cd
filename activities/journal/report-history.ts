/** The parts of report.md that tell what happened on the way: rounds, gates, notes of people, failed attempts, the budget. Pure. */
import type { EventType, JournalEvent } from '../../protocol/messages/journal.js';
import { MESSAGE_EVENTS, TELLING_EVENTS } from '../../protocol/messages/message-rows.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { stageUseOf } from '../../protocol/messages/stage-use.js';
import type { BudgetPolicy } from '../../protocol/run/policy.js';
import { printableLine } from '../../protocol/text/printable.js';
import type { Metrics } from '../../protocol/views/metrics.js';
import { listGateWaits } from '../../protocol/views/people-waits.js';
import { bullets, code, duration, field, short, table } from './markdown.js';

const ATTEMPT_EVENTS: readonly EventType[] = [
  'turn.failed',
  'turn.retried',
  'turn.fallback',
  'usage_limit.waiting',
  'usage_limit.cleared',
  'budget.limit',
];

/** One row a round, the first is the one before any fix. */
export function roundsSection({
  view,
  events,
}: {
  readonly view: RunView;
  readonly events: readonly JournalEvent[];
}): string {
  const used = `${view.reviewLoopCount} of ${view.maxReviewLoops} fix ${view.maxReviewLoops === 1 ? 'round' : 'rounds'} used.`;
  const rounds = new Map<string, JournalEvent[]>();
  // A commit does not name its round; the turn that it comes with, just before, does.
  let round = '0';
  for (const event of events) {
    if (typeof event.data['round'] === 'number') round = String(event.data['round']);
    const known = rounds.get(round);
    if (known === undefined) rounds.set(round, [event]);
    else known.push(event);
  }
  const rows = [...rounds]
    .map(([name, of]) => [name, checks(of), review(of), commits(of)])
    .filter((row) => row.some((cell, n) => n > 0 && cell !== ''));
  return rows.length === 0 ? used : `${used}\n\n${table(['Round', 'Checks', 'Review', 'Commits'], rows)}`;
}

export function gatesSection(events: readonly JournalEvent[]): readonly string[] {
  const lines = listGateWaits(events).map(({ requested, decided }) => {
    const { source, commit } = requested.data;
    const about = [field(source), typeof commit === 'string' ? `on ${short(commit)}` : '']
      .filter((part) => part !== '')
      .join(', ');
    return `${requested.message} (${about}). ${decided === null ? 'Open when the run ended.' : decisionOf(requested, decided)}`;
  });
  return lines.length === 0 ? [] : [`## Gates\n\n${bullets(lines)}`];
}

export function listPeopleNotes(events: readonly JournalEvent[]): readonly string[] {
  const lines = events
    .filter(({ type }) => MESSAGE_EVENTS.some((event) => event === type))
    .map(({ timestamp, message, type, data }) => `${timestamp}: ${message}${reasonOf(type, data)}`);
  return lines.length === 0 ? [] : [`## Notes of people\n\n${bullets(lines)}`];
}

export function failedAttempts(events: readonly JournalEvent[]): readonly string[] {
  const lines = events
    .filter(({ type }) => ATTEMPT_EVENTS.includes(type))
    .map(({ timestamp, message }) => `${timestamp}: ${message}`);
  return lines.length === 0 ? [] : [`## Failed attempts and waits\n\n${bullets(lines)}`];
}

/** Failed attempts count. An approved budget gate grants the whole budget once more. */
export function budgetSection({
  metrics,
  budget,
  events,
}: {
  readonly metrics: Metrics;
  readonly budget: BudgetPolicy;
  readonly events: readonly JournalEvent[];
}): string {
  const grants = grantsOf(events);
  const allowed = (limit: number | null, show: (value: number) => string) =>
    limit === null ? 'no limit' : show(limit * (1 + grants));
  const minutes = (value: number) => String(Math.round(value * 10) / 10);
  const usd = (micro: number) => (micro / 1_000_000).toFixed(2);
  const rows = [
    ['Turns', String(metrics.turns), allowed(budget.turns, String)],
    ['Minutes of agents', minutes(metrics.agentMs / 60_000), allowed(budget.minutes, minutes)],
    [
      'USD',
      metrics.costMicroUsd === null ? 'not told by every turn' : usd(metrics.costMicroUsd),
      allowed(budget.microUsd, usd),
    ],
  ];
  const { tokensIn, tokensOut } = metrics;
  const tokens = tokensIn === null || tokensOut === null ? 'not told by every turn' : String(tokensIn + tokensOut);
  if (budget.tokens !== null) rows.push(['Tokens', tokens, allowed(budget.tokens, String)]);
  const waited = [
    ...(metrics.waitingForPeopleMs === 0 ? [] : [`${duration(metrics.waitingForPeopleMs)} waiting for people`]),
    ...(metrics.backOffMs === 0 ? [] : [`${duration(metrics.backOffMs)} between failed attempts`]),
  ];
  const costs = stageCosts(events);
  return [
    table(['Budget', 'Used', 'Allowed'], rows),
    ...(costs === '' ? [] : [costs]),
    ...(waited.length === 0 ? [] : [`Beside that: ${waited.join(', ')}.`]),
  ].join('\n\n');
}

/** Approvals at gates of the run's own budget; one at a gate of the day's allows the run no more. */
function grantsOf(events: readonly JournalEvent[]): number {
  let ofDay = false;
  let grants = 0;
  for (const { type, data } of events) {
    if (type === 'budget.limit') ofDay = typeof data['day'] === 'string';
    if (type === 'approval.approved' && data['source'] === 'budget' && !ofDay) grants += 1;
  }
  return grants;
}

function checks(events: readonly JournalEvent[]): string {
  const commands = events.filter(({ type }) => type === 'validation.command.completed');
  const red = commands.filter(({ data }) => data['status'] === 'failed').length;
  if (commands.length === 0) return '';
  return red === 0 ? `${commands.length} not red` : `${red} of ${commands.length} red`;
}

function review(events: readonly JournalEvent[]): string {
  return events
    .filter(({ type }) => type === 'review.decision')
    .map(({ data }) => `${field(data['value'])} by ${field(data['source'])}`)
    .join(', ');
}

function commits(events: readonly JournalEvent[]): string {
  return events
    .filter(({ type }) => type === 'git.committed')
    .map(({ data }) => code(short(field(data['commit']))))
    .join(', ');
}

const DECIDED: Partial<Record<EventType, string>> = {
  'approval.approved': 'Approved',
  'approval.rejected': 'Rejected',
  'approval.changes_requested': 'Changes requested',
};

function decisionOf(requested: JournalEvent, decided: JournalEvent): string {
  const waited = duration(Math.max(0, Date.parse(decided.timestamp) - Date.parse(requested.timestamp)));
  const how = DECIDED[decided.type];
  if (how === undefined) return `Expired at ${decided.timestamp} after ${waited}: nobody decided.`;
  const { by, note } = decided.data;
  const who = typeof by === 'string' ? printableLine(by) : 'somebody';
  return `${how} by ${who} at ${decided.timestamp} after ${waited}${typeof note === 'string' ? `: ${printableLine(note)}` : '.'}`;
}

/** Of a message whose line does not tell it. */
function reasonOf(type: EventType, data: JournalEvent['data']): string {
  return TELLING_EVENTS.includes(type) || typeof data['text'] !== 'string' ? '' : `: ${data['text']}`;
}

/** Empty where no stage knows its tokens or its cost. */
function stageCosts(events: readonly JournalEvent[]): string {
  const stages = stageUseOf(events);
  if (stages.every(({ tokensIn, tokensOut, costMicroUsd }) => (tokensIn ?? tokensOut ?? costMicroUsd) === null))
    return '';
  const told = (value: number | null, show: (value: number) => string) => (value === null ? 'not told' : show(value));
  const rows = stages.map(({ stage, turns, agentMs, tokensIn, tokensOut, costMicroUsd }) => [
    field(stage),
    String(turns),
    duration(agentMs),
    told(tokensIn, String),
    told(tokensOut, String),
    told(costMicroUsd, (micro) => (micro / 1_000_000).toFixed(4)),
  ]);
  return table(['Stage', 'Turns', 'Time', 'Tokens in', 'Tokens out', 'USD'], rows);
}

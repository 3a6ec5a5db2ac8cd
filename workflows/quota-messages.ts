/** Reads what comes to a quota gate and what a gate tells a run, kindly: what cannot be read is null, changes nothing and breaks nothing. Pure. */
import type { LeaveMessage, ParkMessage, ProbedMessage, QuotaMessageName, QuotaWord } from '../protocol/quota.js';
import type { QuotaEvent } from './quota-table.js';

const MINUTE_MS = 60_000;
const MAX_TURN_MS = 7 * 24 * 60 * MINUTE_MS;
const MAX_ID_CHARS = 1_000;
const MAX_TIME_CHARS = 40;

export function readQuotaEvent(name: QuotaMessageName, argument: unknown): QuotaEvent | null {
  // A list is what the worker makes of a payload that cannot be read: it must not open.
  if (name === 'open') return Array.isArray(argument) ? null : { kind: 'open' };
  const from = senderOf(argument);
  if (from === null) return null;
  switch (name) {
    case 'leave':
      return { kind: 'leave', ...idsOf(from) };
    case 'probed': {
      const result = RESULTS.find((known) => known === from.fields['result']);
      return result === undefined ? null : { kind: 'probed', ...idsOf(from), result, until: timeOf(from.fields) };
    }
    case 'park':
      return {
        kind: 'park',
        ...idsOf(from),
        until: timeOf(from.fields),
        turnMs: turnOf(from.fields),
        overdue: from.fields['overdue'] === true,
      };
  }
}

const RESULTS: readonly ProbedMessage['result'][] = ['limited', 'passed', 'gone'];

export function readQuotaWord(argument: unknown): QuotaWord | null {
  const fields = fieldsOf(argument);
  const wait = idOf(fields, 'wait');
  const word = fields['word'];
  if (wait === null) return null;
  if (word === 'hold' || word === 'probing') {
    const until = timeOf(fields);
    if (until === null) return null;
    return word === 'hold' ? { wait, word, until, told: fields['told'] === true } : { wait, word, until };
  }
  const opening = idOf(fields, 'opening');
  return (word === 'probe' || word === 'open') && opening !== null ? { wait, word, opening } : null;
}

type Fields = Readonly<Record<string, unknown>>;

interface Sender extends LeaveMessage {
  readonly fields: Fields;
}

function senderOf(argument: unknown): Sender | null {
  const fields = fieldsOf(argument);
  const [workflowId, wait] = [idOf(fields, 'workflowId'), idOf(fields, 'wait')];
  return workflowId === null || wait === null ? null : { workflowId, wait, fields };
}

function idsOf({ workflowId, wait }: Sender): LeaveMessage {
  return { workflowId, wait };
}

function fieldsOf(argument: unknown): Fields {
  return typeof argument === 'object' && argument !== null ? (argument as Fields) : {}; // Any object can be asked for a field.
}

function idOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARS ? value : null;
}

/** Null for what is no time. */
function timeOf(fields: Fields): string | null {
  const { until } = fields;
  return typeof until === 'string' && until.length <= MAX_TIME_CHARS && !Number.isNaN(Date.parse(until)) ? until : null;
}

function turnOf({ turnMs }: Fields): ParkMessage['turnMs'] {
  return typeof turnMs === 'number' && turnMs > 0 ? Math.min(turnMs, MAX_TURN_MS) : 60 * MINUTE_MS;
}

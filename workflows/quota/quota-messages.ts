/** Reads what comes to a quota gate: what cannot be read changes nothing and breaks nothing. Pure. */

import { type ParkMessage, type ProbedMessage, QUOTA_LIMITS } from '../../protocol/actors/quota.js';
import type { MessageReading } from '../../protocol/messages/run-message.js';
import { amountIn, type Fields, fieldsOf, nameIn, timeIn, wordIn } from '../../protocol/text/fields.js';
import type { QuotaEvent } from './quota-table.js';

const MINUTE_MS = 60_000;
const MAX_TURN_MS = 7 * 24 * 60 * MINUTE_MS;
const RESULTS: readonly ProbedMessage['result'][] = ['limited', 'passed', 'gone'];

export function readQuotaEvent(name: string, argument: unknown): MessageReading<QuotaEvent> {
  const event = eventOf(name, argument);
  return event === null
    ? { kind: 'bad', why: `the argument of ${name} cannot be read` }
    : { kind: 'ok', message: event };
}

function eventOf(name: string, argument: unknown): QuotaEvent | null {
  // A list is what the worker makes of a payload that cannot be read: it must not open.
  if (name === 'open') return Array.isArray(argument) ? null : { kind: 'open' };
  const fields = fieldsOf(argument);
  const [workflowId, wait] = [nameIn(fields, 'workflowId'), nameIn(fields, 'wait')];
  if (workflowId === null || wait === null) return null;
  const until = timeIn(fields, 'until');
  if (name === 'leave') return { kind: 'leave', workflowId, wait };
  const limit = wordIn(fields, 'limit', QUOTA_LIMITS);
  const seat = nameIn(fields, 'seat');
  if (name === 'park' && limit !== null)
    return {
      kind: 'park',
      workflowId,
      ...(seat === null ? {} : { seat }),
      wait,
      limit,
      until,
      turnMs: turnOf(fields),
      overdue: fields['overdue'] === true,
    };
  const result = wordIn(fields, 'result', RESULTS);
  return name !== 'probed' || result === null ? null : { kind: 'probed', workflowId, wait, result, until };
}

function turnOf(fields: Fields): ParkMessage['turnMs'] {
  const turnMs = amountIn(fields, 'turnMs') ?? 0;
  return turnMs > 0 ? Math.min(turnMs, MAX_TURN_MS) : 60 * MINUTE_MS;
}

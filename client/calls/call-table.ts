/** The one table of what can be asked and sent: every call of the facade, data in, data or an error out. */
import { randomUUID } from 'node:crypto';
import { isRecord } from '../../protocol/text/json.js';
import type { Sluice } from '../sluice.js';

export type Calls = Omit<Sluice, 'address' | 'namespace' | 'close' | typeof Symbol.asyncDispose>;
export type CallName = keyof Calls;

/** How many arguments of a call are data; behind them stands the signal that ends it. */
const DATA: Readonly<Record<CallName, number>> = {
  startRun: 1,
  result: 1,
  status: 1,
  details: 1,
  send: 2,
  list: 1,
  overview: 1,
  describe: 1,
  cancel: 1,
  cleanRun: 1,
  dayBudget: 1,
  pollers: 1,
  serverVersion: 0,
  searchAttributes: 0,
  ledgers: 0,
  batches: 0,
  startBatch: 1,
  batchStatus: 1,
  batchResult: 1,
  quotaGates: 0,
  land: 1,
  landing: 1,
  landings: 0,
  mergeQueues: 0,
  openBacklog: 1,
  backlog: 1,
  items: 1,
  item: 1,
};

/**
 * The calls that start, send or end something, each with which of its data bears the request id: made again under the same id, it is the same call.
 * Null: it needs none, for a repeat finds what is there.
 */
const BEARER: Readonly<Partial<Record<CallName, number | null>>> = {
  startRun: 0,
  startBatch: 0,
  cleanRun: 0,
  send: 1,
  cancel: null,
  land: null,
  openBacklog: null,
};

export type Ask = (name: CallName, data: readonly unknown[], stop: AbortSignal | undefined) => Promise<unknown>;

export function isCallName(name: unknown): name is CallName {
  return typeof name === 'string' && Object.hasOwn(DATA, name);
}

export function onlyLooks(name: CallName): boolean {
  return BEARER[name] === undefined;
}

/** With a request id where the call bears one. */
export function withRequestId(name: CallName, data: readonly unknown[]): readonly unknown[] {
  return data.map((value, place) =>
    place === BEARER[name] && isRecord(value) ? { requestId: randomUUID(), ...value } : value,
  );
}

/** Every call of the table, made by `ask`. */
export function callsBy(ask: Ask): Calls {
  const calls = Object.entries(DATA).map(([name, count]) => [
    name,
    (...given: readonly unknown[]) => ask(name as CallName, given.slice(0, count), given[count] as AbortSignal),
  ]);
  // The table has every name of the type, and `ask` answers what the call of that name does.
  return Object.fromEntries(calls) as Calls;
}

/** What was left out arrives as null from a socket. */
export function makeCall(calls: Calls, ...[name, data, stop]: Parameters<Ask>): Promise<unknown> {
  const given = Array.from({ length: DATA[name] }, (_, index) => data[index] ?? undefined);
  // What a call takes is known to who asks it.
  return Reflect.apply(calls[name], calls, [...given, stop]) as Promise<unknown>;
}

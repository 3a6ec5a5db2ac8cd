/** How messages come to an inbox: Signals, and Updates of the same names. */
import {
  currentUpdateInfo,
  defineSignal,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
} from '@temporalio/workflow';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import type { Incoming } from './inbox.js';

interface Names {
  readonly signals: readonly string[];
  /** Those that are Updates too. */
  readonly updates: readonly string[];
}

/** Of an inbox, or of whoever has one. */
interface Door {
  check(incoming: Incoming): void;
  /** Some answers take others. */
  take(incoming: Incoming): MessageAnswer | Promise<MessageAnswer>;
  hear(incoming: Incoming): unknown;
}

export function listen({ signals, updates }: Names, door: Door): void {
  const incoming = (name: string, argument: unknown): Incoming => {
    return { name, argument, updateId: currentUpdateInfo()?.id ?? null };
  };
  // First of all: what was sent before the first task is handed out here, in the order in which it was sent. An unknown Signal is refused there.
  setDefaultSignalHandler((name, argument) => void door.hear(incoming(name, argument)));
  for (const name of signals)
    setHandler(defineSignal<[unknown]>(name), (argument) => void door.hear(incoming(name, argument)));
  for (const name of updates) {
    setHandler(defineUpdate<MessageAnswer, [unknown]>(name), (argument) => door.take(incoming(name, argument)), {
      validator: (argument) => door.check(incoming(name, argument)),
    });
  }
}

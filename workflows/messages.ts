/** The messages of a run, each an Update and a Signal of one name over one desk. An unknown Signal leaves a line in the journal. */
import {
  type CancellationScope,
  currentUpdateInfo,
  defineSignal,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
} from '@temporalio/workflow';
import { type MessageAnswer, RUN_MESSAGES } from '../protocol/run-message.js';
import type { RunContext } from './context.js';
import { MessageDesk } from './message-desk.js';

/** `lifecycle`: what an abort cancels. */
export function handleMessages(context: RunContext, lifecycle: CancellationScope): void {
  const desk = new MessageDesk({ ...context, lifecycle, updateId: () => currentUpdateInfo()?.id });
  // First of all: what was sent before the first task is handed out here, in the order in which it was sent.
  setDefaultSignalHandler((name, argument) => {
    const known = RUN_MESSAGES.find((message) => message === name);
    if (known === undefined) desk.refuse(name, null, `known messages are ${RUN_MESSAGES.join(', ')}`);
    else desk.hear(known, argument);
  });
  for (const name of RUN_MESSAGES) {
    setHandler(defineUpdate<MessageAnswer, [unknown]>(name), (argument) => desk.take(name, argument), {
      validator: (argument) => desk.check(name, argument),
    });
    setHandler(defineSignal<[unknown]>(name), (argument) => desk.hear(name, argument));
  }
}

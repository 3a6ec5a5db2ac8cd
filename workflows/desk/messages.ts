/** The messages of a workflow, each an Update and a Signal of one name over one desk. An unknown Signal leaves a line in the journal. */
import {
  currentUpdateInfo,
  defineSignal,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
} from '@temporalio/workflow';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import { type DeskOwner, MessageDesk, type Messages, type Understood } from './message-desk.js';

export function handleMessages<Name extends string, Message extends Understood>(
  owner: DeskOwner,
  messages: Messages<Name, Message>,
): void {
  const { names } = messages;
  const desk = new MessageDesk(owner, messages, () => currentUpdateInfo()?.id);
  // First of all: what was sent before the first task is handed out here, in the order in which it was sent.
  setDefaultSignalHandler((name, argument) => {
    const known = names.find((message) => message === name);
    if (known === undefined) desk.refuse(name, null, `known messages are ${names.join(', ')}`);
    else desk.hear(known, argument);
  });
  for (const name of names) {
    setHandler(defineUpdate<MessageAnswer, [unknown]>(name), (argument) => desk.take(name, argument), {
      validator: (argument) => desk.check(name, argument),
    });
    setHandler(defineSignal<[unknown]>(name), (argument) => desk.hear(name, argument));
  }
}

/** `sluice steer`, `sluice rename`: a message that is one text. */

import { FIELD_LIMITS, type RunMessageName } from '../../../protocol/messages/message-rows.js';
import type { RunAndText } from '../find/run-and-text.js';
import { sendToRun } from '../gates/send-to-run.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { checkText, textOrInput } from '../terminal/message-text.js';
import { personOf } from '../terminal/person.js';

export interface TextMessage {
  readonly name: RunMessageName;
  /** Where the text goes. */
  readonly field: 'text' | 'title';
}

export async function sendText(
  context: Context,
  { name, field }: TextMessage,
  { run, text: asked }: RunAndText,
): Promise<ExitCode> {
  const by = personOf(context);
  const input = field === 'title' ? asked.replace(/\s+/g, ' ') : await textOrInput(asked, context.io.stop);
  if (input === null) return EXIT.detached;
  const usage = `sluice ${name} [run] "<${field}>"`;
  const text = checkText({ name: `the ${field}`, text: input, usage, limit: FIELD_LIMITS[field] });
  return sendToRun(context, {
    command: name,
    asked: run,
    meant: 'open',
    compose: () => ({ name, argument: { [field]: text, by } }),
  });
}

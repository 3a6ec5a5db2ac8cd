/** `sluice steer`: a text that the next turn reads. */

import type { RunAndText } from '../find/run-and-text.js';
import { sendToRun } from '../gates/send-to-run.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { checkText, textOrInput } from '../terminal/message-text.js';
import { personOf } from '../terminal/person.js';

export async function steer(context: Context, { run, text: asked }: RunAndText): Promise<ExitCode> {
  const by = personOf(context);
  const input = await textOrInput(asked, context.io.stop);
  if (input === null) return EXIT.detached;
  const text = checkText({ name: 'the text', text: input, usage: 'sluice steer [run] "<text>"' });
  return sendToRun(context, {
    command: 'steer',
    asked: run,
    meant: 'open',
    compose: () => ({ name: 'steer', argument: { text, by } }),
  });
}

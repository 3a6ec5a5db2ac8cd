/** `sluice answer`: the text that a turn asked a person for. */

import type { RunAndText } from '../find/run-and-text.js';
import { answerFor } from '../gates/decide-gate.js';
import { sendToRun } from '../gates/send-to-run.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { checkText, textOrInput } from '../terminal/message-text.js';
import { personOf } from '../terminal/person.js';

export interface AnswerOptions extends RunAndText {
  readonly gate?: string | undefined;
}

export async function answer(context: Context, { run, text: asked, gate }: AnswerOptions): Promise<ExitCode> {
  const by = personOf(context);
  const input = await textOrInput(asked, context.io.stop);
  if (input === null) return EXIT.detached;
  const text = checkText({ name: 'the answer', text: input, usage: 'sluice answer [run] "<text>"' });
  return sendToRun(context, {
    command: 'answer',
    asked: run,
    meant: 'answer',
    compose: (found, sluice) => answerFor(found, sluice, { text, by, gate: gate ?? null }),
  });
}

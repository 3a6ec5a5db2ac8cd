/** `sluice answer`: the text that a turn asked a person for. */
import type { Context } from '../context.js';
import { answerFor } from '../decide-gate.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { checkText, textOrInput } from '../message-text.js';
import { personOf } from '../person.js';
import type { RunAndText } from '../run-and-text.js';
import { sendToRun } from '../send-to-run.js';

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

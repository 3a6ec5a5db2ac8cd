/** `sluice rename`: another title for lists. */
import { MAX_TITLE_CHARS } from '../../../protocol/limits.js';
import type { Context } from '../context.js';
import type { ExitCode } from '../exit-codes.js';
import { checkText } from '../message-text.js';
import { personOf } from '../person.js';
import type { RunAndText } from '../run-and-text.js';
import { sendToRun } from '../send-to-run.js';

export async function rename(context: Context, { run, text }: RunAndText): Promise<ExitCode> {
  const by = personOf(context);
  const usage = 'sluice rename [run] "<title>"';
  const title = checkText({ name: 'the title', text: text.replace(/\s+/g, ' '), usage, limit: MAX_TITLE_CHARS });
  return sendToRun(context, {
    command: 'rename',
    asked: run,
    meant: 'open',
    compose: () => ({ name: 'rename', argument: { title, by } }),
  });
}

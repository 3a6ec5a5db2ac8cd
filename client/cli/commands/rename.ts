/** `sluice rename`: another title for lists. */
import { MAX_TITLE_CHARS } from '../../../protocol/limits.js';
import type { RunAndText } from '../find/run-and-text.js';
import { sendToRun } from '../gates/send-to-run.js';
import type { Context } from '../terminal/context.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { checkText } from '../terminal/message-text.js';
import { personOf } from '../terminal/person.js';

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

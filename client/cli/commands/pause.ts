/** `sluice pause` and `sluice resume`: stop at the next stage boundary, and go on from there. */

import { sendToRun } from '../gates/send-to-run.js';
import type { Context } from '../terminal/context.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { checkOption } from '../terminal/message-text.js';
import { personOf } from '../terminal/person.js';

export interface PauseOptions {
  readonly run: string | null;
  readonly note?: string | undefined;
}

/** The run that is meant where none is named. */
const MEANT = { pause: 'open', resume: 'paused' } as const;

export async function sendNote(
  context: Context,
  name: keyof typeof MEANT,
  { run, note: said }: PauseOptions,
): Promise<ExitCode> {
  const by = personOf(context);
  const note = checkOption('--note', said, `sluice ${name} -m "<why>"`);
  return sendToRun(context, {
    command: name,
    asked: run,
    meant: MEANT[name],
    compose: () => ({ name, argument: { note, by } }),
  });
}

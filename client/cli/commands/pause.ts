/** `sluice pause` and `sluice resume`: stop at the next stage boundary, and go on from there. */
import type { Context } from '../context.js';
import type { ExitCode } from '../exit-codes.js';
import type { Meant } from '../meant-run.js';
import { checkOption } from '../message-text.js';
import { personOf } from '../person.js';
import { sendToRun } from '../send-to-run.js';

export interface PauseOptions {
  readonly run: string | null;
  readonly note?: string | undefined;
}

export function pause(context: Context, options: PauseOptions): Promise<ExitCode> {
  return sendNote(context, { ...options, name: 'pause', meant: 'open' });
}

export function resume(context: Context, options: PauseOptions): Promise<ExitCode> {
  return sendNote(context, { ...options, name: 'resume', meant: 'paused' });
}

interface SentNote extends PauseOptions {
  readonly name: 'pause' | 'resume';
  readonly meant: Meant;
}

async function sendNote(context: Context, { name, meant, run, note: said }: SentNote): Promise<ExitCode> {
  const by = personOf(context);
  const note = checkOption('--note', said, `sluice ${name} -m "<why>"`);
  return sendToRun(context, { command: name, asked: run, meant, compose: () => ({ name, argument: { note, by } }) });
}

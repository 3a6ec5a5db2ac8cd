/** `sluice approve` and `sluice reject`: decide the open gate of a run, about the commit that it shows. */

import { decisionFor } from '../gates/decide-gate.js';
import { sendToRun } from '../gates/send-to-run.js';
import type { Context } from '../terminal/context.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { checkOption } from '../terminal/message-text.js';
import { personOf } from '../terminal/person.js';

export interface DecideOptions {
  readonly run: string | null;
  readonly note?: string | undefined;
  readonly gate?: string | undefined;
  readonly commit?: string | undefined;
}

export async function decide(
  context: Context,
  decision: 'approve' | 'reject',
  options: DecideOptions,
): Promise<ExitCode> {
  const by = personOf(context);
  const note = checkOption('--note', options.note, `sluice ${decision} -m "<why>"`);
  const { gate = null, commit = null } = options;
  return sendToRun(context, {
    command: decision,
    asked: options.run,
    meant: 'decision',
    compose: (run, sluice) => decisionFor(run, sluice, { decision, note, by, gate, commit }),
  });
}

/** `sluice down`: stops the local engine when no turn runs any more, or at once with --now. Runs go on at the next `up`. */

import { downEngine, type StopOutcome } from '../server/up.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { personOf } from '../terminal/person.js';

export async function down(context: Context, { now }: { readonly now: boolean }): Promise<ExitCode> {
  personOf(context);
  const { io, json, home } = context;
  const outcome = await downEngine(home, { now, onProgress: (text) => io.err(foreign(text)) });
  if (json) io.json({ stopped: outcome.kind !== 'not_running' });
  else io.out(sentenceOf(outcome));
  return EXIT.done;
}

function sentenceOf(outcome: StopOutcome): string {
  switch (outcome.kind) {
    case 'stopped':
      return 'The local engine is down; runs go on at the next: sluice up';
    case 'not_running':
      return 'No local engine runs in this home.';
    case 'leftovers_ended': {
      const turns = outcome.turns === 1 ? '1 running turn' : `${outcome.turns} running turns`;
      const ended = [
        outcome.worker ? 'its worker' : '',
        outcome.server ? 'its server' : '',
        outcome.turns > 0 ? turns : '',
      ];
      return `The local engine had died; ended what it left: ${ended.filter(Boolean).join(', ')}. Runs go on at the next: sluice up`;
    }
  }
}

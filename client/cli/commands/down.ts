/** `sluice down`: stops the local engine when no turn runs any more, or at once with --now. Runs go on at the next `up`. */
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { foreign } from '../io.js';
import { downEngine } from '../up.js';

export async function down({ io, json, home }: Context, { now }: { readonly now: boolean }): Promise<ExitCode> {
  const { kind } = await downEngine(home, { now, onProgress: (text) => io.err(foreign(text)) });
  if (json) io.json({ stopped: kind === 'stopped' });
  else io.out(kind === 'stopped' ? 'The local engine is down; runs go on at the next: sluice up' : 'No local engine runs in this home.');
  return EXIT.done;
}

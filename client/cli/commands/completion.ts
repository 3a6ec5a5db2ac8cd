/** `sluice completion`: the lines that let a shell complete commands, options, runs and config keys. */
import { COMPLETIONS, type Shell } from '../complete/shells.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';

export async function completion({ io, json }: Context, shell: Shell): Promise<ExitCode> {
  if (json) io.json({ kind: 'completion', shell, text: COMPLETIONS[shell] });
  else io.write(COMPLETIONS[shell]);
  return EXIT.done;
}

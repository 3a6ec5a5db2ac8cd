/** Long texts on a terminal, in the person's pager; elsewhere, and where it cannot be started, they are printed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Io } from './io.js';

/** As git asks for it: a text that fits is printed, colours are kept, the screen is left as it was. */
const DEFAULT_PAGER = 'less -R';
const DEFAULT_LESS = 'FRX';

/** The shell could not find or start it. */
const NOT_STARTED = [126, 127];

/** Shape: printable text, perhaps coloured. Resolves when the person is done with it. Effects: the pager has terminal and keys meanwhile. */
export async function showText(io: Io, text: string): Promise<void> {
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  if (!io.interactive || !(await io.lend(() => wasPaged(io, whole)))) io.write(whole);
}

async function wasPaged({ env, err }: Io, text: string): Promise<boolean> {
  const asked = (env['PAGER'] ?? '').trim();
  const pager = asked === '' ? DEFAULT_PAGER : asked;
  const child = spawn('/bin/sh', ['-c', pager], {
    env: { LESS: DEFAULT_LESS, ...env },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // Whoever quits early has read enough.
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  const code = await once(child, 'close').then(
    ([exitCode]: unknown[]) => exitCode,
    () => NOT_STARTED[0],
  );
  if (code !== NOT_STARTED[0] && code !== NOT_STARTED[1]) return true;
  err(`The pager "${pager}" cannot be started, so the text is printed; another one: export PAGER=cat`);
  return false;
}

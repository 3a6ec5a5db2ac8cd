/** Long texts on a terminal, in the person's pager; elsewhere, and where it cannot be started, they are printed. */
import type { Io } from './io.js';
import { runForPerson } from './person-program.js';

/** As git asks for it: a text that fits is printed, colours are kept, the screen is left as it was. */
const DEFAULT_PAGER = 'less -R';
const DEFAULT_LESS = 'FRX';

/** Shape: printable text, perhaps coloured. Resolves when the person is done with it. Effects: the pager has terminal and keys meanwhile. */
export async function showText(io: Io, text: string): Promise<void> {
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  if (!io.interactive || !(await wasPaged(io, whole))) io.write(whole);
}

async function wasPaged(io: Io, text: string): Promise<boolean> {
  const asked = (io.env['PAGER'] ?? '').trim();
  const pager = asked === '' ? DEFAULT_PAGER : asked;
  if (await runForPerson(io, { line: pager, env: { LESS: DEFAULT_LESS }, input: text })) return true;
  io.err(`The pager "${pager}" cannot be started, so the text is printed; another one: export PAGER=cat`);
  return false;
}

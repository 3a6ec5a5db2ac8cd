/** Times as whoever reads the output takes them. Source: docs/cli.md. Pure. */
import { localTime } from '../../views/local-time.js';
import type { Io } from './io.js';

/** Local on a screen, in the form of `onScreen`; ISO 8601 with its zone in a pipe. */
export function timeText(iso: string, { outIsTerminal }: Pick<Io, 'outIsTerminal'>, onScreen = localTime): string {
  return outIsTerminal ? onScreen(iso) : iso;
}

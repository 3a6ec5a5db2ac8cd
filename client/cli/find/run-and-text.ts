/** Reads `[run] <text>`: two positions, of which the first may be left out. Pure, and loaded for help. */

export interface RunAndText {
  /** Null: the only run that can be meant. */
  readonly run: string | null;
  readonly text: string;
}

/** With one argument it is the text, and the run is the only one that can be meant. */
export function runAndText(first: string, second: string | undefined): RunAndText {
  return second === undefined ? { run: null, text: first } : { run: first, text: second };
}

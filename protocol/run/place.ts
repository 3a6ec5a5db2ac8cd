/** Where in its run a host activity stands. The workflow draws the token, so a reset or a reused id never meets an old record. */
export interface Place {
  readonly runId: string;
  /** Host activities of one run, counted from 1 in the order in which the workflow scheduled them. */
  readonly seq: number;
  /** A fresh uuid4. */
  readonly token: string;
}

const TOKEN = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?:\.[1-9][0-9]{0,3})?$/;

/** A token of a place, or of a command below it (`<token>.<n>`). Tokens are parts of paths, so hosts check them. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

/** The place of the n-th (from 1) command below a place. */
export function subToken(token: string, n: number): string {
  return `${token}.${n}`;
}

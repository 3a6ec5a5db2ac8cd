/** What `sluice doctor` found out, one line each. */

export type Grade = 'ok' | 'warn' | 'fail';

/** Shape: one line of `sluice doctor --json`. `mend` is null where nothing is to do. */
export interface Finding {
  readonly check: string;
  readonly grade: Grade;
  readonly found: string;
  readonly mend: string | null;
}

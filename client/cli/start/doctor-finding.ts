/** What `sluice doctor` found out, one line each. */

export type Grade = 'ok' | 'warn' | 'fail';

/** Shape: one line of `sluice doctor --json`. `mend` is null where nothing is to do. */
export interface Finding {
  readonly check: string;
  readonly grade: Grade;
  readonly found: string;
  readonly mend: string | null;
}

export function pass(check: string, found: string, mend: string | null = null): Finding {
  return { check, grade: 'ok', found, mend };
}

export function warn(check: string, found: string, mend: string | null): Finding {
  return { check, grade: 'warn', found, mend };
}

export function fail(check: string, found: string, mend: string): Finding {
  return { check, grade: 'fail', found, mend };
}

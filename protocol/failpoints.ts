/**
 * Named points where a test may kill, stop or fail a process. Injected as a dependency; in production it is `noFailpoint`.
 * One name per mark of a turn and per step between two marks; a cell of the kill matrix counts only if its name fired.
 */

export const FAILPOINTS = [
  'turn.before-start',
  'guard.before-claim',
  'guard.after-claim',
  'guard.after-go',
  'guard.before-exit',
  'guard.after-exit',
  'turn.after-exit',
  'turn.before-outcome',
  'turn.after-outcome',
  'turn.after-commit',
  'turn.after-projection',
  'turn.before-record',
  'turn.after-record',
  'validate.after-command',
  'validate.before-record',
  'open.after-worktree',
  'open.before-record',
  'close.before-record',
  'journal.before-append',
  'journal.after-append',
] as const;

export type FailpointName = (typeof FAILPOINTS)[number];

export type Failpoint = (name: FailpointName) => void;

export const noFailpoint: Failpoint = () => {};

/**
 * Named points where a test may kill, stop or fail a process. Injected as a dependency; in production it is `noFailpoint`.
 * The prefix names what goes on: a turn's marks, an activity and its calls of the server, a git command, a write into the run directory, or a step
 * of guard, worker or engine. A cell of the kill matrix counts only if its name fired.
 */

/** Every command of git that a host gives, in its worktrees and in the repository. */
export const GIT_COMMANDS = [
  'cat-file',
  'clean',
  'commit-tree',
  'config',
  'diff-tree',
  'for-each-ref',
  'log',
  'ls-files',
  'reset',
  'rev-list',
  'rev-parse',
  'status',
  'update-index',
  'update-ref',
  'worktree',
  'write-tree',
] as const;

export type GitCommand = (typeof GIT_COMMANDS)[number];

const STEPS = [
  'activity.before-work',
  'activity.before-answer',
  'server.before-heartbeat',
  'server.before-describe',
  'server.after-describe',
  'turn.before-start',
  'turn.after-exit',
  'turn.before-outcome',
  'turn.after-outcome',
  'turn.after-commit',
  'turn.after-projection',
  'turn.before-record',
  'turn.after-record',
  'validate.after-checkout',
  'validate.before-command',
  'validate.after-command',
  'validate.before-record',
  'validate.after-record',
  'open.after-claim',
  'open.after-worktree',
  'open.before-record',
  'open.after-record',
  'close.after-report',
  'close.before-record',
  'close.after-record',
  'journal.before-append',
  'journal.after-append',
  'run-file.before-rename',
  'run-file.after-rename',
  'notify.before-send',
  'notify.after-send',
  'worker.start-connected',
  'worker.start-guarded',
  'worker.start-created',
  'worker.stop-begun',
  'worker.stop-drained',
  'worker.stop-closed',
  'guard.start-locked',
  'guard.start-adopted',
  'guard.start-listening',
  'guard.before-shell',
  'guard.before-claim',
  'guard.after-claim',
  'guard.after-go',
  'guard.before-sweep',
  'guard.before-exit',
  'guard.after-exit',
  'guard.stop-decided',
  'guard.stop-silent',
  'engine.start-listening',
  'engine.start-cleared',
  'engine.start-server-ready',
  'engine.start-worker-ready',
  'engine.stop-begun',
  'engine.stop-worker-ended',
  'engine.stop-server-ended',
  'engine.stop-forgotten',
] as const;

export type FailpointName = (typeof STEPS)[number] | `git.${'before' | 'after'}-${GitCommand}`;

export const FAILPOINTS: readonly FailpointName[] = [
  ...STEPS,
  ...GIT_COMMANDS.flatMap((command) => [`git.before-${command}`, `git.after-${command}`] as const),
];

export type Failpoint = (name: FailpointName) => void;

export const noFailpoint: Failpoint = () => {};

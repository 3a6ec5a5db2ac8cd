/**
 * Named points where a test may kill, stop or fail a process. Injected as a dependency; in production it is `noFailpoint`.
 * The prefix names what goes on: a turn's marks, an activity and its calls of the server, a git command, a write into the run directory, or a step
 * of guard, worker or engine. A cell of the kill matrix counts only if its name fired.
 */

/** What a run of the kill matrix is about. */
export const SCENARIOS = ['run', 'landing', 'landing-forge', 'backlog', 'steps'] as const;

export type Scenario = (typeof SCENARIOS)[number];

/**
 * Every command of git that a host gives, in its worktrees and in the repository, with the scenario that has its cells.
 * Null: no scenario has it for certain, and test/unit/run/clean-run.test.ts kills there.
 */
const GIT = {
  'cat-file': 'run',
  clean: 'run',
  'commit-tree': 'run',
  config: 'run',
  'diff-tree': 'run',
  'for-each-ref': null,
  log: 'run',
  'ls-files': 'run',
  'merge-base': 'landing',
  'merge-tree': 'landing',
  reset: 'run',
  'rev-list': null,
  'rev-parse': 'run',
  status: 'run',
  'update-index': 'run',
  'update-ref': 'run',
  worktree: 'run',
  'write-tree': 'run',
} as const satisfies Readonly<Record<string, Scenario | null>>;

export type GitCommand = keyof typeof GIT;

// `keys` forgets which ones there are.
export const GIT_COMMANDS = Object.keys(GIT) as readonly GitCommand[];

/** By the scenario that has their cells. */
const STEPS = {
  run: [
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
  ],
  landing: [
    'landing.before-view',
    'landing.after-view',
    'land.after-claim',
    'land.after-candidate',
    'land.before-swap',
    'land.after-swap',
    'land.after-read-back',
    'land.before-record',
    'land.after-record',
    'check.after-purge',
    'check.before-record',
    'check.after-record',
    'control.before-start',
    'control.after-start',
  ],
  backlog: [
    'ask.after-checkout',
    'ask.before-record',
    'ask.after-record',
    'admit.after-texts',
    'admit.before-number',
    'admit.after-number',
    'take-over.after-end',
    'take-over.after-mark',
    'take-over.after-aside',
  ],
  steps: ['admit.before-index', 'admit.after-index', 'ask.after-outcome'],
  'landing-forge': ['forge.before-request', 'forge.after-request', 'forge.before-push', 'forge.after-push'],
} as const satisfies Readonly<Record<Scenario, readonly string[]>>;

export type FailpointName = (typeof STEPS)[Scenario][number] | `git.${'before' | 'after'}-${GitCommand}`;

export const FAILPOINTS: readonly FailpointName[] = [
  ...SCENARIOS.flatMap((scenario) => STEPS[scenario]),
  ...GIT_COMMANDS.flatMap(aroundGit),
];

export function failpointsOf(scenario: Scenario): readonly FailpointName[] {
  return [...STEPS[scenario], ...GIT_COMMANDS.filter((command) => GIT[command] === scenario).flatMap(aroundGit)];
}

export type Failpoint = (name: FailpointName) => void;

export const noFailpoint: Failpoint = () => {};

function aroundGit(command: GitCommand): readonly FailpointName[] {
  return [`git.before-${command}`, `git.after-${command}`];
}

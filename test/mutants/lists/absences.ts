/** Hosts, backlogs and machines that are away or full for a while: what waits for them, and what goes on without. */
import type { Mutant } from '../mutant.js';

const AWAY = 'test/unit/workflows/landing-away.test.ts';
const HAND_IN = 'test/unit/workflows/hand-in.test.ts';

export const ABSENCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a landing that nobody attends is given up with a host that is away',
    area: 'landing',
    file: 'workflows/landing/landing-away.ts',
    find: 'const isUnattended = !isAsked && !attended;',
    replace: "const isUnattended = !isAsked && !attended && state.self === '';",
    test: { file: AWAY, title: 'waits for it and begins again, however long, where nobody attends' },
  },
  {
    name: 'a pull request is looked at no more once its host was away',
    area: 'forge',
    file: 'workflows/landing/landing-away.ts',
    find: 'isUnattended || phase.isShown ?',
    replace: 'isUnattended ?',
    test: {
      file: AWAY,
      title: 'goes on looking at what a forge shows (attended: %s), which people may merge meanwhile',
    },
  },
  {
    name: 'a repair whose plan its host could not tell is never planned',
    area: 'landing',
    file: 'workflows/landing/landing-repair.ts',
    find: 'if (phase.runId === null) return plan(state, phase.repair, null);',
    replace: 'if (phase.runId === null) return rest(state);',
    test: { file: AWAY, title: 'plans its repair later where nobody attends' },
  },
  {
    name: 'changes are asked of a run of which nothing is known',
    area: 'landing',
    file: 'workflows/landing/landing-gates.ts',
    find: 'run !== null && run.source !== null ?',
    replace: 'run?.source !== null ?',
    test: { file: AWAY, title: 'offers no changes where nothing of the run is known any more' },
  },
  {
    name: 'a task whose backlog failed for a minute is dropped',
    area: 'backlog',
    file: 'workflows/batch/refused-hand-in.ts',
    find: 'cause instanceof TimeoutFailure || retryState === RetryState.TIMEOUT',
    replace: 'cause instanceof TimeoutFailure',
    test: { file: HAND_IN, title: '%s %s' },
  },
  {
    name: 'a backlog that was ended over a task has refused it',
    area: 'backlog',
    file: 'worker/control-activities.ts',
    find: 'type === UNPROCESSED_UPDATE || type === COMPLETED_UPDATE',
    replace: 'type === UNPROCESSED_UPDATE',
    test: { file: HAND_IN, title: 'is handed in again where %s' },
  },
  {
    name: 'a patch of 70 MB is taken apart',
    area: 'limits',
    file: 'activities/git/inspect/diff.ts',
    find: '{ maxBytes: MAX_DIFF_BYTES }',
    replace: '{ maxBytes: 2 * MAX_DIFF_BYTES }',
    test: {
      file: 'test/unit/security/sizes.test.ts',
      title: 'is refused before the worker, whose heap is bounded, takes it apart',
    },
  },
  {
    name: 'a worker whose log is on a full disk ends of it',
    area: 'engine',
    file: 'worker/logger.ts',
    find: "destination.on('error', () => undefined);",
    replace: '',
    test: { file: 'test/unit/engine/worker-logger.test.ts', title: 'is gone on without, whatever is logged' },
  },
];

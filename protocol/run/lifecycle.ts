/**
 * The lifecycle of a run: its statuses and the one table of legal moves, both made of the rows of its stages.
 * Every status change of every run goes through `createLifecycle` (V-02, V-03); no other file assigns a status.
 */
import type { Boundary } from './gate.js';
import { type HeldStatus, isInRound, isTurnStage, judges, mayWrite, STAGE_ROWS, STAGES, type Stage } from './stages.js';

export const TERMINAL_STATUSES = ['merge_ready', 'blocked', 'failed', 'aborted'] as const;

export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

export type RunStatus = 'created' | Stage | HeldStatus | 'waiting_for_approval' | 'paused' | TerminalStatus;

type Moves = readonly [from: RunStatus, to: readonly RunStatus[]];

const WAITS = ['waiting_for_approval', 'paused'] as const;
const EXITS = ['failed', 'aborted', 'blocked'] as const;
/** From where a change is judged or mended, most of them are `blocked`. */
const JUDGED_EXITS = ['blocked', 'failed', 'aborted'] as const;

const WALKED = STAGES.filter((stage) => !isInRound(stage));
const ROUND = STAGES.filter(isInRound);

/** Of each stage, and of the status that it holds. */
const WORKING: readonly Moves[] = STAGES.flatMap(movesOf);

/** Source: docs/requirements/vibestrate.md "Transition table"; moves missing there are missing on purpose. */
const MOVES: readonly Moves[] = [
  ['created', [...STAGES, ...WAITS, ...EXITS]],
  ...WORKING,
  ['waiting_for_approval', ['created', ...WORKING.map(([status]) => status), ...JUDGED_EXITS]],
  ['paused', ['created', ...WORKING.map(([status]) => status), 'aborted', 'failed']],
  ...TERMINAL_STATUSES.map((status): Moves => [status, []]),
];

export const RUN_STATUSES: readonly RunStatus[] = MOVES.map(([status]) => status);

/** Legal moves. `fromEntries` forgets which keys it is given. */
export const TRANSITIONS = Object.fromEntries(MOVES) as Readonly<Record<RunStatus, readonly RunStatus[]>>;

function movesOf(stage: Stage): readonly Moves[] {
  const { holds, walk } = STAGE_ROWS[stage];
  const exits = walk.changesGo === 'to_round' && isTurnStage(stage) ? JUDGED_EXITS : EXITS;
  // The last stage goes to the end first.
  const to = new Set([...onwardsFrom(stage), ...WAITS, 'merge_ready' as const, ...exits]);
  if (holds === null) return [[stage, [...to]]];
  const next = WALKED.filter((later) => isHeldBefore(stage, later));
  return [
    [stage, [holds.status, ...to]],
    [holds.status, [...next, ...WAITS, ...EXITS]],
  ];
}

function onwardsFrom(stage: Stage): readonly RunStatus[] {
  if (isInRound(stage)) return [...after(ROUND, stage), ...STAGES.filter(judges)];
  const ahead = after(WALKED, stage);
  if (ahead.length === 0) return ['merge_ready'];
  if (STAGE_ROWS[stage].decides !== 'review') return ahead;
  // A review sends a run back to what writes and checks, or into a round.
  const behind = WALKED.slice(WALKED.findIndex(mayWrite), WALKED.indexOf(stage));
  return [...behind, ...ahead, ...ROUND];
}

function isHeldBefore(stage: Stage, next: Stage): boolean {
  const { holds } = STAGE_ROWS[stage];
  return holds !== null && after(WALKED, stage).includes(next) && (holds.before === 'any' || mayWrite(next));
}

function after(stages: readonly Stage[], stage: Stage): readonly Stage[] {
  return stages.slice(stages.indexOf(stage) + 1);
}

/** The status of a stage whose artifact is stored, held on the way to the next (V-12). Null: there is none. */
export function statusBetween(stage: Stage | null, next: Boundary): HeldStatus | null {
  return stage === null || next === 'completion' || !isHeldBefore(stage, next)
    ? null
    : (STAGE_ROWS[stage].holds?.status ?? null);
}

/** An illegal status change: a programming error, so it fails the workflow task and never the run. */
export class StateTransitionError extends Error {
  override readonly name = 'StateTransitionError';

  constructor(
    readonly from: RunStatus,
    readonly to: RunStatus,
    reason: string,
  ) {
    super(`illegal status change ${from} → ${to}: ${reason}`);
  }
}

export function isRunStatus(value: unknown): value is RunStatus {
  return RUN_STATUSES.some((status) => status === value);
}

export function isTerminal(status: RunStatus): status is TerminalStatus {
  return TERMINAL_STATUSES.some((terminal) => terminal === status);
}

/** Refuses what the table does not allow, and `merge_ready` from a stage that is not the last of the list (V-05). */
export function checkTransition(from: RunStatus, to: RunStatus, stages: readonly Stage[]): void {
  if (!TRANSITIONS[from].includes(to)) {
    throw new StateTransitionError(from, to, isTerminal(from) ? `${from} is terminal` : 'not in the table');
  }
  if (to === 'merge_ready' && from !== STAGES.at(-1) && stages.at(-1) !== from) {
    throw new StateTransitionError(from, to, `the stage list does not end at ${from}`);
  }
}

export interface Lifecycle {
  readonly status: RunStatus;
  /** Shape: returns the status that was left. Errors: StateTransitionError, with the status unchanged. */
  move(to: RunStatus): RunStatus;
}

/** The only holder of a run's status. */
export function createLifecycle(stages: readonly Stage[]): Lifecycle {
  let status: RunStatus = 'created';
  return {
    get status() {
      return status;
    },
    move(to) {
      checkTransition(status, to, stages);
      const from = status;
      status = to;
      return from;
    },
  };
}

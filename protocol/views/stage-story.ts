/**
 * What became of each stage of a run, by its journal: its mark, its result, and how long it worked and waited. Pure; the fold of one event is
 * `tellEvent`, so that a live view keeps one story for as long as it watches.
 */
import type { JournalEvent } from '../messages/journal.js';
import type { RunView } from '../messages/run-view.js';
import { isTerminal, type RunStatus } from '../run/lifecycle.js';
import { isInRound, judges, STAGES, type Stage } from '../run/stages.js';

/** `again`: it began, was left, and is entered once more on the way on. `not_yet`: nothing of it was done. */
export type StageMark = 'passed' | 'failed' | 'at_work' | 'waits' | 'again' | 'not_yet';

/** Why a stage did not pass. */
export type StageFailure = 'red_checks' | 'changes_requested' | 'rejected' | 'ended';

export interface StageStory {
  readonly mark: StageMark;
  /** Of what it came to last; null: it passed, or came to nothing yet. */
  readonly failure: StageFailure | null;
  /** A turn, or checks, were started. */
  readonly began: boolean;
  /** Unit: ms. At a gate, at a limit and in a pause a stage waits. */
  readonly workMs: number;
  readonly waitMs: number;
}

export interface RunStory {
  readonly stages: ReadonlyMap<Stage, StageStory>;
  /** At work, or what waits; null between two stages and at the end. */
  readonly current: Stage | null;
  /** ISO 8601: since when `current` works or waits. */
  readonly since: string | null;
  readonly waits: boolean;
}

const UNTOUCHED: StageStory = { mark: 'not_yet', failure: null, began: false, workMs: 0, waitMs: 0 };

export const NO_STORY: RunStory = { stages: new Map(), current: null, since: null, waits: false };

export function tellStory(events: readonly JournalEvent[]): RunStory {
  return events.reduce(tellEvent, NO_STORY);
}

export function storyOf({ stages }: RunStory, stage: Stage): StageStory {
  return stages.get(stage) ?? UNTOUCHED;
}

/** Of a run whose journal is elsewhere: nothing is known of the stages before. */
export function storyOfView({ stage, status, updatedAt }: Pick<RunView, 'stage' | 'status' | 'updatedAt'>): RunStory {
  if (stage === null || isTerminal(status)) return NO_STORY;
  const entered = { ...enter(NO_STORY, stage, false), since: updatedAt };
  return isWait(status) ? wait(entered) : entered;
}

/** Those of `stages` that the run enters by itself from where it began, and every other that it entered. Shape: in their legal order. */
export function stagesOf({ stages: told }: RunStory, stages: readonly Stage[]): readonly Stage[] {
  const first = STAGES.findIndex((stage) => told.has(stage));
  return STAGES.filter(
    (stage, index) => told.has(stage) || (stages.includes(stage) && !isInRound(stage) && index >= first),
  );
}

export function tellEvent(story: RunStory, event: JournalEvent): RunStory {
  const { type, data, timestamp } = event;
  switch (type) {
    case 'state.changed':
      return move(settle(story, timestamp), data['to'], isWait(data['from']));
    case 'turn.started':
    case 'validation.started':
      return begin(settle(story, timestamp));
    case 'validation.command.completed':
      return isRed(data) ? fail(story, 'validating', 'red_checks') : story;
    case 'review.decision':
      if (data['source'] === 'validation') return fail(story, 'validating', 'red_checks');
      return data['value'] === 'APPROVED' ? story : fail(story, 'reviewing', decisionFailure(data['value']));
    case 'verification.decision':
      return data['value'] === 'PASSED' ? story : fail(story, 'verifying', decisionFailure(data['value']));
    case 'approval.requested':
      return data['stage'] === 'completion' ? complete(story) : waitBefore(story, data['stage']);
    case 'usage_limit.waiting':
      return wait(settle(story, timestamp));
    case 'turn.retried':
      return Number(data['waitMs']) > 0 ? wait(settle(story, timestamp)) : story;
    case 'usage_limit.cleared':
      return work(settle(story, timestamp));
    default:
      return story;
  }
}

/** The time since the last change is of the stage that was current. */
function settle(story: RunStory, timestamp: string): RunStory {
  const { current, since, waits } = story;
  if (current === null || since === null) return { ...story, since: timestamp };
  const ms = Math.max(0, Date.parse(timestamp) - Date.parse(since)) || 0;
  const { workMs, waitMs } = storyOf(story, current);
  const told = put(story, current, waits ? { waitMs: waitMs + ms } : { workMs: workMs + ms });
  return { ...told, since: timestamp };
}

function move(story: RunStory, to: unknown, isBack: boolean): RunStory {
  const stage = STAGES.find((known) => known === to);
  if (stage !== undefined) return enter(story, stage, isBack);
  if (isWait(to)) return wait(story);
  if (isTerminal(to as RunStatus)) return end(story, to === 'merge_ready'); // A word that is no status is none of them.
  return { ...pass(story), current: null, waits: false };
}

function enter(story: RunStory, stage: Stage, isBack: boolean): RunStory {
  if (isBack && stage === story.current) return work(story);
  const left = leave(story, stage);
  // A round goes back to what judges; what it mends it mends once more, if at all, in the next.
  const behind = isInRound(stage) ? STAGES.filter(judges) : STAGES.slice(STAGES.indexOf(stage) + 1);
  const again = behind
    .filter((other) => !isInRound(other) && storyOf(left, other).began)
    .reduce((told, other) => put(told, other, { mark: 'again' }), left);
  return { ...put(again, stage, { mark: 'at_work', began: false, failure: null }), current: stage, waits: false };
}

/** On the way on it has passed, unless it came to nothing: it was only entered, or what it came to sends the run elsewhere. */
function leave(story: RunStory, next: Stage): RunStory {
  const { current } = story;
  if (current === null) return story;
  const { mark, failure, began } = storyOf(story, current);
  const isOnward = isInRound(current) || STAGES.indexOf(next) > STAGES.indexOf(current);
  if (failure !== null) return put(story, current, { mark: 'failed' });
  if (mark === 'waits' || isInRound(next)) return put(story, current, { mark: began ? 'again' : 'not_yet' });
  return put(story, current, { mark: isOnward ? 'passed' : 'again' });
}

function pass(story: RunStory): RunStory {
  return story.current === null ? story : put(story, story.current, { mark: 'passed' });
}

/** What would have come again does not: it stays what it came to last. */
function end(story: RunStory, isReady: boolean): RunStory {
  const { current } = story;
  const stages = [...story.stages].map(([stage, told]): [Stage, StageStory] => [
    stage,
    stage === current && told.mark !== 'passed' && !isReady ? ended(told) : { ...told, mark: lastMark(told) },
  ]);
  return { stages: new Map(stages), current: null, since: null, waits: false };
}

function ended(told: StageStory): StageStory {
  return told.began ? { ...told, mark: 'failed', failure: told.failure ?? 'ended' } : { ...told, mark: 'not_yet' };
}

function lastMark({ mark, failure }: StageStory): StageMark {
  if (mark === 'not_yet') return mark;
  return failure === null ? 'passed' : 'failed';
}

function begin(story: RunStory): RunStory {
  const { current } = story;
  return current === null ? story : work(put(story, current, { began: true, failure: null }));
}

function work(story: RunStory): RunStory {
  const { current } = story;
  if (current === null) return story;
  const isDone = storyOf(story, current).mark === 'passed';
  return { ...(isDone ? story : put(story, current, { mark: 'at_work' })), waits: false };
}

function wait(story: RunStory): RunStory {
  const { current } = story;
  return { ...(current === null ? story : put(story, current, { mark: 'waits' })), waits: true };
}

/** A gate before a stage that was not entered yet. */
function waitBefore(story: RunStory, before: unknown): RunStory {
  const stage = STAGES.find((known) => known === before);
  if (stage === undefined || stage === story.current) return story;
  return { ...put(leave(story, stage), stage, { mark: 'waits' }), current: stage, waits: true };
}

/** The last stage has passed; the run waits before its end. */
function complete(story: RunStory): RunStory {
  const { current } = story;
  return current === null || storyOf(story, current).failure !== null ? story : pass(story);
}

function fail(story: RunStory, stage: Stage, failure: StageFailure): RunStory {
  const mark = stage === story.current ? storyOf(story, stage).mark : 'failed';
  return put(story, stage, { failure, mark });
}

function put(story: RunStory, stage: Stage, part: Partial<StageStory>): RunStory {
  return { ...story, stages: new Map([...story.stages, [stage, { ...storyOf(story, stage), ...part }]]) };
}

function decisionFailure(value: unknown): StageFailure {
  return value === 'CHANGES_REQUESTED' ? 'changes_requested' : 'rejected';
}

function isWait(status: unknown): boolean {
  return status === 'waiting_for_approval' || status === 'paused';
}

/** What is red on the base too is judged by the policy, which says so by a decision. */
function isRed({ status, failedOnBase }: JournalEvent['data']): boolean {
  return status !== 'passed' && failedOnBase !== true;
}

/** Counts what a fault cost three tasks that are judged, planned and run by their steps, from git, folders and the agents' ledger. Pure. */
import type { LedgerEntry } from '../../../../activities/agent/scripted/ledger.js';
import type { ItemView } from '../../../../protocol/actors/item.js';
import { FILES, SPOILT, STARTS, STEPS } from './tasks.js';

export const STEPS_COUNTS = [
  'lost',
  'doubled',
  'unreplayable',
  'agentsTwice',
  'starts',
  'stepsLost',
  'stepsTwice',
  'files',
  'retries',
  'answers',
  'trees',
  'leftTrees',
  'slots',
  'orphans',
] as const;

/** Each is 0 where each task was taken in once, judged once by what lies in the repository, and each of its steps made once. */
export type StepsCounts = Readonly<Record<(typeof STEPS_COUNTS)[number], number>>;

interface CommittedStep {
  /** `<task> <step>`. */
  readonly step: string;
  readonly attempt: string;
  readonly subject: string;
}

export interface StepsTraces {
  readonly items: readonly ItemView[];
  /** Slots that are taken though nothing is at work. */
  readonly slots: number;
  /** As of `Project`. */
  readonly taken: readonly string[];
  /** Workflows of items. */
  readonly open: number;
  /** Workflows whose history no worker can load again. */
  readonly unreplayable: number;
  /** Folders of items on the host. */
  readonly numbers: number;
  /** On main, the oldest first. */
  readonly landed: readonly CommittedStep[];
  /** On any branch. */
  readonly committed: readonly CommittedStep[];
  /** Of `FILES`, on main. */
  readonly files: readonly string[];
  /** Of agents. */
  readonly starts: readonly Pick<LedgerEntry, 'stage' | 'token'>[];
  /** As of `Traced`. */
  readonly changedTrees: string;
  /** Checkouts that were made for an ask and are there still. */
  readonly leftTrees: number;
  /** The answer stands in the file of the round that is over. */
  readonly isFiled: boolean;
  /** The question stands there as if nobody had answered it. */
  readonly isAsking: boolean;
  /** What the person typed was moved out of their file, though they had sent it. */
  readonly movedAside: number;
  /** Whether each agent of the first task's steps was told the answer. */
  readonly prompts: readonly boolean[];
  readonly living: number;
}

const ENDS = ['closed merged 1', 'closed merged 1', 'closed duplicate 0'];

/** Turns of the first task's steps. */
const TOLD = 4;

export function countSteps(traces: StepsTraces): StepsCounts {
  const { landed, committed, starts, prompts, taken } = traces;
  const ends = traces.items.map(({ state, reason, runs }) => `${state} ${reason} ${runs}`);
  const steps = STEPS.map((one) => one.slice(0, one.lastIndexOf(' ')));
  return {
    lost: ENDS.filter((end, index) => ends[index] !== end).length,
    doubled: Math.abs(traces.open - ENDS.length) + Math.abs(traces.numbers - ENDS.length),
    agentsTwice: countRepeated(starts.map(({ token }) => token)),
    starts: Object.entries(STARTS).reduce(
      (sum, [stage, count]) => sum + Math.abs(starts.filter((one) => one.stage === stage).length - count),
      starts.filter(({ stage }) => !(stage in STARTS)).length,
    ),
    stepsLost: steps.filter((step, at) => landed[at]?.step !== step).length,
    stepsTwice: countRepeated(committed.map(({ step }) => step)),
    files: Object.values(FILES).filter((text, at) => traces.files[at] !== text).length,
    retries: landed.filter(({ step, attempt }) => !STEPS.some((one) => one === `${step} ${attempt}`)).length,
    answers:
      (traces.isFiled ? 0 : 1) +
      (traces.isAsking ? 1 : 0) +
      traces.movedAside +
      prompts.filter((isTold) => !isTold).length +
      Math.abs(prompts.length - TOLD) +
      countRepeated(taken),
    trees: (traces.changedTrees === '' ? 0 : 1) + committed.filter(({ subject }) => subject.includes(SPOILT)).length,
    leftTrees: traces.leftTrees,
    slots: traces.slots,
    unreplayable: traces.unreplayable,
    orphans: traces.living,
  };
}

function countRepeated(names: readonly string[]): number {
  return names.length - new Set(names).size;
}

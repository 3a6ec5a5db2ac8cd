/** The whole attack: every try in every setting that knows it, runs side by side, and what all of them left behind. */
import { lookForSandbox } from '../../config/system/sandbox-program.js';
import { holdOpen, waitIfEnding } from '../support/close-at-end.js';
import { bytesOf } from './person-look.js';
import { OUTPUT_BYTES, type PlannedRun, planRuns } from './plan-runs.js';
import { type Judged, type RunOutcome, runTries } from './run-tries.js';
import type { Setting, Try } from './try.js';
import { openWorld, type World } from './world.js';

/** Runs under attack at once: most of the time each waits for its agent. */
const LANES = 4;

export interface Attack {
  readonly judged: readonly Judged[];
  /** What somebody who looks afterwards would rather not have seen, in words; a run that did not end is left behind too. */
  readonly leftBehind: readonly string[];
}

export const SETTINGS: readonly Setting[] = ['inside', 'outside'];

/** Null where a sandbox works here, else why not. */
export async function whyNoSandbox(): Promise<string | null> {
  const found = await lookForSandbox({ path: process.env['PATH'] ?? '', forbidden: [] });
  return found.kind === 'works' ? null : found.why;
}

/** `onJudged` hears of each run's tries as it is over. */
export async function attack(
  tries: readonly Try[],
  setting: Setting,
  onJudged: (judged: Judged) => void = () => undefined,
): Promise<Attack> {
  const opening = openWorld(setting);
  // One that is half open is closed once it is whole.
  const close = holdOpen(async () => (await opening).close());
  const world = await opening;
  try {
    const before = bytesOf(world.facts.SHOME);
    const planned = [...planRuns(tries, setting)];
    const outcomes: RunOutcome[] = [];
    const lane = async () => {
      for (let next = planned.shift(); next !== undefined; next = planned.shift()) {
        const outcome = await runTries(world, next).catch(spoiltRun(next, setting));
        for (const one of outcome.judged) onJudged(one);
        outcomes.push(outcome);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return {
      judged: outcomes.flatMap(({ judged }) => judged),
      leftBehind: leftBehind(world, { outcomes, tries, before }),
    };
  } finally {
    await close();
    // What fell under a signal says nothing.
    await waitIfEnding();
  }
}

/** A run that cannot be judged at all. */
function spoiltRun({ name, tries }: PlannedRun, setting: Setting): (error: unknown) => RunOutcome {
  return (error) => {
    const note = `${name}: ${error instanceof Error ? error.stack : String(error)}`;
    const judged = tries.map(({ id, [setting]: expected }) => ({
      id,
      setting,
      note,
      expected: expected ?? '',
      came: 'not tried' as const,
      isAsExpected: false,
    }));
    return { judged, look: { run: name, started: [], bytes: 0 }, broken: null };
  };
}

interface Left {
  readonly outcomes: readonly RunOutcome[];
  readonly tries: readonly Try[];
  readonly before: number;
}

function leftBehind({ setting, facts }: World, { outcomes, tries, before }: Left): readonly string[] {
  const runs = planRuns(tries, setting);
  const started = outcomes.flatMap(({ judged, look }) =>
    isTold(runs, judged, setting) ? [] : look.started.map((what) => `after ${look.run}, git status in the ${what}`),
  );
  const large = outcomes.filter(({ look }) => look.bytes > OUTPUT_BYTES * 2);
  const grown = bytesOf(facts.SHOME) - before;
  const unended = outcomes.flatMap(({ look, broken }) => (broken === null ? [] : [`the run ${look.run} ${broken}`]));
  return [
    ...unended,
    ...started,
    ...large.map(({ look }) => `after ${look.run} the repository has ${look.bytes} bytes`),
    ...(grown > (runs.length + 1) * OUTPUT_BYTES ? [`the sluice home grew by ${grown} bytes`] : []),
  ];
}

/** The person was told what was planted, or a row says that their own git starts it. */
function isTold(runs: readonly PlannedRun[], judged: readonly Judged[], setting: Setting): boolean {
  const tries = runs.flatMap((run) => run.tries).filter(({ id }) => judged.some((one) => one.id === id));
  const isPlanted = ({ effect }: Try) => effect.kind === 'started' || effect.kind === 'obeyed';
  const isDocumented = tries.some((one) => isPlanted(one) && one[setting]?.startsWith('documented') === true);
  return (
    isDocumented ||
    tries.some((one) => isPlanted(one) && judged.some(({ id, came }) => id === one.id && came === 'refused'))
  );
}

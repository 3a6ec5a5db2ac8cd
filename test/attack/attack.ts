/** The whole attack: every try in every setting that knows it, runs side by side, and what all of them left behind. */
import { lookForSandbox } from '../../config/sandbox-program.js';
import { bytesOf } from './person-look.js';
import { OUTPUT_BYTES, type PlannedRun, planRuns } from './plan-runs.js';
import { type Judged, type RunOutcome, runTries } from './run-tries.js';
import type { Setting, Try } from './try.js';
import { openWorld, type World } from './world.js';

/** Runs under attack at once: most of the time each waits for its agent. */
const LANES = 4;

export interface Attack {
  readonly judged: readonly Judged[];
  /** What somebody who looks afterwards would rather not have seen, in words. */
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
  const world = await openWorld(setting);
  try {
    const before = bytesOf(world.facts.SHOME);
    const planned = [...planRuns(tries, setting)];
    const outcomes: RunOutcome[] = [];
    const lane = async () => {
      for (let next = planned.shift(); next !== undefined; next = planned.shift()) {
        const outcome = await runTries(world, next);
        for (const one of outcome.judged) onJudged(one);
        outcomes.push(outcome);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return { judged: outcomes.flatMap(({ judged }) => judged), leftBehind: leftBehind(world, { outcomes, tries, before }) };
  } finally {
    await world.close();
  }
}

interface Left {
  readonly outcomes: readonly RunOutcome[];
  readonly tries: readonly Try[];
  readonly before: number;
}

function leftBehind({ setting, facts }: World, { outcomes, tries, before }: Left): readonly string[] {
  const runs = planRuns(tries, setting);
  const started = outcomes.flatMap(({ look }) =>
    isDocumented(runs, look.run, setting) ? [] : look.started.map((what) => `after ${look.run}, git status in the ${what}`),
  );
  const large = outcomes
    .filter(({ look }) => look.bytes > OUTPUT_BYTES)
    .map(({ look }) => `after ${look.run} the repository has ${look.bytes} bytes`);
  const grown = bytesOf(facts.SHOME) - before;
  return [...started, ...large, ...(grown > runs.length * OUTPUT_BYTES ? [`the sluice home grew by ${grown} bytes`] : [])];
}

/** A row says of a try of this run that the person's own git starts what it planted. */
function isDocumented(runs: readonly PlannedRun[], name: string, setting: Setting): boolean {
  const tries = runs.find((run) => run.name === name)?.tries ?? [];
  return tries.some(({ effect, [setting]: expected }) => effect.kind === 'started' && expected?.startsWith('documented') === true);
}

/**
 * `fixRoundMs`, `rounds20Events`: runs whose reviewer asks for changes twenty times. A round is from the schedule of its fixing turn to the schedule
 * of what follows its review, as the server noted both: fixing, validating and reviewing, without the two agents' and the command's own time.
 */
import { tsToMs } from '@temporalio/common/lib/time.js';
import { MAX_ROUNDS } from '../protocol/limits.js';
import { ownTimes } from './baselines.js';
import {
  activitiesOf,
  add,
  closedWell,
  type HistoryEvent,
  type Measuring,
  measureBaselines,
  startRun,
} from './plain-run.js';

/** `openRun`, three turns, the checks and the first review come before the first round. */
const BEFORE_ROUNDS = 6;
const ROUND = ['runTurn', 'validate', 'runTurn'];
const AGENTS_A_ROUND = 2;

export async function measureFixRounds(measuring: Measuring, count: number): Promise<void> {
  const { host, samples } = measuring;
  for (let n = 0; n < count; n += 1) {
    await measureBaselines(measuring);
    const runId = `bench-rounds-${n}`;
    host.agent.refuse(runId, MAX_ROUNDS);
    const handle = await startRun(host, runId, { rounds: MAX_ROUNDS });
    await closedWell(handle);
    const { agentMs, commandMs } = await ownTimes(host, runId);
    const { events } = await handle.fetchHistory();
    for (const took of roundsIn(events ?? [])) add(samples, 'fixRoundMs', took - AGENTS_A_ROUND * agentMs - commandMs);
    add(samples, 'rounds20Events', events?.length ?? 0);
  }
}

/** Errors: another course than twenty rounds in a row. */
function roundsIn(events: readonly HistoryEvent[]): readonly number[] {
  const scheduled = activitiesOf(events).slice(BEFORE_ROUNDS);
  return Array.from({ length: MAX_ROUNDS }, (_, round) => {
    const [fixing, ...rest] = scheduled.slice(round * ROUND.length, (round + 1) * ROUND.length + 1);
    const next = rest.pop();
    const names = [fixing, ...rest].map((event) => event?.activityTaskScheduledEventAttributes?.activityType?.name);
    if (names.join() !== ROUND.join()) throw new Error(`round ${round + 1} was ${names.join(', ')}`);
    return tsToMs(next?.eventTime) - tsToMs(fixing?.eventTime);
  });
}

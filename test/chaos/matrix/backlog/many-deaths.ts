/**
 * One trial of the scenario `backlog`: five tasks wait while all processes of the engine are killed fifty times, each time brought up again as a person does; then they run. Each is there, once, and
 * runs once. Source: S-57.
 */
import { readLedger } from '../../../../activities/agent/scripted/ledger.js';
import { guardPid } from '../../../support/guard-pid.js';
import { PLAIN_FIXTURE } from '../../../support/test-repository.js';
import type { ChaosHome } from '../chaos-home.js';
import type { Trial } from '../landing/trials.js';
import { handIn, insist, newProjectName, openAttended } from './attended-project.js';

const DEATHS = 50;
const TASKS = ['one', 'two', 'three', 'four', 'five'] as const;
const LIMIT_MS = 15 * 60_000;

export const MANY_DEATHS: Trial = {
  name: `five queued tasks, and all processes killed ${DEATHS} times`,
  run: killAgainAndAgain,
  hasFired: () => true,
};

async function killAgainAndAgain(place: ChaosHome) {
  const config = 'stageList: [executing]\nvalidation:\n  commands: []\n';
  const fixture = PLAIN_FIXTURE;
  const attended = await openAttended(place, newProjectName(), { config, fixture, limitMs: LIMIT_MS });
  const { repository } = attended;
  await insist(attended, async (backlog) => (await backlog.say('pause')).message !== '');
  await handIn(attended, TASKS);
  for (let death = 0; death < DEATHS; death += 1) {
    for (const role of ['engine', 'server', 'worker'] as const) kill(place.pid(role) ?? 0);
    kill(guardPid(place.home));
    await insist(attended, async (backlog) => (await backlog.status()).counts.queued === TASKS.length);
  }
  await insist(attended, async (backlog) => (await backlog.say('resume')).message !== '');
  await insist(attended, async (backlog) => (await backlog.status()).counts.parked === TASKS.length);
  let ends: readonly string[] = [];
  await insist(attended, async (backlog) => {
    const items = await Promise.all(TASKS.map((_, n) => backlog.item(String(n + 1))));
    ends = items.map(({ reason, runs }) => `${reason} ${runs}`);
    return true;
  });
  return {
    lost: ends.filter((end) => end !== 'unmerged 1').length,
    starts: Math.abs(readLedger(repository.ledgerPath).filter(({ event }) => event === 'START').length - TASKS.length),
  };
}

/** Nothing where it is gone already. */
function kill(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

/**
 * The parts of the bench `landing-forge`: the runs of the bench `landing`, shown by pull requests of the fake forge of the tests, whose own time counts with what is measured: it is served by the
 * bench's process, over real git. What was asked of it is read in its log, what landed is counted by git.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LandingTerms } from '../../protocol/actors/landing.js';
import { landingId } from '../../protocol/names.js';
import { DEFAULT_LANDING } from '../../protocol/run/landing-policy.js';
import { type FakeForge, openFakeForge } from '../../test/support/forge/fake-forge.js';
import { RULES, SOURCE, unasked } from '../../test/support/landing-world.js';
import type { BenchHost } from '../bench-host.js';
import type { Few, Parts } from '../parts.js';
import {
  activitiesOf,
  add,
  exactTimeOf,
  type HistoryEvent,
  heardAt,
  type Measuring,
  measureBaselines,
} from '../plain-run.js';
import { makeSmallRepository } from '../repositories.js';
import { until } from '../until.js';
import { closedRuns, countLanded, landAll, placeOf } from './landed-runs.js';

const BRANCH = 'main';
const DAY_MS = 24 * 3_600_000;
/** So that no write waits for one of the pull request before. */
const WRITE_GAP_MS = 1_000;
/** Of a pull request without news, and something for the activities. */
const POLL_MS = 70_000;

export function landingForgeParts(few: Few): Parts {
  return {
    pulls: (measuring) => openPulls(measuring, few(9, 2)),
    looks: (measuring) => lookAtPull(measuring, few(25, 3)),
    pushed: (measuring) => landAtForge(measuring, { name: 'pushed', count: few(30, 3), hasRules: false }),
    rules: (measuring) => landAtForge(measuring, { name: 'rules', count: few(30, 3), hasRules: true }),
  };
}

interface ForgePlace {
  readonly forge: FakeForge;
  readonly host: BenchHost;
}

/** One repository on a forge of its own. */
async function atForge(
  { host }: Measuring,
  name: string,
  measure: (place: ForgePlace) => Promise<void>,
): Promise<void> {
  const forge = await openFakeForge(join(host.folder, `forge-${name}`), `bench/${name}`);
  try {
    const config = `forge: { repo: bench/${name}, apiUrl: "${forge.apiUrl}" }\nlanding: { labels: [bench] }\n`;
    const place = await placeOf(host, { name: `forge-${name}`, make: makeSmallRepository, config });
    execFileSync('git', ['push', '--quiet', forge.state.bare, BRANCH], { cwd: place.repository });
    await measure({ forge, host: place });
  } finally {
    forge.close();
  }
}

/** One after the other, each from the end of its run until its landing has looked at the draft with its body and labels. */
function openPulls(measuring: Measuring, count: number): Promise<void> {
  const { samples } = measuring;
  return atForge(measuring, 'pulls', async ({ forge, host }) => {
    // The first one loads what speaks to a forge.
    await showOne({ forge, host }, 'bench-pull-first');
    for (let n = 0; n < count; n += 1) {
      await measureBaselines(measuring);
      await delay(WRITE_GAP_MS);
      const before = forge.faults.log.length;
      const runId = `bench-pull-${n}`;
      await showOne({ forge, host }, runId);
      const asked = requestsIn(forge, before);
      const pull = forge.state.pulls.at(-1);
      if (pull?.isDraft !== true || pull.body === '' || pull.labels.length === 0)
        throw new Error(`${runId} is not shown by a draft with body and labels`);
      add(samples, 'pullOpenMs', await timeToShow(host, runId));
      add(samples, 'pullOpenRequests', asked.length);
      add(samples, 'pullOpenWrites', asked.filter(isWrite).length);
    }
  });
}

async function showOne({ forge, host }: ForgePlace, runId: string): Promise<void> {
  const looks = forge.faults.done('PullState');
  await closedRuns(host, runId, 1);
  await untilLooked(forge, looks);
  await untilRests(host, `${runId}-0`);
}

async function timeToShow({ client }: BenchHost, runId: string): Promise<number> {
  const { events: ofRun } = await client.workflow.getHandle(`${runId}-0`).fetchHistory();
  const events = await eventsOf(client, `${runId}-0`);
  return decidedAt(events) - exactTimeOf(ofRun?.at(-1));
}

/** Its API counts each request, git each push. */
function requestsIn({ faults }: FakeForge, from: number): readonly string[] {
  return faults.log
    .slice(from)
    .filter(({ at }) => at === 'came')
    .map(({ request }) => request)
    .filter((request) => !request.startsWith('git ') || request === 'git receive-pack');
}

function isWrite(request: string): boolean {
  return !/^(?:GET |PullState$|git )/.test(request);
}

/** Looks that somebody asks for, and then those that nobody asks for: one is measured, and the table says how many a day has. */
function lookAtPull(measuring: Measuring, count: number): Promise<void> {
  const { samples } = measuring;
  return atForge(measuring, 'looks', async ({ forge, host }) => {
    const runId = 'bench-look-0';
    await showOne({ forge, host }, 'bench-look');
    const opening = (await eventsOf(host.client, runId)).length;
    const landing = host.client.workflow.getHandle(landingId(runId));
    for (let n = 0; n < count; n += 1) {
      await measureBaselines(measuring);
      const [looks, before] = [forge.faults.done('PullState'), forge.faults.log.length];
      await landing.signal('look', {});
      await untilLooked(forge, looks);
      await untilRests(host, runId);
      const events = await eventsOf(host.client, runId);
      const rang = events.findLast((event) => event.workflowExecutionSignaledEventAttributes != null);
      add(samples, 'lookMs', decidedAt(events) - exactTimeOf(rang));
      add(samples, 'lookQueries', requestsIn(forge, before).length);
    }
    const before = (await eventsOf(host.client, runId)).length;
    await untilLooked(forge, forge.faults.done('PullState'), POLL_MS);
    await untilRests(host, runId);
    const pollEvents = (await eventsOf(host.client, runId)).length - before;
    const { first, later } = countPolls();
    add(samples, 'pollEvents', pollEvents);
    add(samples, 'firstDayQueries', first);
    add(samples, 'laterDayQueries', later);
    add(samples, 'firstDayEvents', opening + first * pollEvents);
    add(samples, 'laterDayEvents', later * pollEvents);
  });
}

/** How often a landing looks at a pull request of which there is no news, by its own table and a clock of ours. */
function countPolls(): { readonly first: number; readonly later: number } {
  const forge = { repo: 'acme/shop', checksTimeoutMs: 3_600_000, reactRounds: 2 };
  const terms: Partial<LandingTerms> = { forge, landing: { ...DEFAULT_LANDING, mode: 'pr' } };
  const { head } = SOURCE;
  const about = { number: 7, url: 'https://forge/7', state: 'open', head, isDraft: true } as const;
  const updatedAt = new Date(0).toISOString();
  const world = unasked(terms);
  world.tell({ kind: 'ensured', result: { ...about, kind: 'pull', updatedAt } });
  const looks: number[] = [];
  for (let at = 0; at < 3 * DAY_MS; at = RULES.wakesAt(world.state) ?? Number.POSITIVE_INFINITY) {
    world.now = at;
    if (looks.length > 0) world.tell({ kind: 'tick' });
    looks.push(at);
    const checks = { state: 'passed', names: [] } as const;
    const seen = { mergeable: 'yes', review: 'none', lacksReview: false, queue: 'off', hasRules: false } as const;
    const pull = { ...about, ...seen, base: 'main', checks, mergeCommit: null, updatedAt };
    world.tell({ kind: 'pulled', result: { kind: 'pull', pull } });
  }
  const within = (from: number) => looks.filter((at) => at >= from && at < from + DAY_MS).length;
  return { first: within(0), later: within(2 * DAY_MS) };
}

interface Landings {
  readonly name: 'pushed' | 'rules';
  readonly count: number;
  readonly hasRules: boolean;
}

/** All are shown, and then asked for at once. */
function landAtForge(measuring: Measuring, { name, count, hasRules }: Landings): Promise<void> {
  const { samples } = measuring;
  return atForge(measuring, name, async ({ forge, host }) => {
    const from = forge.state.tip(BRANCH) ?? '';
    if (hasRules) forge.state.protect(BRANCH);
    const runs = await closedRuns(host, `bench-${name}`, count);
    const isShown = () => forge.state.pulls.filter(({ labels }) => labels.length > 0).length === count;
    await until('all are shown', async () => isShown(), 3 * count * WRITE_GAP_MS);
    await measureBaselines(measuring);
    const began = performance.now();
    await landAll(host, runs, { repoKey: forge.state.name, branch: BRANCH });
    const perMinute = (count * 60_000) / (performance.now() - began);
    add(samples, hasRules ? 'landPerMinuteRules' : 'landPerMinuteForge', perMinute);
    countLanded({ git: forge.state.bare, from, branch: BRANCH, count });
    const open = forge.state.pulls.filter(({ merged }) => merged === null);
    if (open.length > 0 || forge.state.pulls.length !== count)
      throw new Error(`of ${forge.state.pulls.length} pull requests ${open.length} are not merged`);
  });
}

async function untilLooked({ faults }: FakeForge, before: number, limitMs?: number): Promise<void> {
  await until('the pull request was looked at', async () => faults.done('PullState') > before, limitMs);
}

/** Nothing of it is under way. */
async function untilRests({ client }: BenchHost, runId: string): Promise<void> {
  await until('it is decided', async () => {
    const events = await eventsOf(client, runId);
    const left = (begun: (event: HistoryEvent) => unknown, done: (event: HistoryEvent) => unknown) =>
      events.filter((event) => begun(event) != null).length - events.filter((event) => done(event) != null).length;
    const activities = left(
      (event) => event.activityTaskScheduledEventAttributes,
      (event) => event.activityTaskCompletedEventAttributes,
    );
    const tasks = left(
      (event) => event.workflowTaskScheduledEventAttributes,
      (event) => event.workflowTaskCompletedEventAttributes,
    );
    return activities === 0 && tasks === 0;
  });
}

/** By the workflow task that heard of the last look. */
function decidedAt(events: readonly HistoryEvent[]): number {
  const look = activitiesOf(events).findLast(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'lookAtPull',
  );
  return heardAt(events, look);
}

async function eventsOf(client: BenchHost['client'], runId: string): Promise<readonly HistoryEvent[]> {
  return (await client.workflow.getHandle(landingId(runId)).fetchHistory()).events ?? [];
}

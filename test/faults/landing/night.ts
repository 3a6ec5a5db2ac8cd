/**
 * A night of landings: everything is asked for at once, processes die and a person commits as planned, until each head is on its base, in the chain of the base that is in use, or at a gate;
 * then the person takes the chain by the built command line. What came of it is judged by git (`judge.ts`).
 */
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { type ListedLanding, landingCalls } from '../../../client/calls/landing-calls.js';
import { strike } from '../../chaos/matrix/black-box.js';
import { bringUpIfDead, bringUpIfGivenUp, findAgain } from '../../chaos/matrix/bring-up.js';
import { type ChaosHome, openChaosHome } from '../../chaos/matrix/chaos-home.js';
import { commandEnv, countChanged, git } from '../../chaos/matrix/landing/world.js';
import { countMet, neverMet, type Strike } from '../../chaos/matrix/never-met.js';
import { CLI } from '../../support/cli-world.js';
import { type Claim, judgeNight, type Night, type NightVerdict, type OwnCommit } from './judge.js';
import { CHECK, lookAtAll, makeNightWorld, type NightHead, type NightWorld } from './night-world.js';
import { BASE_IN_USE, BASES, type Base, type NightPlan } from './plan.js';

const LOOK_AGAIN_MS = 200;
const CALL_MS = 5_000;
const TAKE_LIMIT_MS = 60_000;
/** What a night may take: what takes longer hangs. */
const LIMIT_MS = { whole: 240_000, branch: 10_000 } as const;

export interface NightResult extends NightVerdict {
  readonly strikes: Readonly<Record<string, number>>;
  readonly ownCommits: number;
  /** Whose deaths were planned, and who was never there to die. */
  readonly neverMet: readonly string[];
}

interface Attended {
  readonly place: ChaosHome;
  readonly world: NightWorld;
  readonly endAt: number;
  client: Client;
}

/** `note`: one line for people. `look`: gets what is judged. Errors: plain Error where it does not end in time. */
export async function runNight(
  plan: NightPlan,
  note: (text: string) => void,
  look: (night: Night, folder: string) => void = () => undefined,
): Promise<NightResult> {
  const place = openChaosHome({ obeys: false });
  try {
    const client = await place.up();
    note(`making ${plan.branches.length} runs, ${plan.losers} of which cannot land beside others`);
    const world = await makeNightWorld(place, client, plan);
    const limitMs = LIMIT_MS.whole + LIMIT_MS.branch * plan.branches.length;
    const attended = { place, world, client, endAt: performance.now() + limitMs };
    const { strikes, ownCommits, changed } = await landThroughNight(attended, plan, note);
    const taken = await takeChain(attended);
    const claims = await claimsOf(attended);
    const night = {
      repository: world.repository.path,
      start: world.start,
      bases: BASES,
      claims,
      ownCommits,
      check: CHECK,
      bytes: changed + taken,
    };
    const verdict = judgeNight(night, join(place.folder, 'judge'));
    look(night, place.folder);
    return { ...verdict, strikes: countByVictim(strikes), ownCommits: ownCommits.length, neverMet: neverMet(strikes) };
  } finally {
    await place.close();
  }
}

interface Through {
  readonly strikes: readonly Strike[];
  readonly ownCommits: readonly OwnCommit[];
  /** Of the three checkouts. */
  readonly changed: number;
}

async function landThroughNight(attended: Attended, plan: NightPlan, note: (text: string) => void): Promise<Through> {
  const { world, place } = attended;
  const person = new Person(world, place);
  const strikes: Strike[] = [];
  const [deaths, commits] = [[...plan.strikes], [...plan.commits]];
  for (const head of world.heads)
    await insist(attended, () =>
      callsOf(attended).land({ runId: head.runId, workflowId: head.runId, onto: head.base, by: 'person' }),
    );
  note('all are asked for');
  for (let settled = 0, told = 0; ; ) {
    const landings = await insist(attended, () => callsOf(attended).landings());
    settled = landings.filter(isSettled).length;
    if (settled >= told + 20) note(`${settled} settled, ${countMet(strikes)} kills`);
    told = settled - (settled % 20);
    while ((deaths[0]?.after ?? Number.POSITIVE_INFINITY) <= settled) {
      const victim = deaths.shift()?.victim ?? 'worker';
      strikes.push({ victim, isMet: await strike(place, victim) });
      await bringUpIfGivenUp(place);
    }
    while ((commits[0]?.after ?? Number.POSITIVE_INFINITY) <= settled) person.commit(commits.shift()?.base ?? BASES[0]);
    if (settled === world.heads.length && deaths.length + commits.length === 0) break;
    if (performance.now() > attended.endAt) throw new Error(`the night does not end: ${unsettled(landings)}`);
    await sleep(LOOK_AGAIN_MS);
  }
  return { strikes, ownCommits: person.commits, changed: person.countChanged() };
}

/** Of those that met somebody. */
function countByVictim(strikes: readonly Strike[]): Readonly<Record<string, number>> {
  const victims = [...new Set(strikes.map(({ victim }) => victim))];
  const ofVictim = (victim: string) => countMet(strikes.filter((one) => one.victim === victim));
  return Object.fromEntries(victims.map((victim) => [victim, ofVictim(victim)]));
}

/** Nothing more happens by itself. */
function isSettled({ merge, gate, entry }: ListedLanding): boolean {
  return merge === 'merged' || merge === 'abandoned' || gate !== null || entry === 'ready';
}

function unsettled(landings: readonly ListedLanding[]): string {
  const open = landings.filter((landing) => !isSettled(landing));
  return open.map(({ runId, merge, entry, why }) => `${runId} ${merge} ${entry} ${why ?? ''}`).join('; ');
}

/** Commits to bases beside the engine, in the checkout that stands on one or without any, and remembers how the checkouts were left. */
class Person {
  readonly commits: OwnCommit[] = [];
  readonly #seen: Map<string, ReadonlyMap<string, string>>;
  #changed = 0;

  constructor(
    private readonly world: NightWorld,
    private readonly place: ChaosHome,
  ) {
    this.#seen = new Map(world.checkouts.map((folder) => [folder, lookAtAll(folder)]));
  }

  commit(base: Base): void {
    const file = `person-${this.commits.length}.txt`;
    const text = `of the person, ${file}\n`;
    const commit = base === BASE_IN_USE ? this.#inCheckout(file, text) : this.#beside(base, file, text);
    this.commits.push({ base, commit, file, text });
  }

  countChanged(): number {
    for (const folder of this.world.checkouts) this.#compare(folder);
    return this.#changed;
  }

  #inCheckout(file: string, text: string): string {
    const [, folder] = this.world.checkouts;
    this.#compare(folder);
    writeFileSync(join(folder, file), text);
    git(folder, 'add', file);
    git(folder, 'commit', '-q', '-m', file, '--', file);
    this.#seen.set(folder, lookAtAll(folder));
    return git(folder, 'rev-parse', 'HEAD');
  }

  /** Another one was first: once more, on what is there now. */
  #beside(base: Base, file: string, text: string): string {
    const { path } = this.world.repository;
    for (;;) {
      const on = git(path, 'rev-parse', `refs/heads/${base}`);
      const commit = makeCommit(path, { on, file, text, index: join(this.place.folder, 'person-index') });
      try {
        git(path, 'update-ref', `refs/heads/${base}`, commit, on);
        return commit;
      } catch {
        // It moved meanwhile.
      }
    }
  }

  #compare(folder: string): void {
    this.#changed += countChanged(this.#seen.get(folder) ?? new Map(), lookAtAll(folder));
  }
}

function makeCommit(
  cwd: string,
  { on, file, text, index }: { on: string; file: string; text: string; index: string },
): string {
  const env = { ...process.env, GIT_INDEX_FILE: index };
  const run = (args: readonly string[], input = '') =>
    execFileSync('git', [...args], { cwd, env, input, encoding: 'utf8' }).trim();
  run(['read-tree', on]);
  const blob = run(['hash-object', '-w', '--stdin'], text);
  run(['update-index', '--add', '--cacheinfo', `100644,${blob},${file}`]);
  return run(['commit-tree', run(['write-tree']), '-p', on, '-m', file]);
}

/** Until the base in use has all that was ready for it. Answers how many of the person's own files it changed. Errors: plain Error at the end of the night. */
async function takeChain(attended: Attended): Promise<number> {
  const { world, place } = attended;
  const [, folder] = world.checkouts;
  const own = new Map(
    [...lookAtAll(folder)].filter(([name, text]) => name === 'stash' || /^(dirty|untracked)/.test(text)),
  );
  const isReady = ({ merge, entry }: ListedLanding) => merge === 'queued' && entry === 'ready';
  for (;;) {
    const landings = await insist(attended, () => callsOf(attended).landings());
    const ready = landings.filter(isReady).map(({ runId }) => runId);
    if (ready.length === 0) return countChanged(own, lookAtAll(folder));
    if (performance.now() > attended.endAt) throw new Error(`the chain is not taken: ${ready.join(', ')}`);
    const child = spawn(process.execPath, [CLI, 'land', '--update-checkout'], {
      cwd: folder,
      env: { ...commandEnv(place) },
      stdio: 'ignore',
    });
    const limit = setTimeout(() => child.kill('SIGKILL'), TAKE_LIMIT_MS);
    await new Promise<void>((resolve) => child.once('close', () => resolve()));
    clearTimeout(limit);
  }
}

function claimsOf(attended: Attended): Promise<readonly Claim[]> {
  const claimOf = async ({ runId, head, base }: NightHead): Promise<Claim> => {
    const view = await insist(attended, () => callsOf(attended).landing(runId));
    return { head, base, merge: view?.merge ?? 'unknown', gate: view?.gate?.reason ?? null };
  };
  return attended.world.heads.reduce<Promise<readonly Claim[]>>(
    async (rest, head) => [...(await rest), await claimOf(head)],
    Promise.resolve([]),
  );
}

/** Until it answers; what it throws meanwhile is the fault at work. Errors: plain Error at the end of the night. */
async function insist<T>(attended: Attended, step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      await bringUpIfDead(attended);
      return await attended.client.withDeadline(Date.now() + CALL_MS, step);
    } catch (error) {
      if (performance.now() > attended.endAt) throw new Error('the night does not end', { cause: error });
      if (tries % 3 === 0) await findAgain(attended);
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

function callsOf({ client }: Attended) {
  return landingCalls(client, (call) => call());
}

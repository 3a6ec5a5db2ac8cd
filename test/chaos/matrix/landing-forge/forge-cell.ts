/**
 * One cell of the scenario `landing-forge`: the head of the world is asked for on a base of the forge, with a person beside it who brings a dead engine up, approves what waits for a person, and
 * rings where nothing has come for a while. What became of it is read from the bare repository and from the forge's own log.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { ListedLanding } from '../../../../client/calls/landing-calls.js';
import type { LandingView } from '../../../../protocol/actors/landing.js';
import { LANDING_WORKFLOW, landingId, TASK_QUEUE } from '../../../../protocol/names.js';
import { livingTurns } from '../../../support/run-traces.js';
import { until } from '../../../support/until.js';
import type { ForgeCourse } from '../cells.js';
import type { ChaosHome } from '../chaos-home.js';
import { type AttendedLanding, askForAll, callsOf, endedViews, insist } from '../landing/attended-landing.js';
import { countChanged, lookAtCheckout } from '../landing/world.js';
import type { ForgeTraces, LandedPull } from './forge-verdict.js';
import {
  A_PERSON,
  type ForgeBase,
  type ForgeWorld,
  forgeWorldOf,
  LABELS,
  makeForgeBase,
  mergeHanded,
  pullsOf,
} from './forge-world.js';

/** Git of a worker that was killed ends by itself, once it sees that nobody reads. */
const GONE_MS = 40_000;

/** How often they look, and the forge merges what its own queue has. */
const ATTEND_MS = 1_000;

/** A person waits so long before they ring, and between two rings. Nobody waits for a minute of the engine's then. */
const RING_MS = 4_000;

interface Attended extends AttendedLanding {
  readonly course: ForgeCourse;
  readonly world: ForgeWorld;
  readonly base: ForgeBase;
  attendAt: number;
  ringAt: number;
}

export interface ForgeCell {
  readonly course: ForgeCourse;
  readonly limitMs: number;
  /** Before anything lands. */
  begin(world: ForgeWorld, base: ForgeBase): void;
}

/** Errors: plain Error after `limitMs`. */
export async function runForgeCell(place: ChaosHome, { course, limitMs, begin }: ForgeCell): Promise<ForgeTraces> {
  const world = await forgeWorldOf(place);
  const client = await place.up();
  const base = makeForgeBase(world, course);
  const started = performance.now();
  const times = { endAt: started + limitMs, attendAt: started, ringAt: started + RING_MS };
  const attended: Attended = { place, course, world, base, client, ...times };
  const before = lookAtPerson(world);
  begin(world, base);
  if (course === 'ruled') await showAll(attended);
  else await askForAll(attended, base.branch);
  const views = await endedViews(attended, () => attendTo(attended));
  const listed = await listedOf(attended);
  const living = () => livingTurns(place.home).length + gitProcesses(world);
  await until(() => living() === 0, GONE_MS).catch(() => undefined);
  const changed = countChanged(before, lookAtPerson(world));
  return { ...tracesOf(attended, { views, listed }), changed, living: living(), leaks: findToken(place, world) };
}

/** Their checkout and every branch of their repository. */
function lookAtPerson({ repository }: ForgeWorld): ReadonlyMap<string, string> {
  const refs = ['for-each-ref', 'refs/heads', 'refs/tags', 'refs/remotes'];
  return new Map([...lookAtCheckout(repository.path), ['refs', repository.git(...refs)]]);
}

/** As a run begins its own landing: nobody has asked for it yet. */
async function showAll(attended: Attended): Promise<void> {
  const { world, base } = attended;
  for (const runId of world.runs)
    await insist(attended, async () => {
      const asked = { onto: base.branch, isUnasked: true };
      await attended.client.workflow.signalWithStart(LANDING_WORKFLOW, {
        workflowId: landingId(runId),
        taskQueue: TASK_QUEUE,
        args: [{ ...asked, workflowId: runId, attended: true }],
        signal: 'land',
        signalArgs: [asked],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      return true;
    });
}

/** What a person does who sees how the landings stand; and what the forge does by itself. */
async function attendTo(attended: Attended): Promise<void> {
  const { client, world, base, course } = attended;
  if (performance.now() < attended.attendAt) return;
  attended.attendAt = performance.now() + ATTEND_MS;
  const calls = callsOf(attended);
  if (course === 'handed') mergeHanded(world.forge);
  const isToRing = performance.now() > attended.ringAt;
  if (isToRing) attended.ringAt = performance.now() + RING_MS;
  for (const runId of world.runs) {
    const handle = client.workflow.getHandle(landingId(runId));
    const view = await handle.query<LandingView>('status');
    const { gate, merge, pull } = view;
    if (merge === 'merged' || merge === 'abandoned') continue;
    if (gate !== null) await handle.executeUpdate('approve', { args: [{ by: 'person', gate: gate.id }] });
    // Shown and looked at: now somebody wants it.
    else if (pull?.at === 'draft' || (isToRing && pull !== null && merge === 'unmerged'))
      await calls.land({ runId, workflowId: runId, onto: base.branch, by: 'person' });
    else if (isToRing) await handle.signal('look', { by: 'person' });
  }
}

async function listedOf(attended: Attended): Promise<readonly ListedLanding[]> {
  let listed: readonly ListedLanding[] = [];
  // What the server lists is behind what it knows.
  await insist(attended, async () => {
    const all = await callsOf(attended).landings();
    listed = all.filter(({ runId }) => attended.world.runs.includes(runId));
    return listed.every(({ closedAt }) => closedAt !== null);
  });
  return listed;
}

interface Seen {
  readonly views: readonly LandingView[];
  readonly listed: readonly ListedLanding[];
}

function tracesOf(
  { world, base }: Attended,
  { views, listed }: Seen,
): Omit<ForgeTraces, 'changed' | 'living' | 'leaks'> {
  const { forge, runs, heads, branches, checked } = world;
  const { state, faults } = forge;
  const ref = `refs/heads/${base.branch}`;
  const isIn = (commit: string, of: string) => isAncestor(world, commit, of);
  const lines = state.git('rev-list', '--first-parent', '--parents', ref, '--not', base.at).split('\n');
  const links = lines
    .filter((line) => line !== '' && !base.others.includes(line.split(' ')[0] ?? ''))
    .map((line) => line.split(' '));
  const trees = checked().filter((_, n) => n < base.knows.ofRuns || n >= base.knows.from);
  const pulls = branches.map((branch): LandedPull => {
    const all = pullsOf(world, branch);
    const [pull] = all;
    return {
      count: all.length,
      labels: pull?.labels ?? [],
      comments: (pull?.comments ?? []).map(({ author, body }) => `${author} ${body}`),
      merged: pull?.merged?.commit ?? null,
      isTheirs: pull?.merged?.by === A_PERSON,
      head: pull === undefined ? null : state.headOf(pull),
    };
  });
  // What somebody pushed behind a head that was landed already is another change, and stays open.
  const isLate = (n: number) => pulls[n]?.merged === null && pulls[n]?.head !== heads[n];
  const isSaidOf = (commit: string, n: number) => commit === pulls[n]?.merged || isLate(n);
  const isTold = (view: LandingView | undefined, row: ListedLanding | undefined, n: number) =>
    view?.merge === 'merged' &&
    row?.merge === 'merged' &&
    row.base === base.branch &&
    view.commit !== null &&
    isSaidOf(view.commit, n) &&
    isIn(view.commit, ref) &&
    isIn(heads[n] ?? '', view.commit);
  const landed = pulls.map(({ head }, n) => (head !== null && isIn(head, ref) ? head : (heads[n] ?? '')));
  return {
    heads,
    base: links,
    tree: state.git('rev-parse', `${ref}^{tree}`),
    expectedTree: expectedTree(world, base.at, [...base.others, ...landed]),
    pulls,
    labels: LABELS,
    contained: heads.filter((head) => isIn(head, ref)),
    unchecked: links.filter(([commit = '']) => !trees.includes(state.git('rev-parse', `${commit}^{tree}`))).length,
    merges: faults.log.filter(
      ({ request, at, status }) => request.endsWith('/merge') && at === 'done' && status === 200,
    ).length,
    wrong: runs.filter(
      (run, n) =>
        !isTold(
          views[n],
          listed.find(({ runId }) => runId === run),
          n,
        ),
    ).length,
    again: writtenAgain(world),
  };
}

/** What we asked for once more though it was done, of what is done but once. What the forge does twice by itself is not ours. */
function writtenAgain({ forge }: ForgeWorld): number {
  // Who is told that a label is not there sets it again, which the forge takes for nothing new.
  const once = forge.faults.wereBehind() ? /comments$|merge$|^Enqueue$/ : /labels$|comments$|merge$|^Enqueue$/;
  const open = new Set<string>();
  const done = new Set<string>();
  let again = 0;
  for (const { request, about, at, status } of forge.faults.log) {
    const key = `${request} ${about}`;
    if (at === 'came') open.add(key);
    else if (open.delete(key) && status !== null && status < 300 && once.test(request)) {
      again += done.has(key) ? 1 : 0;
      done.add(key);
    }
  }
  return again;
}

/** What a bare merge of all that landed comes to. */
function expectedTree({ forge }: ForgeWorld, at: string, heads: readonly string[]): string {
  const { state } = forge;
  const merge = (on: string, head: string) => {
    const tree = state.git('merge-tree', '--write-tree', on, head).split('\n')[0] ?? '';
    return state.git('commit-tree', tree, '-p', on, '-p', head, '-m', 'expected');
  };
  return state.git('rev-parse', `${heads.reduce(merge, at)}^{tree}`);
}

function isAncestor({ forge }: ForgeWorld, commit: string, of: string): boolean {
  try {
    execFileSync('git', ['merge-base', '--is-ancestor', commit, of], { cwd: forge.state.bare, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Git that speaks to this forge, whoever started it. Linux only. */
function gitProcesses({ forge }: ForgeWorld): number {
  const { host } = new URL(forge.gitUrl);
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandOf(name).includes(host)).length;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** Files that hold the token, of the home and of the person's repository. */
function findToken({ folder }: ChaosHome, { forge }: ForgeWorld): number {
  const { stdout } = spawnSync('grep', ['-rlaF', forge.token, folder, '--exclude-dir=forge'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '').length;
}

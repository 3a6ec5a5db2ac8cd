/**
 * One cell of the scenario `landing`: both heads of the world are asked for on a base of the cell's own and land there, with a person beside it who brings a dead engine up
 * and, where the base is in use, takes the chain by the built command line, as often as it needs. What became of it is read from git.
 */
import { spawn } from 'node:child_process';
import type { LandingView } from '../../../../protocol/actors/landing.js';
import { queueName } from '../../../../protocol/actors/merge-queue.js';
import { landingId } from '../../../../protocol/names.js';
import { CLI } from '../../../support/cli-world.js';
import { livingTurns } from '../../../support/run-traces.js';
import { until } from '../../../support/until.js';
import { bringUpIfDead } from '../bring-up.js';
import type { LandingCourse } from '../cells.js';
import type { ChaosHome } from '../chaos-home.js';
import { type AttendedLanding, askForAll, endedViews, insist } from './attended-landing.js';
import type { LandingTraces } from './verdict.js';
import { type CellBase, countChanged, git, lookAtCheckout, makeBase, type World, worldOf } from './world.js';

const GONE_MS = 5_000;
/** Of one `sluice land --update-checkout`: one that lost its engine may follow for ever. */
const TAKE_LIMIT_MS = 20_000;

interface Attended extends AttendedLanding {
  readonly world: World;
  readonly base: CellBase;
}

/** `begin`: called before anything lands. Errors: plain Error after `limitMs`. */
export async function runLandingCell(
  place: ChaosHome,
  course: LandingCourse,
  { begin, limitMs }: { begin: () => void; limitMs: number },
): Promise<LandingTraces> {
  const world = await worldOf(place);
  const client = await place.up();
  const base = makeBase(world, place, course);
  const attended: Attended = { place, world, base, client, endAt: performance.now() + limitMs };
  const before = base.checkouts.map(lookAtCheckout);
  begin();
  await askForAll(attended, base.branch);
  const chain = course === 'base-in-use' ? await takeOnceReady(attended, before) : { links: [], changed: 0 };
  const views = await endedViews(attended, () => look(attended));
  await until(() => livingTurns(place.home).length === 0, GONE_MS).catch(() => undefined);
  return tracesOf(attended, { before, chain, views });
}

interface Chain {
  readonly links: readonly string[];
  readonly changed: number;
}

/** The chain is in git once both heads are; then the person takes it, until their base has both. */
async function takeOnceReady(attended: Attended, before: readonly ReadonlyMap<string, string>[]): Promise<Chain> {
  const { world, base } = attended;
  const { repository, heads } = world;
  const tip = `refs/sluice/${queueName({ repoKey: '', branch: base.branch })}/tip`;
  await insist(attended, async () => heads.every((head) => isIn(world, head, tip)));
  const links = listFirstParents(world, tip).map(([commit = '']) => commit);
  const changed = countAll(before, base.checkouts);
  await insist(attended, async () => {
    await bringUpIfDead(attended);
    await take(attended);
    return heads.every((head) => isIn(world, head, `refs/heads/${base.branch}`));
  });
  return { links: links.filter((commit) => repository.git('cat-file', '-t', commit).trim() === 'commit'), changed };
}

async function take({ world, base }: Attended): Promise<void> {
  const child = spawn(process.execPath, [CLI, 'land', ...world.runs, '--onto', base.branch, '--update-checkout'], {
    cwd: world.repository.path,
    env: { ...world.env },
    stdio: 'ignore',
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), TAKE_LIMIT_MS);
  await new Promise<void>((resolve) => child.once('close', () => resolve()));
  clearTimeout(limit);
}

/** Nobody waits for the queue's own minute where it has lost the word of a taken chain. */
async function look({ client, world, base }: Attended): Promise<void> {
  const has = world.heads.every((head) => isIn(world, head, `refs/heads/${base.branch}`));
  if (!has) return;
  const [runId = ''] = world.runs;
  const view = await client.workflow.getHandle(landingId(runId)).query<LandingView>('status');
  const queue = view.entry?.queue;
  if (queue !== undefined) await client.workflow.getHandle(queue).signal('look', {});
}

interface Seen {
  readonly before: readonly ReadonlyMap<string, string>[];
  readonly chain: Chain;
  readonly views: readonly LandingView[];
}

function tracesOf({ place, world, base }: Attended, { before, chain, views }: Seen): LandingTraces {
  const { heads, expectedTree, repository } = world;
  const ref = `refs/heads/${base.branch}`;
  const isTrue = ({ merge, commit }: LandingView, head: string) =>
    merge === 'merged' && commit !== null && isIn(world, commit, ref) && isIn(world, head, commit);
  // The checkout that was taken into has new files; all that the person had changed is as it was.
  const own = before.map((files) => new Map([...files].filter(([, text]) => /dirty|untracked/.test(text))));
  return {
    heads,
    expectedTree,
    base: listFirstParents(world, ref),
    contained: heads.filter((head) => isIn(world, head, ref)),
    tree: repository.git('rev-parse', `${ref}^{tree}`).trim(),
    lostLinks: chain.links.filter((commit) => !isIn(world, commit, ref)).length,
    wrong: heads.filter((head, index) => !views.slice(index, index + 1).some((view) => isTrue(view, head))).length,
    changed: chain.changed + countAll(own, base.checkouts) + countAll(before.slice(0, 1), base.checkouts),
    living: livingTurns(place.home).length,
  };
}

function countAll(before: readonly ReadonlyMap<string, string>[], checkouts: readonly string[]): number {
  return before.reduce((sum, files, index) => sum + countChanged(files, lookAtCheckout(checkouts[index] ?? '')), 0);
}

function listFirstParents({ repository }: World, ref: string): readonly (readonly string[])[] {
  const lines = repository.git('rev-list', '--first-parent', '--parents', ref, '--not', 'main').trim().split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split(' '));
}

function isIn({ repository }: World, commit: string, ref: string): boolean {
  try {
    git(repository.path, 'merge-base', '--is-ancestor', commit, ref);
    return true;
  } catch {
    return false;
  }
}

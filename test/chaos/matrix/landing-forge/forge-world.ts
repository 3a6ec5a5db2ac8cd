/**
 * What the cells of one home share: a closed run whose repository lies on a fake forge, which lives in this process and so outlives whatever is killed. Each cell has a base of its own there, and no
 * pull request of another.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAKE_TOKEN, type FakeForge, openFakeForge } from '../../../support/forge/fake-forge.js';
import { answerRest } from '../../../support/forge/forge-rest.js';
import type { FakePull } from '../../../support/forge/forge-state.js';
import { QUEUED_RUNS } from '../../../support/queued-repository.js';
import type { ForgeCourse } from '../cells.js';
import type { ChaosHome } from '../chaos-home.js';
import { closeRuns, type World } from '../landing/world.js';

export interface ForgeWorld extends Pick<World, 'repository' | 'runs' | 'heads'> {
  readonly forge: FakeForge;
  /** One a run, in their order. */
  readonly branches: readonly string[];
  /** The trees that were checked so far, by the checks' own word. */
  checked(): readonly string[];
}

export interface ForgeBase {
  readonly branch: string;
  /** Where it began. */
  readonly at: string;
  /** What somebody else brought there meanwhile. */
  readonly others: string[];
  /** Of `checked`, those that count: of the runs themselves, and from here on. */
  readonly knows: { readonly ofRuns: number; readonly from: number };
}

export const LABELS = ['bot', 'sluice'] as const;

/** Who merges by hand. */
export const A_PERSON = 'a person';

const FORGE = 'acme/shop';

const worlds = new WeakMap<ChaosHome, Promise<ForgeWorld>>();

/** Made once a home. */
export function forgeWorldOf(place: ChaosHome): Promise<ForgeWorld> {
  const world = worlds.get(place) ?? makeForgeWorld(place);
  worlds.set(place, world);
  return world;
}

const ofRuns = new WeakMap<ForgeWorld, number>();

async function makeForgeWorld(place: ChaosHome): Promise<ForgeWorld> {
  // The engine that is brought up here hands it to its worker.
  process.env['GH_TOKEN'] = FAKE_TOKEN;
  const forge = await openFakeForge(join(place.folder, 'forge'), FORGE);
  const ledger = join(place.folder, 'checked-trees');
  const { files, config } = QUEUED_RUNS;
  const repository = await place.repository({
    files,
    config: `${config}  - git rev-parse HEAD^{tree} >> ${ledger}
landing: { mode: manual, needs: checked, labels: [${LABELS.join(', ')}] }
forge: { repo: ${FORGE}, apiUrl: "${forge.apiUrl}" }
`.replace('commands: ["test ! -e one -o ! -e two"]', 'commands:\n  - test ! -e one -o ! -e two'),
  });
  repository.git('push', '-q', forge.state.bare, 'main');
  const closed = await closeRuns(place, repository, ['write a file']);
  const checked = () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n') : []);
  const world = { ...closed, repository, forge, branches: closed.runs.map((run) => `sluice/${run}`), checked };
  ofRuns.set(world, checked().length);
  return world;
}

/** As a forge is on which nobody has heard of the run; somebody was faster with a file of theirs, so that what lands is a merge that nothing has checked. */
export function makeForgeBase(world: ForgeWorld, course: ForgeCourse): ForgeBase {
  const { forge, repository, branches, heads, checked } = world;
  const { state, faults } = forge;
  faults.forget();
  state.forget();
  for (const name of branches) state.git('update-ref', '-d', `refs/heads/${name}`);
  const branch = `base-${randomUUID().slice(0, 8)}`;
  state.git('branch', branch, 'main');
  state.commit(branch, 'theirs.txt', `${branch}\n`);
  if (course === 'ruled') state.protect(branch);
  if (course === 'pushed') {
    const [head = '', name = ''] = [heads[0], branches[0]];
    execFileSync('git', ['push', '-q', state.bare, `${head}:refs/heads/${name}`], { cwd: repository.path });
    openByHand(forge, { head: name, base: branch });
  }
  if (course === 'handed') state.rules.hasQueue = true;
  state.remember();
  const knows = { ofRuns: ofRuns.get(world) ?? 0, from: checked().length };
  return { branch, at: state.tip(branch) ?? '', others: [], knows };
}

function openByHand({ state }: FakeForge, { head, base }: { readonly head: string; readonly base: string }): void {
  const body = { head, base, title: 'opened by hand', body: 'What a person says of it.' };
  answerRest(state, { method: 'POST', path: 'pulls', query: new URLSearchParams(), body });
}

/** The forge's own queue merges what it was given, one after the other. */
export function mergeHanded({ state }: FakeForge): void {
  for (const pull of state.pulls.filter(({ isQueued, state: now }) => isQueued && now === 'open'))
    if (state.merge(pull, 'the queue of the forge') === null) pull.isQueued = false;
}

export function pullsOf({ forge }: ForgeWorld, branch: string): readonly FakePull[] {
  return forge.state.pulls.filter(({ headBranch }) => headBranch === branch);
}

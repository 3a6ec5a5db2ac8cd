/**
 * What a night of landings came to, by git alone: each first-parent commit of each base is checked by hand and done again in a serial model, in a clone of its own.
 * Only what a landing says of itself comes from the engine, and is compared with that.
 */
import { execFileSync, spawnSync } from 'node:child_process';

export const NIGHT_COUNTS = ['lost', 'twice', 'foreign', 'untrue', 'red', 'trees', 'commits', 'bytes'] as const;

/**
 * Each is 0 where nothing went wrong. `lost`: neither on its base nor at a gate with a reason; `untrue`: said to be merged and is not, or at a gate whose reason git does not
 * confirm; `trees`: bases that are not what the serial model comes to; `commits`: of the person, gone; `bytes`: of the person's checkouts, changed.
 */
export type NightCounts = Readonly<Record<(typeof NIGHT_COUNTS)[number], number>>;

/** What a landing says of itself. */
export interface Claim {
  readonly head: string;
  readonly base: string;
  readonly merge: string;
  /** Null: it waits for nobody. */
  readonly gate: string | null;
}

export interface OwnCommit {
  readonly base: string;
  readonly commit: string;
  readonly file: string;
  readonly text: string;
}

export interface Night {
  /** Any checkout of it. */
  readonly repository: string;
  /** Where all bases stood. */
  readonly start: string;
  readonly bases: readonly string[];
  readonly claims: readonly Claim[];
  readonly ownCommits: readonly OwnCommit[];
  /** By `/bin/sh -c`, at the top of a checkout. */
  readonly check: string;
  /** Files, indexes and stashes of the person that were changed. */
  readonly bytes: number;
}

export interface NightVerdict {
  readonly counts: NightCounts;
  readonly merged: number;
  /** By reason. */
  readonly gates: Readonly<Record<string, number>>;
  readonly firstParents: number;
}

/** `folder`: does not exist yet. */
export function judgeNight(night: Night, folder: string): NightVerdict {
  execFileSync('git', ['clone', '-q', '--template=', '--no-checkout', night.repository, folder]);
  const git = gitIn(folder);
  git('fetch', '-q', 'origin', '+refs/*:refs/night/*');
  const bases = night.bases.map((base) => judgeBase(night, base, git, folder));
  const sum = (name: 'twice' | 'foreign' | 'red' | 'trees' | 'commits') =>
    bases.reduce((total, base) => total + base[name], 0);
  const words = night.claims.map((claim) => judgeClaim(night, claim, git, folder));
  const gates = night.claims.flatMap(({ gate }) => gate ?? []);
  return {
    counts: {
      lost: words.filter((word) => word === 'lost').length,
      untrue: words.filter((word) => word === 'untrue').length,
      twice: sum('twice'),
      foreign: sum('foreign'),
      red: sum('red'),
      trees: sum('trees'),
      commits: sum('commits'),
      bytes: night.bytes,
    },
    merged: words.filter((word) => word === 'merged').length,
    gates: Object.fromEntries([...new Set(gates)].map((gate) => [gate, gates.filter((one) => one === gate).length])),
    firstParents: bases.reduce((total, { steps }) => total + steps, 0),
  };
}

export function isCleanNight({ counts }: Pick<NightVerdict, 'counts'>): boolean {
  return NIGHT_COUNTS.every((name) => counts[name] === 0);
}

type Git = (...args: readonly string[]) => string;

function judgeBase({ start, claims, ownCommits, check }: Night, base: string, git: Git, folder: string) {
  const heads = claims.filter((claim) => claim.base === base).map(({ head }) => head);
  const own = ownCommits.filter((one) => one.base === base);
  const steps = git('rev-list', '--reverse', '--first-parent', '--parents', `${start}..${refOf(base)}`)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '));
  const brought = new Map<string, number>();
  let [foreign, red, model] = [0, 0, start];
  for (const [commit = '', , ...others] of steps) {
    const commitOfPerson = own.find((one) => one.commit === commit);
    const head = heads.find((one) => one === commit || others.includes(one));
    if (commitOfPerson !== undefined) model = withFile(git, model, commitOfPerson);
    else if (head === undefined) foreign += 1;
    else {
      brought.set(head, (brought.get(head) ?? 0) + 1);
      model = withHead(git, model, head) ?? model;
    }
    if (isRed({ git, folder, check }, commit)) red += 1;
  }
  const treeOf = (commit: string) => git('rev-parse', `${commit}^{tree}`);
  return {
    steps: steps.length,
    foreign,
    red,
    twice: [...brought.values()].reduce((total, times) => total + times - 1, 0),
    trees: treeOf(model) === treeOf(refOf(base)) ? 0 : 1,
    commits: own.filter(({ commit }) => !steps.some(([one]) => one === commit)).length,
  };
}

/** A gate's reason holds still: on a base that only grows, what was in conflict or red beside another stays so. */
function judgeClaim(
  { check }: Night,
  { head, base, merge, gate }: Claim,
  git: Git,
  folder: string,
): 'merged' | 'gated' | 'untrue' | 'lost' {
  const isThere = git('rev-list', '--count', head, '--not', refOf(base)) === '0';
  if (merge === 'merged') return isThere ? 'merged' : 'untrue';
  if (isThere) return 'untrue';
  if (gate !== 'conflict' && gate !== 'red') return 'lost';
  const together = withHead(git, refOf(base), head);
  const isTrue = gate === 'conflict' ? together === null : together !== null && isRed({ git, folder, check }, together);
  return isTrue ? 'gated' : 'untrue';
}

function refOf(base: string): string {
  return `refs/night/heads/${base}`;
}

/** The merge; null: they are in conflict. */
function withHead(git: Git, on: string, head: string): string | null {
  try {
    const tree = git('merge-tree', '--write-tree', on, head).split('\n')[0] ?? '';
    return commitOf(git, tree, [on, head]);
  } catch {
    return null;
  }
}

function withFile(git: Git, on: string, { commit, file }: OwnCommit): string {
  git('read-tree', on);
  const blob = git('rev-parse', `${commit}:${file}`);
  git('update-index', '--add', '--cacheinfo', `100644,${blob},${file}`);
  return commitOf(git, git('write-tree'), [on]);
}

function commitOf(git: Git, tree: string, parents: readonly string[]): string {
  const identity = ['-c', 'user.name=model', '-c', 'user.email=model@example.invalid'];
  return git(...identity, 'commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', 'model');
}

function isRed({ git, folder, check }: { git: Git; folder: string; check: string }, commit: string): boolean {
  git('checkout', '-q', '--force', '--detach', commit);
  git('clean', '-qfdx');
  return spawnSync('/bin/sh', ['-c', check], { cwd: folder, stdio: 'ignore' }).status !== 0;
}

function gitIn(cwd: string): Git {
  return (...args) =>
    execFileSync('git', [...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

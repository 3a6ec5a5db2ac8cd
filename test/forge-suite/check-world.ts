/**
 * What one step of the suite works with: a run, a base branch of its own on the forge, and what people do there, by the product's own requests. The base begins at a commit that nobody has,
 * so that no branch of anybody is touched. What it made on the forge is taken away at its end; pull requests are closed, since a forge removes none.
 */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type AtForge, openForge, write } from '../../activities/forge/at-forge.js';
import type { ForgeAnswer } from '../../activities/forge/forge-client.js';
import { lookUntil } from '../../activities/forge/look-at-pull.js';
import { type BranchPush, pushBranch, readRemoteBranch } from '../../activities/git/forge/forge-git.js';
import type { PrivateGitDir } from '../../activities/git/inspect/private-git-dir.js';
import { openLandingGit } from '../../activities/landing/plan-repair.js';
import { messageOf } from '../../config/system/error-code.js';
import type { PullState } from '../../protocol/actors/forge.js';
import { type Fields, fieldsOf } from '../../protocol/text/fields.js';
import { git, makeRepository, write as writeFile } from '../unit/git/repository-fixture.js';
import { type HostOnForge, type OnForgeOptions, openHostOnForge, type WhichForge } from './host-on-forge.js';

/** All that it makes on a forge is named so. */
export const MARK = 'sluice-check-';

export class CheckWorld {
  private readonly undone: (() => Promise<void>)[] = [];

  private constructor(
    readonly on: HostOnForge,
    readonly at: AtForge,
    readonly git: PrivateGitDir,
  ) {}

  /** Answers what `work` answers, once nothing is left of it. `isBare`: nothing is made there before. */
  static async within<T>(
    which: WhichForge,
    { landing = {}, isBare = false }: Pick<OnForgeOptions, 'landing'> & { readonly isBare?: boolean },
    work: (world: CheckWorld) => Promise<T>,
  ): Promise<T> {
    const branch = `${MARK}${randomBytes(6).toString('hex')}`;
    const root = makeRepository({ 'a.txt': `one of ${branch}\n` });
    const on = await openHostOnForge(which, { landing, root, branch, runId: branch, labels: [branch] });
    const opened = await openForge(on.deps, on.about, new AbortController().signal);
    if (opened.kind !== 'open') throw new Error(`${opened.kind}: ${opened.why}`);
    const world = new CheckWorld(on, opened.at, await openLandingGit(on.run));
    const said: T[] = [];
    const failed = await whyNot([
      ...(isBare ? [] : [() => world.prepare()]),
      async () => void said.push(await work(world)),
    ]);
    const left = await whyNot(world.undone, 'go on');
    if (left.length > 0) failed.push(`it is not left as it was: ${left.join('; ')}`);
    if (failed.length > 0) throw new Error(failed.join('; '));
    return said[0] as T; // It is there, since nothing failed.
  }

  /** Of the base. */
  get branch(): string {
    return this.on.queue.branch;
  }

  /** Of the run's head. */
  get headBranch(): string {
    return this.on.run.record.branch;
  }

  /** Somebody's commit, with one file, that is on no branch yet. */
  commit(parent: string, path: string, text: string): string {
    const { root } = this.on.run.record.repository;
    git(root, 'checkout', '--quiet', '--detach', parent);
    writeFile(root, path, text);
    git(root, 'add', '--force', path);
    git(root, 'commit', '--quiet', '--message', `change ${path}`);
    return git(root, 'rev-parse', 'HEAD').trim();
  }

  /** Somebody's, onto where it stands. */
  async push(push: BranchPush): Promise<void> {
    assertHas(await pushBranch(this.git, this.at.remote, push), { kind: 'pushed' });
  }

  /** Onto the base, of one file; answers the commit. */
  async pushToBase(path: string, text: string): Promise<string> {
    const from = await this.tip(this.branch);
    if (from === null) throw new Error(`${this.branch} is gone`);
    const to = this.commit(from, path, text);
    await this.push({ branch: this.branch, from, to });
    return to;
  }

  /** Where a branch stands on the forge. */
  async tip(branch: string): Promise<string | null> {
    const read = await readRemoteBranch(this.git, this.at.remote, branch);
    if (read.kind !== 'read') throw new Error(`${read.kind}: ${read.why}`);
    return read.at;
  }

  read(route: string, parameters: Fields = {}): Promise<ForgeAnswer> {
    const { client, owner, name: repo } = this.at;
    return client.rest(route, { owner, repo, ...parameters });
  }

  /** What changes something. */
  ask(route: string, parameters: Fields = {}): Promise<ForgeAnswer> {
    return write(this.at, () => this.read(route, parameters));
  }

  /** As a person does it. */
  async change(number: number, what: Fields): Promise<void> {
    const route = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';
    assertHas(await this.ask(route, { pull_number: number, ...what }), { kind: 'answer' });
  }

  merge(number: number, what: Fields): Promise<ForgeAnswer> {
    return this.ask('PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge', { pull_number: number, ...what });
  }

  /** That there is none any more is as good. */
  async removeBranch(branch: string): Promise<void> {
    const removed = await this.ask('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { ref: `heads/${branch}` });
    if (removed.kind === 'answer' || (await this.tip(branch)) === null) return;
    throw new Error(`the branch ${branch} could not be removed: ${removed.why}`);
  }

  /** The pull request of the run, by the product. */
  async open(isDraft = false): Promise<number> {
    const made = await this.on.ensure({ isDraft });
    if (made.kind !== 'pull') throw new Error(`there is no pull request: ${JSON.stringify(made)}`);
    return made.number;
  }

  /** As the product looks, until it shows what is waited for. */
  async look(number: number, isShown: (pull: PullState) => boolean = isWorkedOut): Promise<PullState> {
    const seen = await lookUntil(this.at, number, isShown);
    if (seen.kind !== 'seen') throw new Error(`${seen.kind}: ${seen.why}`);
    return seen.pull;
  }

  /** At the end, the last first. */
  finally(work: () => Promise<unknown>): void {
    this.undone.unshift(async () => void (await work()));
  }

  /** By number, those that are open. */
  async openPulls(): Promise<readonly number[]> {
    const asked = { base: this.branch, state: 'open', per_page: 100 };
    const answer = await this.read('GET /repos/{owner}/{repo}/pulls', asked);
    if (answer.kind !== 'answer' || !Array.isArray(answer.data)) throw new Error('the forge lists no pull requests');
    return answer.data
      .map(fieldsOf)
      .filter((pull) => fieldsOf(pull['base'])['ref'] === this.branch)
      .map((pull) => Number(pull['number']));
  }

  private async prepare(): Promise<void> {
    const labels = [this.branch, ...((await this.hasLabel('draft')) ? [] : ['draft'])];
    for (const name of labels) this.finally(() => this.ask('DELETE /repos/{owner}/{repo}/labels/{name}', { name }));
    this.finally(() => this.removeBranch(this.branch));
    this.finally(() => this.removeBranch(this.headBranch));
    this.finally(async () => {
      for (const number of await this.openPulls()) await this.change(number, { state: 'closed' });
    });
    await this.push({ branch: this.branch, from: null, to: this.on.base });
  }

  private async hasLabel(name: string): Promise<boolean> {
    return (await this.read('GET /repos/{owner}/{repo}/labels/{name}', { name })).kind === 'answer';
  }
}

/** One after the other, up to the first that fails or all of them. */
async function whyNot(works: readonly (() => Promise<void>)[], after: 'stop' | 'go on' = 'stop'): Promise<string[]> {
  const failed: string[] = [];
  for (const work of works) {
    await work().catch((error: unknown) => failed.push(messageOf(error)));
    if (failed.length > 0 && after === 'stop') break;
  }
  return failed;
}

function isWorkedOut({ state, mergeable }: PullState): boolean {
  return state !== 'open' || mergeable !== 'unknown';
}

/** Errors: says what it is instead. */
export function assertHas(actual: unknown, expected: Fields): void {
  const fields = fieldsOf(actual);
  const part = Object.fromEntries(Object.keys(expected).map((name) => [name, fields[name]]));
  if (!isDeepStrictEqual(part, expected))
    throw new Error(`${JSON.stringify(part)}, not ${JSON.stringify(expected)}${toldOf(fields)}`);
}

function toldOf({ why }: Fields): string {
  return typeof why === 'string' ? ` (${why})` : '';
}

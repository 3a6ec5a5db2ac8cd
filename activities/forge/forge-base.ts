/**
 * The base of a forge, in the place of a local one: its commit is fetched beside the repository's objects, and what lands moves it by a push or by a merge of its pull request, as its rules
 * have it. No branch of a person's repository is read or moved.
 */
import { forgeAddress } from '../../config/keys/forge-address.js';
import type { ForgeTrouble, PullState } from '../../protocol/actors/forge.js';
import { baseRefOf, type Landed } from '../../protocol/actors/merge-queue.js';
import { pushBranch } from '../git/forge/forge-git.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { readRef } from '../git/refs/read-ref.js';
import type { BaseAnswer, BaseDeps, BaseMove, BaseSite, BaseSiteInput, FoundBase } from '../landing/base-site.js';
import { landingOf } from '../landing/find-base.js';
import { exhausted, type Planned } from '../landing/merge-head.js';
import { type AtQueue, queueGitOf } from '../landing/queue-place.js';
import { type AtForge, type ForgeDeps, openForge, workAt } from './at-forge.js';
import { fetchBase, keepBase } from './fetch-base.js';
import { heldBy } from './forge-hold.js';
import { lookUntil, type Seen } from './look-at-pull.js';
import { mergePull } from './merge-pull.js';
import { findObstacle, tellObstacle } from './pull-stand.js';

type SeenPull = Extract<Seen, { readonly kind: 'seen' }>;

/** What may be landed, and the pull request that shows it. */
interface ReadyPull {
  readonly seen: SeenPull;
  readonly planned: Planned;
}

export function openForgeBase(deps: ForgeDeps): NonNullable<BaseDeps['openForgeBase']> {
  return (at, input) => new ForgeBase(deps, at, input);
}

/** Of one activity: what it asks is asked with one token. */
class ForgeBase implements BaseSite {
  private opened: ReturnType<typeof openForge> | null = null;
  private tokenSource: string | null = null;
  private ready: ReadyPull | null = null;

  constructor(
    private readonly deps: ForgeDeps,
    private readonly at: AtQueue,
    private readonly input: BaseSiteInput,
  ) {}

  async find(): Promise<FoundBase> {
    const fetched = await this.ask((forge) => this.fetch(forge));
    if (fetched.kind !== 'fetched') return this.hold(fetched);
    return fetched.at === null ? null : { at: fetched.at };
  }

  async findUse(): Promise<null> {
    return null;
  }

  /** One look at the pull request. Where git says that all of it is on the base, one that is open is of before the merge. */
  async consult(made: Planned | Landed): Promise<BaseAnswer | null> {
    const isThere = !('tree' in made) && (made.kind === 'merged' || isNothingLeft(made));
    const number = this.input.entry?.pull ?? null;
    if (number === null) return 'tree' in made ? this.refuse('there is no pull request that shows it') : null;
    const seen = await this.ask((forge) => lookUntil(forge, number, ({ state }) => !isThere || state === 'merged'));
    if (seen.kind !== 'seen') return { landed: { kind: 'moved' }, base: this.hold(seen) };
    if (seen.pull.state === 'merged') return this.tellLanded(seen.pull);
    if (!('tree' in made)) return null;
    // Whether both merge is known better here where the checked commit is pushed.
    const pull: PullState = this.isPushed({ seen, planned: made }) ? { ...seen.pull, mergeable: 'yes' } : seen.pull;
    const obstacle = findObstacle(pull, { head: made.head, base: this.input.queue.branch });
    if (obstacle?.kind === 'conflict') return this.refuseUnlessMoved(made.on, tellObstacle(pull, obstacle));
    if (obstacle !== null) return this.refuse(tellObstacle(pull, obstacle));
    this.ready = { seen, planned: made };
    return null;
  }

  makesItsOwn(): boolean {
    return this.ready !== null && !this.isPushed(this.ready);
  }

  async swap({ from, to }: BaseMove): Promise<BaseAnswer> {
    if (this.ready === null) return this.refuse('nobody looked at its pull request');
    return this.isPushed(this.ready) ? this.push({ from, to }, this.ready.seen) : this.merge(from, this.ready);
  }

  /** The checked commit itself; without the head on the base, as after a squash, the forge's pull request would stay open. */
  private isPushed({ seen: { pull }, planned }: ReadyPull): boolean {
    const { method } = landingOf(this.at.run.record);
    const isHeadThere = method === 'merge' || (method === 'rebase' && planned.commit === planned.head);
    return !pull.hasRules && pull.queue === 'off' && isHeadThere;
  }

  private async push(
    { from, to }: Pick<BaseMove, 'from' | 'to'>,
    { pull: { number, head }, headBranch }: SeenPull,
  ): Promise<BaseAnswer> {
    const { branch } = this.input.queue;
    // What somebody pushed there since the look was neither reviewed nor checked.
    const beside = { branch: headBranch, at: head };
    const pushed = await this.ask(async (forge) =>
      (await readAncestry(this.at.workplace.repository, from, to)) === 'ancestor'
        ? pushBranch(await queueGitOf(this.at), forge.remote, { branch, from, to, beside })
        : { kind: 'refused' as const, why: `${to.slice(0, 12)} does not contain ${from.slice(0, 12)}` },
    );
    this.deps.failpoint('land.after-swap');
    if (pushed.kind === 'pushed') {
      await keepBase(this.at.run.record, this.input.queue, to);
      return { landed: { kind: 'merged', commit: to }, base: { at: to } };
    }
    if (pushed.kind === 'moved_by_other')
      return pushed.branch === headBranch
        ? this.refuse(`somebody pushed to the branch of the pull request #${number}`)
        : { landed: { kind: 'moved' }, base: await this.find() };
    if (pushed.kind === 'refused') return { landed: exhausted('refused', pushed.why), base: { at: from } };
    return { landed: { kind: 'moved' }, base: this.hold(pushed) };
  }

  private async merge(from: string, { seen, planned }: ReadyPull): Promise<BaseAnswer> {
    const { head, message, how } = planned;
    // What could not be put on the base commit by commit here cannot there.
    const method = how === 'squash' ? how : landingOf(this.at.run.record).method;
    const { branch: base } = this.input.queue;
    const merged = await this.ask((forge) => mergePull(forge, seen, { head, base, method, message }));
    this.deps.failpoint('land.after-swap');
    if (merged.kind === 'merged') return this.tellLanded(merged.pull);
    if (merged.kind === 'not_ready' && merged.obstacle.kind === 'conflict')
      return this.refuseUnlessMoved(from, tellObstacle(merged.pull, merged.obstacle));
    if (merged.kind === 'not_ready') return this.refuse(tellObstacle(merged.pull, merged.obstacle));
    if (merged.kind === 'refused' || merged.kind === 'unreachable') {
      // One that moved meanwhile is refused like one that has a rule.
      const refused = await this.refuseUnlessMoved(from, merged.why);
      if (merged.kind === 'refused' || refused.landed.kind === 'moved') return refused;
    }
    return { landed: { kind: 'moved' }, base: this.hold(merged) };
  }

  /** What the forge alone will not do: its pull request would say the same again, at once and without an end. */
  private async refuseUnlessMoved(from: string, why: string): Promise<BaseAnswer> {
    const now = await this.find();
    const isMoved = now === null || 'held' in now || now.at !== from;
    return { landed: isMoved ? { kind: 'moved' } : exhausted('refused', why), base: now };
  }

  /** By whom and by which head is no question any more, but where is. */
  private async tellLanded(pull: PullState): Promise<BaseAnswer> {
    const { queue } = this.input;
    if (pull.base !== queue.branch) return this.refuse(`the pull request #${pull.number} was merged into ${pull.base}`);
    const base = await this.find();
    const commit = pull.mergeCommit ?? (base !== null && 'at' in base ? base.at : null);
    return { landed: commit === null ? { kind: 'moved' } : { kind: 'merged', commit }, base, head: pull.head };
  }

  private async refuse(why: string): Promise<BaseAnswer> {
    const at = await readRef(this.at.workplace.repository.commonDir, baseRefOf(this.input.queue));
    return { landed: exhausted('not_ready', why), base: at === null ? null : { at } };
  }

  private async fetch({ remote }: AtForge) {
    return fetchBase(await queueGitOf(this.at), remote, { queue: this.input.queue, record: this.at.run.record });
  }

  private async ask<T>(work: (forge: AtForge) => Promise<T | ForgeTrouble>): Promise<T | ForgeTrouble> {
    const { repoKey, runId } = this.at.run.record;
    this.opened ??= openForge(this.deps, { repoKey, runId }, this.at.signals.cancel);
    const opened = await this.opened;
    if (opened.kind !== 'open') return opened;
    this.tokenSource = opened.at.tokenSource;
    return workAt(opened.at, work);
  }

  private hold(trouble: ForgeTrouble): Extract<FoundBase, { readonly held: unknown }> {
    const { apiUrl } = this.at.run.record.policy.forge;
    const host = forgeAddress(apiUrl)?.host ?? apiUrl;
    const { hostId } = this.deps;
    return heldBy(trouble, { repo: this.input.queue.repoKey, host, hostId, tokenSource: this.tokenSource });
  }
}

function isNothingLeft(made: Landed): boolean {
  return made.kind === 'exhausted' && made.reason === 'nothing_left';
}

/** A merge queue's table beside a base of numbers, with owners that hear of their entries. */
import { expect } from '@jest/globals';
import type {
  BaseLook,
  ChainCommits,
  EntryChange,
  QueueEntry,
  WatchedEnd,
  WatchedHead,
} from '../../protocol/actors/merge-queue.js';
import { type BaseErrand, EMPTY_QUEUE, isLeaving, type QueueState } from '../../workflows/merge-queue/queue-state.js';
import { afterEvent, QUEUE_RULES } from '../../workflows/merge-queue/queue-table.js';
import { watchOf } from '../../workflows/merge-queue/queue-watch.js';

export const ENDED: readonly string[] = ['merged', 'exhausted', 'withdrawn'];
export const HOUR_MS = 3_600_000;

export function anEntry(n: number, part: Partial<QueueEntry> = {}): QueueEntry {
  const since = new Date(n * 1_000).toISOString();
  return {
    id: `e${n}`,
    owner: `landing:r${n}`,
    runId: `r${n}`,
    host: 'h',
    repoKey: 'shop',
    pull: null,
    priority: 0,
    since,
    attempts: 1,
    retryWaitMs: 30_000,
    watch: false,
    anyway: false,
    head: null,
    ...part,
  };
}

/** A repository whose commits are words: each names what it was made on. */
export class World {
  state: QueueState = EMPTY_QUEUE;
  now = 0;
  isInUse = false;
  isGone = false;
  isTrusted = true;
  /** Red whatever is merged. */
  isBaseRed = false;
  canWatch = true;
  /** What is red wherever it is merged. */
  red = new Set<string>();
  /** What conflicts wherever it is merged, and how often each merge of two commits was tried. */
  conflicted = new Set<string>();
  readonly tried = new Map<string, number>();
  /** First-parent history of the base, the newest last. */
  base: string[] = ['0'];
  readonly made = new Map<string, { on: string; entry: string }>();
  readonly heard = new Map<string, EntryChange[]>();
  /** What a person was promised for a minute, and is about to fast-forward to. */
  private promised: ChainCommits | null = null;
  private doing: BaseErrand[] = [];
  private persons = 0;

  tell(event: Parameters<typeof afterEvent>[1]): void {
    this.now += 1;
    const step = afterEvent(this.state, event, this.now);
    // It goes over continue-as-new at any time.
    this.state = JSON.parse(JSON.stringify(step.state)) as QueueState;
    for (const errand of step.errands) {
      if (errand.kind === 'tell') this.hear(errand.workflowId, errand.change);
      else if (errand.kind !== 'watch') this.doing.push(errand);
      // With it would land what somebody takes out.
      if (errand.kind === 'land') expect(this.state.isPaused || this.state.entries.some(isLeaving)).toBe(false);
    }
    expect(this.doing.length).toBeLessThanOrEqual(1);
    expect(this.state.isAtWork).toBe(this.doing.length === 1);
  }

  /** What is at work ends. */
  end(): void {
    const errand = this.doing.pop();
    if (errand === undefined) return;
    if (errand.kind === 'look') {
      const base = this.look(errand.chain, errand.mayMove);
      const asked = errand.watched.map(({ id: one }) => one);
      return this.tell({
        kind: 'looked',
        base,
        by: errand.entry.id,
        asked,
        watched: base === null ? [] : this.lookFor(errand.watched),
      });
    }
    const { id } = errand.entry;
    if (errand.kind === 'land')
      return this.land(
        id,
        errand.chain,
        errand.evidence.map(({ tree }) => tree),
      );
    const isRed = this.red.has(id) || this.isBaseRed;
    const checked = { checks: 'c', at: '', why: null, isBaseRed: this.isBaseRed };
    this.tell({
      ...checked,
      kind: 'checked',
      id,
      on: errand.on,
      tree: errand.commit,
      outcome: isRed ? 'red' : 'green',
    });
  }

  /** Nothing is left to be done at once. */
  endAll(): void {
    while (this.doing.length > 0) this.end();
  }

  /** A person's own commit, or their fast-forward to the tip. */
  commit(): void {
    this.persons += 1;
    this.bring(`p${this.persons}`);
  }

  take(): void {
    const { chain } = this.state;
    if (chain !== null && chain.base === this.base.at(-1)) this.bring(...chain.links.map(({ commit }) => commit));
  }

  /** Nobody brings anything to a branch that is gone. */
  private bring(...commits: readonly string[]): void {
    if (!this.isGone) this.base.push(...commits);
  }

  /** With links in it that nobody saw there they would count as withdrawn. */
  remove(): void {
    const { chain } = this.state;
    this.isGone = chain === null || !chain.links.some(({ commit }) => this.base.includes(commit));
  }

  /** Asks for the chain to be kept as it is. */
  claim(): void {
    const { chain } = this.state;
    const message = { kind: 'take', by: null } as const;
    if (QUEUE_RULES[0]?.judge(this.state, message).kind !== 'accepted' || chain === null) return;
    this.tell(message);
    this.promised = { base: chain.base, commits: chain.links.map(({ commit }) => commit) };
  }

  /** Their git does it, however much came between. */
  fastForward(): void {
    const { promised } = this;
    this.promised = null;
    if (promised === null) return;
    const contained = this.contained(promised);
    if (this.base.at(-1) === (promised.commits[contained - 1] ?? promised.base))
      this.bring(...promised.commits.slice(contained));
    this.tell({ kind: 'look', by: null });
  }

  /** Time passes, and with it the minute of a promise. */
  wait(ms: number): void {
    this.now += ms;
    const { takenUntilMs } = this.state;
    if (takenUntilMs === null || takenUntilMs <= this.now) this.promised = null;
    const due = QUEUE_RULES[0]?.wakesAt(this.state) ?? null;
    if (due !== null && due <= this.now) this.tell({ kind: 'tick' });
  }

  /** What a host that watches the base sees. */
  stir(): void {
    const errand = watchOf(this.state)?.errand;
    if (errand?.kind !== 'watch') return;
    if (!this.canWatch) return this.tell({ kind: 'watched', base: 'unwatched' });
    const at = this.isGone ? null : this.base.at(-1);
    if (errand.at !== at || (errand.isInUse && !this.isInUse)) this.tell({ kind: 'watched', base: 'stirred' });
  }

  /** Somebody else takes a head there, as it is or as a commit of its own. */
  takeThere(id: string, how: 'm' | 's'): void {
    if (!this.base.includes(`${how}-${id}`)) this.bring(`${how}-${id}`);
  }

  private lookFor(watched: readonly WatchedHead[]): readonly WatchedEnd[] {
    return watched.flatMap(({ id, seenOn }): WatchedEnd[] => {
      // Nothing is looked for twice where it was.
      expect(seenOn).not.toBe(this.base.at(-1));
      const commit = `m-${id}`;
      if (this.base.includes(commit)) return [{ id, landed: { kind: 'merged', commit } }];
      const landed = { kind: 'exhausted', reason: 'nothing_left', why: 'it has all of it' } as const;
      return this.base.includes(`s-${id}`) ? [{ id, landed }] : [];
    });
  }

  private land(id: string, chain: ChainCommits | null, evidence: readonly string[]): void {
    const on = chain?.commits.at(-1) ?? this.base.at(-1) ?? '';
    const stands = chain === null || this.base.at(-1) === chain.base || chain.commits.includes(this.base.at(-1) ?? '');
    const commit = `${id}/${on}`;
    const answer = (landed: Parameters<typeof this.landed>[1]) => this.landed(id, landed, chain);
    expect(this.state.entries.find((entry) => entry.id === id)?.watch).toBe(false);
    if (this.isGone) return answer({ kind: 'moved' });
    if (!this.isTrusted) return answer({ kind: 'held', reason: 'config_not_trusted', why: 'trust it' });
    if (!stands) return answer({ kind: 'moved' });
    // The same two commits always come to the same.
    if (this.tried.has(commit) || (this.conflicted.has(id) && !this.made.has(commit))) {
      this.tried.set(commit, (this.tried.get(commit) ?? 0) + 1);
      return answer({ kind: 'conflict', on, why: 'both changed a.txt', files: ['a.txt'] });
    }
    this.made.set(commit, { on, entry: id });
    if (!evidence.includes(commit)) return answer({ kind: 'check', commit, on });
    if (this.isInUse) return answer({ kind: 'ready', commit, on });
    const contained = chain === null ? 0 : this.contained(chain);
    this.base.push(...(chain?.commits.slice(contained) ?? []), commit);
    return answer({ kind: 'merged', commit });
  }

  private landed(
    id: string,
    landed: Extract<Parameters<typeof afterEvent>[1], { kind: 'landed' }>['landed'],
    chain: ChainCommits | null,
  ): void {
    this.tell({ kind: 'landed', id, base: this.look(chain, false), landed });
  }

  private look(chain: ChainCommits | null, mayMove: boolean): BaseLook | null {
    if (this.isGone) return null;
    const contained = chain === null ? 0 : this.contained(chain);
    const last = chain?.commits[contained - 1] ?? chain?.base;
    if (mayMove && !this.isInUse && chain !== null && this.base.at(-1) === last)
      this.base.push(...chain.commits.slice(contained));
    const contains = chain === null ? 0 : this.contained(chain);
    return { at: this.base.at(-1) ?? '', contains, use: this.isInUse ? 'main is checked out' : null };
  }

  private contained({ commits }: ChainCommits): number {
    return commits.filter((commit) => this.base.includes(commit)).length;
  }

  private hear(owner: string, change: EntryChange): void {
    const before = this.heard.get(owner) ?? [];
    this.heard.set(owner, [...before, change]);
  }
}

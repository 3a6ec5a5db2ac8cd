/** The table of a merge queue beside a base of numbers: whatever comes in whatever order, each head lands once or its owner hears why not. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BaseLook, ChainCommits, EntryChange, QueueEntry } from '../../../protocol/actors/merge-queue.js';
import { EMPTY_QUEUE, type QueueErrand, type QueueState } from '../../../workflows/merge-queue/queue-state.js';
import { afterEvent, QUEUE_RULES } from '../../../workflows/merge-queue/queue-table.js';

const ENDED: readonly string[] = ['merged', 'exhausted', 'withdrawn'];
const HOUR_MS = 3_600_000;

function anEntry(n: number, part: Partial<QueueEntry> = {}): QueueEntry {
  const since = new Date(n * 1_000).toISOString();
  return {
    id: `e${n}`,
    owner: `landing:r${n}`,
    runId: `r${n}`,
    host: 'h',
    priority: 0,
    since,
    attempts: 1,
    retryWaitMs: 30_000,
    ...{ watch: false, anyway: false, head: null },
    ...part,
  };
}

/** A repository whose commits are words: each names what it was made on. */
class World {
  state: QueueState = EMPTY_QUEUE;
  now = 0;
  isInUse = false;
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
  private doing: QueueErrand[] = [];
  private persons = 0;

  tell(event: Parameters<typeof afterEvent>[1]): void {
    this.now += 1;
    const step = afterEvent(this.state, event, this.now);
    // It goes over continue-as-new at any time.
    this.state = JSON.parse(JSON.stringify(step.state)) as QueueState;
    for (const errand of step.errands) {
      if (errand.kind === 'tell') this.hear(errand.workflowId, errand.change);
      else this.doing.push(errand);
    }
    expect(this.doing.length).toBeLessThanOrEqual(1);
    expect(this.state.isAtWork).toBe(this.doing.length === 1);
  }

  /** What is at work ends. */
  end(): void {
    const errand = this.doing.pop();
    if (errand === undefined || errand.kind === 'tell') return;
    if (errand.kind === 'look') return this.tell({ kind: 'looked', base: this.look(errand.chain, errand.mayMove) });
    const { id } = errand.entry;
    if (errand.kind === 'land')
      return this.land(
        id,
        errand.chain,
        errand.evidence.map(({ tree }) => tree),
      );
    const isRed = this.red.has(id);
    const checked = { checks: 'c', at: '', why: null, isBaseRed: false };
    this.tell({
      ...checked,
      kind: 'checked',
      id,
      on: errand.on,
      tree: errand.commit,
      outcome: isRed ? 'red' : 'green',
    });
  }

  /** A person's own commit, or their fast-forward to the tip. */
  commit(): void {
    this.persons += 1;
    this.base.push(`p${this.persons}`);
  }

  take(): void {
    const { chain } = this.state;
    if (chain !== null && chain.base === this.base.at(-1)) this.base.push(...chain.links.map(({ commit }) => commit));
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
      this.base.push(...promised.commits.slice(contained));
    this.tell({ kind: 'look', by: null });
  }

  /** Time passes, and with it the minute of a promise. */
  wait(ms: number): void {
    this.now += ms;
    const { takenUntilMs } = this.state;
    if (takenUntilMs === null || takenUntilMs <= this.now) this.promised = null;
    this.tell({ kind: 'tick' });
  }

  private land(id: string, chain: ChainCommits | null, evidence: readonly string[]): void {
    const on = chain?.commits.at(-1) ?? this.base.at(-1) ?? '';
    const stands = chain === null || this.base.at(-1) === chain.base || chain.commits.includes(this.base.at(-1) ?? '');
    const commit = `${id}/${on}`;
    const answer = (landed: Parameters<typeof this.landed>[1]) => this.landed(id, landed, chain);
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

  private look(chain: ChainCommits | null, mayMove: boolean): BaseLook {
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

type Act =
  | readonly ['enqueue' | 'withdraw' | 'red' | 'conflict' | 'mend' | 'wait', number]
  | readonly [
      'end' | 'use' | 'free' | 'commit' | 'take' | 'claim' | 'fastForward' | 'look' | 'pause' | 'resume' | 'abort',
    ];

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom('enqueue' as const), fc.nat(4)) },
  { weight: 10, arbitrary: fc.constant(['end'] as const) },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constantFrom('withdraw' as const, 'red' as const, 'conflict' as const, 'mend' as const),
      fc.nat(4),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant('wait' as const), fc.nat(120)) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('use', 'free', 'commit', 'take', 'claim', 'fastForward', 'look', 'pause', 'resume', 'abort')
      .map((kind) => [kind] as const),
  },
);

/** The only link of a chain is withdrawn and the base looked at, before the person whom the chain was promised fast-forwards. */
const WITHDRAWN_BUT_PROMISED: Act[] = [
  ['use'],
  ['enqueue', 0],
  ...Array.from({ length: 4 }, (): Act => ['end']),
  ['claim'],
  ['withdraw', 0],
  ['look'],
  ...Array.from({ length: 4 }, (): Act => ['end']),
  ['fastForward'],
];

function perform(world: World, [kind, n = 0]: Act): void {
  if (kind === 'enqueue') world.tell({ kind, entry: anEntry(n, { priority: n % 3, attempts: 1 + (n % 3) }) });
  else if (kind === 'withdraw') world.tell({ kind, id: `e${n}` });
  else if (kind === 'red') world.red.add(`e${n}`);
  else if (kind === 'conflict') world.conflicted.add(`e${n}`);
  else if (kind === 'mend') for (const faults of [world.red, world.conflicted]) faults.delete(`e${n}`);
  else if (kind === 'wait') world.wait(n * 1_000);
  else if (kind === 'end' || kind === 'commit' || kind === 'take' || kind === 'claim' || kind === 'fastForward')
    world[kind]();
  else if (kind === 'use' || kind === 'free') world.isInUse = kind === 'use';
  else world.tell({ kind, by: null });
}

/** The base is free and nobody holds anything up. */
function settle(world: World): void {
  world.isInUse = false;
  world.tell({ kind: 'resume', by: null });
  for (let n = 0; n < 200 && world.state.entries.length > 0; n += 1) {
    world.end();
    world.wait(HOUR_MS);
  }
}

describe('a merge queue', () => {
  it('lands each head once, in a chain without gaps, and tells its owner, whatever happens around it', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120, size: 'max' }), (acts) => {
        const world = new World();
        for (const one of acts) perform(world, one);
        settle(world);

        expect(world.state.entries).toEqual([]);
        const landed = world.base.flatMap((commit) => world.made.get(commit) ?? []);
        // The same two commits conflict again, so they are not merged again.
        expect([...world.tried.values()].every((times) => times === 1)).toBe(true);
        expect(new Set(landed.map(({ entry }) => entry)).size).toBe(landed.length);
        for (const [index, commit] of world.base.entries()) {
          const candidate = world.made.get(commit);
          if (candidate !== undefined) expect(candidate.on).toBe(world.base[index - 1]);
        }
        for (const [owner, changes] of world.heard) {
          const versions = changes.map(({ version }) => version);
          expect(versions).toEqual(versions.toSorted((a, b) => a - b));
          const id = owner.replace('landing:r', 'e');
          const last = changes.at(-1);
          expect(ENDED).toContain(last?.state);
          expect(last?.state === 'merged').toBe(landed.some(({ entry }) => entry === id));
          if (last?.state === 'merged') expect(world.base).toContain(last.commit);
        }
      }),
      { numRuns: 1500, examples: [[WITHDRAWN_BUT_PROMISED]] },
    );
  });
});

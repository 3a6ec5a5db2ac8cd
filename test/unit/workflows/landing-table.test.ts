/** The table of a landing beside a queue that says what it likes: whatever comes in whatever order, it says merged if its queue did, and nobody gives up what has landed. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RunToLand } from '../../../protocol/actors/landing.js';
import { ENTRY_SIGNAL, type EntryChange, type EntryState } from '../../../protocol/actors/merge-queue.js';
import {
  type LandingErrand,
  type LandingEvent,
  type LandingState,
  notAsked,
  viewOf,
} from '../../../workflows/landing/landing-state.js';
import { afterEvent, LANDING_RULES } from '../../../workflows/landing/landing-table.js';

const MINUTE_MS = 60_000;

const SOURCE = {
  ...{ host: 'h1', repoKey: 'shop', frozen: 'f', head: 'a'.repeat(40), evidence: null },
  base: { branch: 'main', sha: 'b'.repeat(40) },
};
const READY: RunToLand = { kind: 'answer', outcome: 'merge_ready', source: SOURCE };

class World {
  state: LandingState = notAsked('r1', { self: 'landing:r1/x', onto: null });
  now = 0;
  readonly errands: LandingErrand[] = [];
  /** Whether the rules let a message of a person in. */
  send(event: Extract<LandingEvent, { kind: 'land' | 'abort' }>): boolean {
    const isTaken = LANDING_RULES[0]?.judge(this.state, event).kind === 'accepted';
    if (isTaken) this.tell(event);
    return isTaken;
  }

  tell(event: Parameters<typeof afterEvent>[1]): void {
    this.now += 1;
    const step = afterEvent(this.state, event, this.now);
    // It goes over continue-as-new at any time.
    this.state = JSON.parse(JSON.stringify(step.state)) as LandingState;
    this.errands.push(...step.errands);
  }

  /** The landing is with its queue. */
  static queued(): World {
    const world = new World();
    world.tell({ kind: 'begin' });
    world.tell({ kind: 'opened', run: READY });
    world.tell({ kind: 'based', base: { kind: 'branch', branch: 'main' } });
    return world;
  }

  get entry(): string {
    return viewOf(this.state).entry?.id ?? 'none';
  }

  hear(state: EntryState, part: Partial<EntryChange> = {}): void {
    const change = { id: this.entry, version: this.now, state, commit: null, reason: null, why: null, files: [] };
    this.tell({ kind: ENTRY_SIGNAL, change: { ...change, ...part } });
  }
}

const land = { kind: 'land', onto: null, by: null } as const;
const abort = { kind: 'abort', by: 'me', reason: null } as const;

describe('a landing', () => {
  it('reads the run, finds the base and sends one entry of an id that no other has', () => {
    const world = World.queued();

    expect(world.errands).toMatchObject([
      { kind: 'open', workflowId: 'r1' },
      { kind: 'findBase', host: 'h1', input: { repoKey: 'shop', runId: 'r1', base: 'main' } },
      {
        ...{ kind: 'enqueue', workflowId: 'merge-queue:shop@main', queue: { repoKey: 'shop', branch: 'main' } },
        entry: { id: 'landing:r1/x/r1/1', owner: 'landing:r1', runId: 'r1', host: 'h1', priority: 0 },
      },
    ]);
    expect(viewOf(world.state)).toMatchObject({ merge: 'queued', base: 'main', gate: null });
  });

  it.each([
    ['no_answer', { kind: 'open' }],
    ['no_answer', { kind: 'none' }],
    ['nothing_left', { kind: 'answer', outcome: 'no_changes', source: null }],
    ['not_merge_ready', { kind: 'answer', outcome: 'blocked', source: SOURCE }],
  ] as const)('waits for a person as %s where the run says %j', (reason, run) => {
    const world = new World();
    world.tell({ kind: 'begin' });
    world.tell({ kind: 'opened', run });

    expect(viewOf(world.state)).toMatchObject({ merge: 'unmerged', gate: { reason } });
    expect(world.errands).toHaveLength(1);
  });

  it('is tried anew under another id once a person says so', () => {
    const world = World.queued();
    world.hear('exhausted', { reason: 'conflict', why: 'both changed a.txt', files: ['a.txt'] });
    const { gate } = viewOf(world.state);
    world.send({ ...land, onto: 'other' });
    world.tell({ kind: 'opened', run: READY });
    world.tell({ kind: 'based', base: { kind: 'branch', branch: 'other' } });

    expect(gate).toEqual({ reason: 'conflict', why: 'both changed a.txt', files: ['a.txt'] });
    expect(world.errands.at(-2)).toMatchObject({ kind: 'findBase', input: { base: 'other' } });
    expect(world.entry).toBe('landing:r1/x/r1/2');
  });

  it('is given up only once the queue has said that it did not land', () => {
    const world = World.queued();
    const id = world.entry;
    world.send(abort);

    expect(viewOf(world.state).merge).toBe('queued');
    expect(world.errands.at(-1)).toEqual({ kind: 'withdraw', workflowId: 'merge-queue:shop@main', id });
    world.hear('merged', { commit: 'c' });
    expect(viewOf(world.state)).toMatchObject({ merge: 'merged', commit: 'c', abandoned: null });
    expect(world.send(abort)).toBe(false);
  });

  it('sends its entry again, each time later, and what it withdraws with it', () => {
    const world = World.queued();
    world.send(abort);
    const { length } = world.errands;
    const waits: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      const at = LANDING_RULES[0]?.wakesAt(world.state) ?? 0;
      waits.push(Math.round((at - world.now) / MINUTE_MS));
      world.now = at;
      world.tell({ kind: 'tick' });
    }

    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 360, 360]);
    expect(world.errands.slice(length, length + 2)).toMatchObject([{ kind: 'enqueue' }, { kind: 'withdraw' }]);
  });

  it('goes to one base at a time', () => {
    const world = World.queued();

    expect(LANDING_RULES[0]?.judge(world.state, land)).toMatchObject({ kind: 'unchanged' });
    expect(LANDING_RULES[0]?.judge(world.state, { ...land, onto: 'main' })).toMatchObject({ kind: 'unchanged' });
    expect(LANDING_RULES[0]?.judge(world.state, { ...land, onto: 'other' })).toMatchObject({ kind: 'refused' });
  });

  const STATES = ['waiting', 'landing', 'ready', 'merged', 'exhausted', 'withdrawn'] as const;
  const act = fc.oneof(
    fc.constantFrom('land', 'abort', 'begin', 'tick', 'opened', 'based', 'failed'),
    fc.record({ state: fc.constantFrom(...STATES), id: fc.constantFrom('own', 'old', 'other'), version: fc.nat(9) }),
  );

  it('says merged if and only if the queue said so of its entry, and nothing else after', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60, size: 'max' }), (acts) => {
        const world = new World();
        const ids = new Set<string>();
        let heardMerged = false;
        let newest = -1;
        for (const one of acts) {
          const before = world.entry;
          if (typeof one !== 'string') {
            const id = { own: before, old: 'landing:r1/x/r1/0', other: 'landing:r2/x/r2/1' }[one.id];
            const counts = one.id === 'own' && before !== 'none' && one.version > newest;
            heardMerged ||= counts && one.state === 'merged';
            if (counts) newest = one.version;
            world.hear(one.state, { id, version: one.version });
          } else if (one === 'land') world.send(land);
          else if (one === 'abort') world.send(abort);
          else if (one === 'begin' || one === 'tick') world.tell({ kind: one });
          else if (one === 'opened') world.tell({ kind: 'opened', run: READY });
          else if (one === 'based') world.tell({ kind: 'based', base: { kind: 'branch', branch: 'main' } });
          else world.tell({ kind: 'failed', reason: 'host_away', why: 'away' });
          if (world.entry !== before) {
            newest = -1;
            if (world.entry !== 'none') expect(ids.has(world.entry)).toBe(false);
            ids.add(world.entry);
            ids.delete('none');
          }
          expect(viewOf(world.state).merge === 'merged').toBe(heardMerged);
        }
      }),
      { numRuns: 500 },
    );
  });
});

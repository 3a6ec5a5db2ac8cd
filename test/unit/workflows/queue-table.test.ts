/** The table of a merge queue beside a base of numbers: whatever comes in whatever order, each head lands once or its owner hears why not. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { QueueEntry } from '../../../protocol/actors/merge-queue.js';
import { EMPTY_QUEUE } from '../../../workflows/merge-queue/queue-state.js';
import { afterEvent, QUEUE_RULES } from '../../../workflows/merge-queue/queue-table.js';
import { holdOf, watchOf } from '../../../workflows/merge-queue/queue-watch.js';
import { anEntry, ENDED, HOUR_MS, World } from '../../support/queue-world.js';

type Act =
  | readonly ['enqueue' | 'watch' | 'there' | 'squashed' | 'withdraw' | 'red' | 'conflict' | 'mend' | 'wait', number]
  | readonly [Alone];

const WORLDLY = ['use', 'free', 'back', 'untrusted', 'trusted', 'baseRed', 'unwatched'] as const;
const ALONE = [
  ...(['end', 'commit', 'take', 'claim', 'fastForward', 'remove', 'stir', 'look', 'pause', 'resume', 'abort'] as const),
  ...WORLDLY,
] as const;
type Alone = (typeof ALONE)[number];

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
    weight: 3,
    arbitrary: fc.tuple(
      fc.constantFrom('watch' as const, 'there' as const, 'squashed' as const, 'withdraw' as const),
      fc.integer({ min: 5, max: 7 }),
    ),
  },
  { weight: 6, arbitrary: fc.constantFrom(...ALONE).map((kind) => [kind] as const) },
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

/** A person takes the chain, and before anybody has looked its only link is withdrawn. */
const WITHDRAWN_THOUGH_TAKEN: Act[] = [
  ['use'],
  ['enqueue', 0],
  ...Array.from({ length: 4 }, (): Act => ['end']),
  ['take'],
  ['withdraw', 0],
];

function perform(world: World, [kind, n = 0]: Act): void {
  if (kind === 'enqueue') world.tell({ kind, entry: anEntry(n, { priority: n % 3, attempts: 1 + (n % 3) }) });
  else if (kind === 'withdraw') world.tell({ kind, id: `e${n}` });
  else if (kind === 'red') world.red.add(`e${n}`);
  else if (kind === 'conflict') world.conflicted.add(`e${n}`);
  else if (kind === 'mend') for (const faults of [world.red, world.conflicted]) faults.delete(`e${n}`);
  else if (kind === 'wait') world.wait(n * 1_000);
  else if (kind === 'watch') world.tell({ kind: 'enqueue', entry: anEntry(n, { watch: true }) });
  else if (kind === 'there' || kind === 'squashed') world.takeThere(`e${n}`, kind === 'there' ? 'm' : 's');
  else if (kind === 'look' || kind === 'pause' || kind === 'resume' || kind === 'abort') world.tell({ kind, by: null });
  else if (kind in SWITCHES) Object.assign(world, SWITCHES[kind as keyof typeof SWITCHES]);
  else world[kind as Exclude<typeof kind, keyof typeof SWITCHES>]();
}

const SWITCHES = {
  use: { isInUse: true },
  free: { isInUse: false },
  back: { isGone: false },
  untrusted: { isTrusted: false },
  trusted: { isTrusted: true },
  baseRed: { isBaseRed: true },
  unwatched: { canWatch: false },
} as const;

/** The base is free, mended and trusted, and nobody holds anything up; what is watched gets there. It is seen by a host that watches, or in time. */
function settle(world: World): void {
  const { canWatch } = world;
  Object.assign(world, { isInUse: false, isGone: false, isTrusted: true, isBaseRed: false });
  for (const { id, watch } of world.state.entries) if (watch) world.takeThere(id, 'm');
  world.commit();
  world.tell({ kind: 'resume', by: null });
  for (let n = 0; n < 200 && world.state.entries.length > 0; n += 1) {
    world.endAll();
    world.stir();
    world.wait(canWatch && n < 20 ? 0 : HOUR_MS);
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
          const isWatched = Number(id.slice(1)) >= 5;
          if (!isWatched) expect(last?.state === 'merged').toBe(landed.some(({ entry }) => entry === id));
          if (last?.state === 'merged') expect(world.base).toContain(last.commit);
          // A turn that comes and goes is told to nobody.
          const news = changes.filter(({ version }, index) => version !== changes[index - 1]?.version && version > 0);
          const told = news.slice(0, -1).map(({ state, why, commit }) => `${state} ${why} ${commit}`);
          expect(told.every((one, index) => one !== told[index - 1])).toBe(true);
        }
      }),
      { numRuns: 1500, examples: [[WITHDRAWN_BUT_PROMISED], [WITHDRAWN_THOUGH_TAKEN]] },
    );
  });

  it('is heard again where somebody ended it and it is begun anew: what it says of an entry is newer than all that it said before', () => {
    const told = (now: number) => {
      const begun = afterEvent(EMPTY_QUEUE, { kind: 'enqueue', entry: anEntry(0) }, now).state;
      const { state } = afterEvent(begun, { kind: 'failed', id: anEntry(0).id, why: 'gone' }, now);
      return state.results.map(({ version }) => version);
    };
    const [before, anew] = [told(1_000), told(HOUR_MS)];

    expect([before.length, anew.length]).toEqual([1, 1]);
    expect(Math.min(...anew)).toBeGreaterThan(Math.max(...before));
  });

  it('makes a chain of a hundred anew behind its second link, once that is withdrawn, and lands the rest in their order', () => {
    const world = new World();
    world.isInUse = true;
    for (let n = 0; n < 100; n += 1) world.tell({ kind: 'enqueue', entry: anEntry(n) });
    world.endAll();
    expect(world.state.chain?.links).toHaveLength(100);

    world.tell({ kind: 'withdraw', id: 'e1' });
    world.endAll();
    const made = world.state.chain?.links.map(({ entry }) => entry);
    const told = [0, 2].map((n) => world.heard.get(`landing:r${n}`)?.map(({ state }) => state));
    settle(world);

    const others = Array.from({ length: 100 }, (_, n) => `e${n}`).filter((id) => id !== 'e1');
    expect(made).toEqual(others);
    expect(world.base.flatMap((commit) => world.made.get(commit)?.entry ?? [])).toEqual(others);
    expect(world.heard.get('landing:r1')?.at(-1)?.state).toBe('withdrawn');
    expect(told).toEqual([['ready'], ['ready', 'waiting', 'ready']]);
  });

  it.each([
    ['withdrawn', ['e1/0']],
    ['paused', []],
  ] as const)('lands no link that is %s by the green checks of another', (how, landed) => {
    const world = new World();
    world.isInUse = true;
    world.tell({ kind: 'enqueue', entry: anEntry(0) });
    world.endAll();
    expect(world.state.entries).toMatchObject([{ id: 'e0', state: 'ready' }]);
    world.tell({ kind: 'enqueue', entry: anEntry(1) });
    world.end();
    world.tell(how === 'paused' ? { kind: 'pause', by: null } : { kind: 'withdraw', id: 'e0' });
    world.isInUse = false;
    world.endAll();

    expect(world.base).toEqual(['0', ...landed]);
    expect(world.heard.get('landing:r0')?.at(-1)?.state).toBe(how === 'paused' ? 'ready' : 'withdrawn');
    world.tell({ kind: 'resume', by: null });
    world.endAll();
    expect(world.base).toEqual(['0', ...(how === 'paused' ? ['e0/0', 'e1/e0/0'] : landed)]);
  });

  it.each([
    [false, 'withdrawn'],
    [true, 'merged'],
  ])('only looks for what its owner wants back, where a queue before it was lost: landed is %s', (isThere, told) => {
    const world = new World();
    if (isThere) world.takeThere('e0', 'm');
    world.tell({ kind: 'enqueue', entry: anEntry(0, { withdrawn: true }) });
    world.tell({ kind: 'withdraw', id: 'e0' });
    world.endAll();

    expect(world.heard.get('landing:r0')?.at(-1)?.state).toBe(told);
    expect(world.base).toEqual(isThere ? ['0', 'm-e0'] : ['0']);
    expect(world.state.entries).toEqual([]);
  });

  it('gives back at once what is wanted back where the base is gone', () => {
    const world = new World();
    world.isGone = true;
    world.tell({ kind: 'enqueue', entry: anEntry(0, { withdrawn: true }) });
    world.endAll();

    expect(world.heard.get('landing:r0')?.at(-1)?.state).toBe('withdrawn');
  });

  it('makes its chain anew where the commits of it are gone', () => {
    const world = new World();
    world.isInUse = true;
    for (const n of [0, 1]) world.tell({ kind: 'enqueue', entry: anEntry(n) });
    world.endAll();

    const base = { at: '0', contains: 0, use: 'main is checked out', isLost: true } as const;
    const { state } = afterEvent(world.state, { kind: 'looked', base, by: 'e0', asked: [], watched: [] }, world.now);

    expect(state.chain).toBeNull();
    expect(state.entries.map((entry) => entry.state)).toEqual(['landing', 'waiting']);
  });

  it('takes a thousand entries and no more, of which all that is kept goes over continue-as-new', () => {
    const world = new World();
    const long = (n: number) => `${n}-`.padEnd(290, 'x');
    const files = Array.from({ length: 50 }, (_, n) => `${n}`.padEnd(200, 'f'));
    for (let n = 0; n < 1_200; n += 1) {
      const [id, owner] = [long(n), long(n)];
      world.state = afterEvent(
        world.state,
        { kind: 'enqueue', entry: anEntry(n, { id, owner, attempts: n < 200 ? 1 : 3 }) },
        n,
      ).state;
      const landed = { kind: 'conflict', on: '0', why: 'w'.repeat(500), files } as const;
      const base = { at: '0', contains: 0, use: null };
      world.state = afterEvent(world.state, { kind: 'landed', id, base, landed }, n).state;
    }

    const judgement = QUEUE_RULES[0]?.judge(world.state, { kind: 'enqueue', entry: anEntry(5_000) });

    expect([world.state.entries.length, world.state.results.length]).toEqual([1_000, 200]);
    expect(judgement).toMatchObject({ kind: 'refused', why: expect.stringContaining('1000') });
    expect(JSON.stringify(world.state).length).toBeLessThan(2 * 1024 * 1024);
  });

  it.each([
    ['a config that nobody trusts', { isTrusted: false }, 'config_not_trusted'],
    ['a base that is gone', { isGone: true }, 'base_gone'],
    ['a base that is red whatever lands', { isBaseRed: true }, 'base_red'],
  ] as const)('is held by %s, which uses no attempt', (_, world, reason) => {
    const held = Object.assign(new World(), world);
    for (const n of [0, 1]) held.tell({ kind: 'enqueue', entry: anEntry(n) });
    held.endAll();

    expect(holdOf(held.state)?.reason).toBe(reason);
    expect(held.state.entries.map(({ state, used }) => ({ state, used }))).toEqual([
      { state: 'waiting', used: 0 },
      { state: 'waiting', used: 0 },
    ]);
  });

  it('tries again what nobody trusted once it is told to look', () => {
    const world = new World();
    world.isTrusted = false;
    world.tell({ kind: 'enqueue', entry: anEntry(0) });
    world.endAll();
    world.isTrusted = true;

    world.tell({ kind: 'look', by: null });
    world.endAll();

    expect(world.heard.get('landing:r0')?.map(({ state, why }) => ({ state, why }))).toEqual([
      { state: 'waiting', why: 'trust it' },
      { state: 'merged', why: null },
    ]);
  });

  it('looks again for whoever rang while it looked', () => {
    const world = new World();
    world.isInUse = true;
    world.tell({ kind: 'enqueue', entry: anEntry(0) });
    world.endAll();

    for (const by of ['a', 'b']) world.tell({ kind: 'look', by });
    world.end();
    const isLooking = world.state.isAtWork;
    world.endAll();

    expect(isLooking).toBe(true);
    expect(QUEUE_RULES[0]?.wakesAt(world.state)).toBeNull();
  });

  it('looks at a base by timer only where somebody waits for what no host sees', () => {
    const waits = (part: Partial<World>, entry: Partial<QueueEntry> = {}) => {
      const world = Object.assign(new World(), part);
      world.tell({ kind: 'enqueue', entry: anEntry(0, entry) });
      world.endAll();
      const before = { watch: watchOf(world.state) !== null, timer: QUEUE_RULES[0]?.wakesAt(world.state) !== null };
      world.stir();
      return { ...before, timerLater: QUEUE_RULES[0]?.wakesAt(world.state) !== null };
    };

    expect(waits({ isInUse: true })).toEqual({ watch: true, timer: false, timerLater: false });
    expect(waits({ isInUse: true, canWatch: false })).toEqual({ watch: true, timer: false, timerLater: true });
    expect(waits({}, { watch: true })).toEqual({ watch: true, timer: false, timerLater: false });
    expect(waits({ isTrusted: false })).toEqual({ watch: false, timer: true, timerLater: true });
    expect(waits({})).toEqual({ watch: false, timer: false, timerLater: false });
  });

  it('tells who watches for a head that it is there, or that nothing of it is left to land', () => {
    const world = new World();
    for (const n of [5, 6]) world.tell({ kind: 'enqueue', entry: anEntry(n, { watch: true }) });
    world.endAll();
    world.takeThere('e5', 'm');
    world.takeThere('e6', 's');

    world.stir();
    world.endAll();

    expect(world.heard.get('landing:r5')).toMatchObject([{ state: 'merged', commit: 'm-e5' }]);
    expect(world.heard.get('landing:r6')).toMatchObject([{ state: 'exhausted', reason: 'nothing_left' }]);
    expect(world.base).toEqual(['0', 'm-e5', 's-e6']);
  });

  it('looks for a thousand watched heads a few at a time, and for each of them', () => {
    const world = new World();
    for (let n = 0; n < 1_000; n += 1)
      world.state = afterEvent(world.state, { kind: 'enqueue', entry: anEntry(n, { watch: true }) }, n).state;
    const base = { at: '0', contains: 0, use: null };
    const sizes: number[] = [];
    let { errands } = afterEvent({ ...world.state, isAtWork: false }, { kind: 'look', by: null }, 2_000);
    for (let seen = 0; errands.length > 0; seen += 1) {
      const [look] = errands;
      const watched = look?.kind === 'look' ? look.watched : [];
      sizes.push(watched.length);
      const asked = watched.map(({ id }) => id);
      const step = afterEvent(world.state, { kind: 'looked', base, by: 'e0', asked, watched: [] }, 3_000 + seen);
      world.state = step.state;
      errands = step.errands;
    }

    expect(Math.max(...sizes)).toBeLessThanOrEqual(50);
    expect(world.state.entries.every(({ seenOn }) => seenOn === '0')).toBe(true);
  });
});

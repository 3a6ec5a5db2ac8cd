/** The table of a landing beside a queue that says what it likes: whatever comes in whatever order, it says merged if its queue did, and nobody gives up what has landed. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FindKeptResult, RunEnd } from '../../../protocol/actors/landing.js';
import { DEFAULT_LANDING } from '../../../protocol/run/landing-policy.js';
import type { LandingEvent } from '../../../workflows/landing/landing-state.js';
import { viewOf } from '../../../workflows/landing/landing-view.js';

import {
  ANSWERED,
  abort,
  based,
  decide,
  deeds,
  land,
  MINUTE_MS,
  pause,
  READY,
  RULES,
  resume,
  SOURCE,
  TERMS,
  unasked,
  World,
} from '../../support/landing-world.js';

describe('a landing', () => {
  it('reads the run, finds the base and sends one entry of an id that no other has', () => {
    const world = World.queued();

    expect(deeds(world.errands)).toMatchObject([
      { kind: 'open', workflowId: 'r1' },
      { kind: 'findBase', host: 'h1', input: { repoKey: 'shop', runId: 'r1', base: 'main' } },
      {
        kind: 'enqueue',
        workflowId: 'merge-queue:shop@main',
        queue: { repoKey: 'shop', branch: 'main' },
        entry: { id: 'landing:r1/x/r1/1', owner: 'landing:r1', runId: 'r1', host: 'h1', priority: 0 },
      },
    ]);
    expect(viewOf(world.state)).toMatchObject({ merge: 'queued', base: 'main', gate: null });
  });

  it('asks the server for the workflow of its run, under whatever id that is', () => {
    const world = new World({ workflowId: 'nightly:1' });
    world.tell({ kind: 'begin' });

    expect(deeds(world.errands)).toEqual([{ kind: 'open', workflowId: 'nightly:1' }]);
  });

  it.each([
    ['no_answer', { kind: 'open', owner: null, branch: null, wait: null }],
    ['nothing_left', { kind: 'answer', outcome: 'no_changes', verdict: null, source: null, ...ANSWERED }],
  ] as const)('waits for a person as %s where the run says %j', (reason, run) => {
    const world = new World();
    world.tell({ kind: 'begin' });
    world.tell({ kind: 'opened', run });

    expect(viewOf(world.state)).toMatchObject({ merge: 'unmerged', gate: { reason } });
    expect(deeds(world.errands)).toHaveLength(1);
  });

  it('tells the item of the run when the engine lands its head, when that is ready, when it is not any more, and when it is on the base, each once, and nobody else', () => {
    const told = (owner: string | null) => {
      const world = new World();
      world.tell({ kind: 'begin' });
      world.tell({ kind: 'opened', run: { ...READY, owner } });
      world.tell(based('main'));
      for (const state of ['landing', 'ready', 'ready', 'waiting', 'ready'] as const) world.hear(state);
      world.hear('merged', { commit: 'c'.repeat(40) });
      world.hear('merged', { commit: 'c'.repeat(40) });
      return world.errands.filter(({ kind }) => kind === 'tellItem');
    };

    const news = { kind: 'tellItem', workflowId: 'item:shop/1', runId: 'r1' };
    const states = ['landing', 'ready', 'landing', 'ready', 'merged'];
    expect(told('item:shop/1')).toEqual(states.map((state) => ({ ...news, state })));
    expect(told('batch:b1')).toEqual([]);
    expect(told(null)).toEqual([]);
  });

  describe('of a run without an answer', () => {
    const begun = (kept: FindKeptResult, host: string | null = 'h1') => {
      const world = new World();
      world.tell({ kind: 'begin' });
      world.tell({ kind: 'opened', run: { kind: 'none', host } });
      expect(deeds(world.errands).at(-1)).toEqual({ kind: 'findKept', workflowId: 'r1', runId: 'r1', host });
      world.tell({ kind: 'kept', kept });
      return world;
    };

    it('lands what its host kept of it, once a person has approved that', () => {
      const world = begun({ kind: 'kept', source: SOURCE });
      world.tell(based('main'));
      expect(viewOf(world.state)).toMatchObject({ entry: null, gate: { reason: 'no_answer' } });
      world.send(decide('approve'));
      world.tell({ kind: 'opened', run: { kind: 'none', host: 'h1' } });
      world.tell({ kind: 'kept', kept: { kind: 'kept', source: SOURCE } });
      world.tell(based('main'));

      expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'enqueue', entry: { head: SOURCE.head } });
    });

    it('waits where nothing is kept of it, which no approval changes', () => {
      const world = begun({ kind: 'none', why: 'the run r1 was cleaned' }, null);
      expect(viewOf(world.state).gate).toMatchObject({
        reason: 'no_answer',
        why: 'the server knows no answer of the run r1, and the run r1 was cleaned',
      });
      world.send(decide('approve'));
      world.tell({ kind: 'opened', run: { kind: 'none', host: null } });
      world.tell({ kind: 'kept', kept: { kind: 'kept', source: SOURCE } });
      world.tell(based('main'));

      expect(viewOf(world.state)).toMatchObject({ entry: null, gate: { reason: 'no_answer', id: 'gate-2' } });
    });
  });

  it('is tried anew under another id once a person says so', () => {
    const world = World.queued();
    world.hear('exhausted', { reason: 'conflict', why: 'both changed a.txt', files: ['a.txt'] });
    const { gate } = viewOf(world.state);
    world.send({ ...land, onto: 'other' });
    world.tell({ kind: 'opened', run: READY });
    world.tell(based('other'));

    expect(gate).toEqual({ id: 'gate-1', reason: 'conflict', why: 'both changed a.txt', files: ['a.txt'] });
    expect(deeds(world.errands).at(-2)).toMatchObject({ kind: 'findBase', input: { base: 'other' } });
    expect(world.entry).toBe('landing:r1/x/r1/2');
  });

  const checked = (outcome: 'passed' | 'no_commands') => ({
    verdict: 'partially_verified' as const,
    source: { ...SOURCE, evidence: { tree: 't', checks: 'c', outcome, at: '2026-01-01T00:00:00.000Z' } },
  });

  it.each([
    ['verified', {}, 'queued'],
    ['verified', checked('passed'), 'needs'],
    ['checked', checked('passed'), 'queued'],
    ['checked', checked('no_commands'), 'needs'],
    ['checked', { verdict: 'unverified' as const }, 'needs'],
  ] as const)('lands unasked where landing.needs is %s and the run has %j: %s', (needs, run, comes) => {
    const { state } = unasked({ landing: { ...DEFAULT_LANDING, mode: 'auto', needs } }, run as Partial<RunEnd>);

    expect(viewOf(state).gate?.reason ?? viewOf(state).merge).toBe(comes);
  });

  it('needs nothing more than the word of a person', () => {
    const world = unasked({}, checked('no_commands'));
    world.send(land);
    world.tell({ kind: 'opened', run: { ...READY, ...checked('no_commands') } });
    world.tell(based('main'));

    expect(viewOf(world.state)).toMatchObject({ merge: 'queued', gates: [{ status: 'approved' }] });
  });

  it('lands nothing of a run whose policy says off, whoever asks', () => {
    const world = new World();
    world.tell({ kind: 'begin' });
    world.tell({ kind: 'opened', run: READY });
    world.tell(based('main', { landing: { ...DEFAULT_LANDING, mode: 'off' } }));

    expect(viewOf(world.state)).toMatchObject({ merge: 'abandoned', abandoned: expect.stringContaining('off') });
  });

  const LISTED = { gates: { ...TERMS.gates, stages: ['landing' as const] } };
  it.each([
    ['listed', LISTED, {}],
    ['not_merge_ready', {}, { outcome: 'blocked' as const }],
  ])('waits as %s for an approval, which `land` is not, and asks once', (reason, terms, run) => {
    const world = unasked(terms, run);

    expect(viewOf(world.state).gate).toMatchObject({ id: 'gate-1', reason });
    expect(RULES.judge(world.state, land)).toMatchObject({ kind: 'refused' });
    expect(world.send(decide('approve'))).toBe(true);
    world.tell({ kind: 'opened', run: { ...READY, ...run } });
    world.tell(based('main', terms));
    expect(viewOf(world.state)).toMatchObject({
      merge: 'queued',
      gates: [{ id: 'gate-1', stage: 'landing', status: 'approved', resolvedBy: 'ann', commit: SOURCE.head }],
    });
  });

  it('is given up where a person rejects, and takes no decision without a gate', () => {
    const world = World.queued();

    expect(world.send(decide('approve'))).toBe(false);
    world.hear('exhausted', { reason: 'red', why: 'npm test is red' });
    expect(world.send(decide('reject'))).toBe(true);
    expect(viewOf(world.state)).toMatchObject({
      merge: 'abandoned',
      abandoned: 'rejected by ann',
      gates: [{ status: 'rejected', reason: 'npm test is red' }],
    });
  });

  it('rings at its gate, tells people of it, and is given up when that expires', () => {
    const world = unasked({ gates: { ...LISTED.gates, remindMs: 1_000, escalateMs: 2_500, expireMs: 3_000 } });
    const rung: (string | undefined)[] = [];
    for (let at = RULES.wakesAt(world.state); at !== null; at = RULES.wakesAt(world.state)) {
      world.now = at;
      world.tell({ kind: 'tick' });
      rung.push(world.state.journal.unwritten.at(-1)?.type);
    }

    expect(rung).toEqual(['approval.reminded', 'approval.reminded', 'approval.escalated', 'merge.changed']);
    expect(world.errands.flatMap((errand) => (errand.kind === 'tell' ? [errand.input.notification.kind] : []))).toEqual(
      ['gate_opened', 'gate_reminder', 'gate_reminder', 'gate_escalated', 'landing_closed'],
    );
    expect(viewOf(world.state)).toMatchObject({ merge: 'abandoned', gates: [{ status: 'expired' }] });
  });

  it('gives a gate up at once where nobody attends, but not where a person asked', () => {
    const alone = unasked(LISTED, {}, false);
    expect(RULES.wakesAt(alone.state)).toBeLessThanOrEqual(alone.now);
    const asked = new World({ attended: false });
    asked.tell({ kind: 'begin' });
    asked.tell({ kind: 'opened', run: READY });
    asked.tell(based('main', LISTED));
    expect(viewOf(asked.state).gate).not.toBeNull();
    expect(RULES.wakesAt(asked.state)).toBeNull();
  });

  it('looks again, later and later, at a run that is about to close', () => {
    const world = new World({ isUnasked: true });
    world.tell({ kind: 'begin' });
    const waits: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      world.tell({ kind: 'opened', run: { kind: 'open', owner: null, branch: null, wait: null } });
      const at = RULES.wakesAt(world.state) ?? 0;
      waits.push(at - world.now);
      world.now = at;
      world.tell({ kind: 'tick' });
    }

    expect(waits).toEqual([250, 500, 1_000]);
    expect(deeds(world.errands)).toHaveLength(4);
    expect(viewOf(world.state).gate).toBeNull();
  });

  it('has its host write what is new, one writing at a time, and again what that did not take', () => {
    const world = World.queued();
    const writes = () => world.errands.flatMap((errand) => (errand.kind === 'write' ? [errand.input.journal] : []));
    world.hear('landing');
    world.hear('ready');

    expect(writes()).toMatchObject([
      { events: [{ seq: 1, type: 'merge.changed' }], view: { merge: 'queued', seq: 1 } },
    ]);
    world.tell({ kind: 'written', seq: 1 });
    expect(writes().at(1)?.events).toMatchObject([{ seq: 2 }]);
    world.tell({ kind: 'written', seq: null });
    expect(writes()).toHaveLength(2);
    world.hear('merged', { commit: 'c' });
    expect(writes().at(2)?.events).toMatchObject([{ seq: 2 }, { seq: 3, data: { to: 'merged', commit: 'c' } }]);
  });

  it('is given up only once the queue has said that it did not land', () => {
    const world = World.queued();
    const id = world.entry;
    world.send(abort);

    expect(viewOf(world.state).merge).toBe('queued');
    expect(deeds(world.errands).at(-1)).toEqual({ kind: 'withdraw', workflowId: 'merge-queue:shop@main', id });
    world.hear('merged', { commit: 'c' });
    expect(viewOf(world.state)).toMatchObject({ merge: 'merged', commit: 'c', abandoned: null });
    expect(world.send(abort)).toBe(false);
  });

  it('sends its entry again, each time later, and what it withdraws with it', () => {
    const world = World.queued();
    const waitAgain = (): number => {
      const at = RULES.wakesAt(world.state) ?? 0;
      const minutes = Math.round((at - world.now) / MINUTE_MS);
      world.now = at;
      world.tell({ kind: 'tick' });
      return minutes;
    };

    expect(Array.from({ length: 8 }, waitAgain)).toEqual([10, 20, 40, 80, 160, 320, 360, 360]);
    expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'enqueue' });
    // A person waits for that.
    world.send(abort);
    const { length } = deeds(world.errands);
    expect(Array.from({ length: 3 }, waitAgain)).toEqual([1, 2, 4]);
    const again = deeds(world.errands).slice(length, length + 2);
    expect(again).toMatchObject([{ kind: 'enqueue', entry: { withdrawn: true } }, { kind: 'withdraw' }]);
  });

  it('is paused once its queue gave it back, goes on when it is resumed, and keeps its age', () => {
    const world = World.queued();
    const sent = deeds(world.errands).at(-1);
    const since = sent?.kind === 'enqueue' ? sent.entry.since : null;
    expect(world.send(pause)).toBe(true);
    expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'withdraw', id: world.entry });
    expect(viewOf(world.state)).toMatchObject({ merge: 'queued', paused: null });
    world.hear('withdrawn');
    expect(viewOf(world.state)).toMatchObject({ merge: 'unmerged', entry: null, paused: 'paused by ada: a release' });
    expect(RULES.isIdle(world.state)).toBe(false);
    expect(RULES.wakesAt(world.state)).toBeNull();
    world.now += MINUTE_MS;
    expect(world.send(resume)).toBe(true);
    world.tell({ kind: 'opened', run: READY });
    world.tell(based('main'));

    expect(deeds(world.errands).at(-1)).toMatchObject({ entry: { id: 'landing:r1/x/r1/2', since } });
    expect(world.state.journal.unwritten.map(({ message }) => message)).toEqual([
      'unmerged → queued on main',
      'queued → paused on main: paused by ada: a release',
      'paused → unmerged on main',
      'unmerged → queued on main',
    ]);
  });

  it('has landed where its queue says so before it hears of the pause', () => {
    const world = World.queued();
    world.send(pause);
    world.hear('merged', { commit: 'c' });

    expect(viewOf(world.state)).toMatchObject({ merge: 'merged', paused: null });
  });

  it('takes a pause back that its queue has not answered, and asks for its place anew', () => {
    const world = World.queued();
    world.send(pause);
    expect(world.send(resume)).toBe(true);
    world.hear('withdrawn');

    expect(deeds(world.errands).at(-1)).toEqual({ kind: 'open', workflowId: 'r1' });
  });

  const judged = (world: World, event: LandingEvent) => {
    const judgement = RULES.judge(world.state, event);
    return 'why' in judgement ? judgement.why : judgement.message;
  };
  it('says why it cannot be paused or resumed', () => {
    const paused = new World();
    paused.tell({ kind: 'begin' });
    paused.send(pause);
    const gated = World.queued();
    gated.hear('exhausted', { reason: 'refused', why: 'no' });
    const merged = World.queued();
    merged.hear('merged');
    const leaving = World.queued();
    leaving.send(abort);

    expect(judged(new World(), pause)).toBe('nobody asked for it yet');
    expect(judged(paused, pause)).toBe('it is paused already');
    expect(judged(paused, land)).toContain('sluice resume');
    expect(judged(gated, pause)).toContain('it waits at gate-1');
    expect(judged(merged, pause)).toBe('it has landed');
    expect(judged(leaving, pause)).toBe('it is being given up');
    expect(judged(World.queued(), resume)).toBe('nothing is paused and no pause is pending');
    leaving.hear('withdrawn');
    expect(judged(leaving, pause)).toBe('it is given up');
  });

  it('looks at its base and sends its entry again when it is told to look', () => {
    const world = World.queued();
    world.send({ kind: 'look', by: null });

    expect(deeds(world.errands).slice(-2)).toMatchObject([
      { kind: 'enqueue', entry: { id: world.entry } },
      { kind: 'look', workflowId: 'merge-queue:shop@main' },
    ]);
  });

  describe('that somebody else merges', () => {
    const WATCH = { landing: { ...DEFAULT_LANDING, mode: 'watch' as const } };
    const watching = () => {
      const world = unasked(WATCH, { verdict: 'unverified' });
      world.hear('watched');
      return world;
    };

    it('only watches, and ends merged when the queue sees it on the base', () => {
      const world = watching();
      expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'enqueue', entry: { watch: true } });
      expect(viewOf(world.state)).toMatchObject({ merge: 'unmerged', entry: { state: 'watched' }, gate: null });
      world.hear('merged', { commit: 'c' });

      expect(viewOf(world.state)).toMatchObject({ merge: 'merged', commit: 'c' });
    });

    it('is queued in earnest once a person asks for it, as any other', () => {
      const world = watching();
      const { length } = deeds(world.errands);
      expect(world.send(land)).toBe(true);
      expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'withdraw' });
      expect(world.send(land)).toBe(false);
      world.hear('withdrawn');
      world.tell({ kind: 'opened', run: READY });
      world.tell(based('main', WATCH));

      expect(deeds(world.errands).slice(length).at(-1)).toMatchObject({ kind: 'enqueue', entry: { watch: false } });
      expect(viewOf(world.state).merge).toBe('queued');
    });

    it('is left to a person where nothing is left of it', () => {
      const world = watching();
      world.hear('exhausted', { reason: 'nothing_left', why: 'main has all of this change already' });

      expect(viewOf(world.state).gate?.reason).toBe('nothing_left');
    });
  });

  it('goes to one base at a time', () => {
    const world = World.queued();

    expect(RULES.judge(world.state, land)).toMatchObject({ kind: 'unchanged' });
    expect(RULES.judge(world.state, { ...land, onto: 'main' })).toMatchObject({ kind: 'unchanged' });
    expect(RULES.judge(world.state, { ...land, onto: 'other' })).toMatchObject({ kind: 'refused' });
  });

  const STATES = ['waiting', 'landing', 'ready', 'merged', 'exhausted', 'withdrawn'] as const;
  const act = fc.oneof(
    fc.constantFrom('land', 'abort', 'begin', 'tick', 'opened', 'based', 'failed', 'approve', 'written'),
    fc.constantFrom('pause', 'resume', 'look'),
    fc.record({ state: fc.constantFrom(...STATES), id: fc.constantFrom('own', 'old', 'other'), version: fc.nat(9) }),
  );

  it('sends nothing while it is paused', () => {
    fc.assert(
      fc.property(fc.constantFrom('queued', 'opening'), fc.array(act, { maxLength: 20 }), (from, acts) => {
        const world = from === 'queued' ? World.queued() : new World();
        if (from === 'opening') world.tell({ kind: 'begin' });
        world.send(pause);
        if (from === 'queued') world.hear('withdrawn');
        const { length } = deeds(world.errands);
        for (const one of acts) {
          if (one === 'resume' || one === 'abort') continue;
          if (typeof one !== 'string') world.hear(one.state, { id: 'landing:r1/x/r1/1', version: 99 });
          else if (one === 'land') world.send(land);
          else if (one === 'pause') world.send(pause);
          else if (one === 'look') world.send({ kind: 'look', by: null });
          else if (one === 'approve') world.send(decide('approve'));
          else if (one === 'written') world.tell({ kind: 'written', seq: null });
          else if (one === 'opened') world.tell({ kind: 'opened', run: READY });
          else if (one === 'based') world.tell(based('main'));
          else if (one === 'failed') world.tell({ kind: 'failed', reason: 'host_away', why: 'away' });
          else world.tell({ kind: one });
        }
        expect(deeds(world.errands)).toHaveLength(length);
        expect(viewOf(world.state).paused).not.toBeNull();
      }),
    );
  });

  it('believes of its own entry alone, and no older word of it', () => {
    const world = World.queued();
    world.hear('merged', { id: 'of another', commit: 'c' });
    expect(viewOf(world.state)).toMatchObject({ merge: 'queued', commit: null });
    world.hear('ready', { version: 7, commit: 'link' });
    for (const version of [6, 7]) world.hear('exhausted', { version, reason: 'red', why: 'late' });
    expect(viewOf(world.state)).toMatchObject({ merge: 'queued', entry: { state: 'ready' }, gate: null });
    world.hear('merged', { version: 8, commit: 'c' });
    expect(viewOf(world.state)).toMatchObject({ merge: 'merged', commit: 'c' });
  });

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
          else if (one === 'pause') world.send(pause);
          else if (one === 'resume') world.send(resume);
          else if (one === 'look') world.send({ kind: 'look', by: null });
          else if (one === 'approve') world.send(decide('approve'));
          else if (one === 'written') world.tell({ kind: 'written', seq: null });
          else if (one === 'begin' || one === 'tick') world.tell({ kind: one });
          else if (one === 'opened') world.tell({ kind: 'opened', run: READY });
          else if (one === 'based') world.tell(based('main'));
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

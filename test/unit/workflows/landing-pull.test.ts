/** A head that is shown by a pull request: what each look at it means, whoever wants it on the base. */
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { PullState } from '../../../protocol/actors/forge.js';
import type { LandingMode } from '../../../protocol/run/landing-policy.js';
import { showLanding, viewOf } from '../../../workflows/landing/landing-view.js';
import {
  abort,
  answer,
  based,
  countEntries,
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
import { ensured, HOUR_MS, OTHERS, PULL, pulled, shown, termsOf } from '../../support/pull-world.js';

const lastOf = ({ errands }: World) => deeds(errands).at(-1);
const countOf = ({ errands }: World, kind: string) => errands.filter((errand) => errand.kind === kind).length;
/** Its run and its base are found as before. */
function openAgain(world: World, mode: LandingMode): void {
  world.tell({ kind: 'opened', run: READY });
  world.tell(based('main', termsOf(mode)));
}
const gateOf = ({ state }: World) => viewOf(state).gate;

describe('a head on a forge', () => {
  it('is shown by a draft that people merge, whatever it needs to land unasked, and nothing else is done about it', () => {
    const world = unasked(termsOf('pr'), { verdict: 'partially_verified' });
    expect(lastOf(world)).toMatchObject({
      kind: 'ensurePull',
      host: 'h1',
      input: {
        runId: 'r1',
        headRunId: 'r1',
        head: null,
        base: 'main',
        isDraft: true,
        notBefore: null,
        wasDraft: null,
        pushed: null,
        number: null,
      },
    });
    world.tell(ensured());
    expect(lastOf(world)).toMatchObject({ kind: 'lookAtPull', input: { number: 7, notBefore: PULL.updatedAt } });
    for (const seen of [{ isDraft: true }, {}, { checks: { state: 'failed', names: ['ci'] } as const }]) {
      world.tell(pulled(seen));
      world.tell({ kind: 'remarked', result: { kind: 'remarks', remarks: [] } });
      expect(gateOf(world)).toBeNull();
      world.now = RULES.wakesAt(world.state) ?? 0;
      world.tell({ kind: 'tick' });
    }
    expect(viewOf(world.state)).toMatchObject({ merge: 'unmerged', pull: { number: 7, at: 'checks_failed' } });
    expect(showLanding(world.state).memo).toMatchObject({ pull: 7, url: PULL.url, at: 'checks_failed' });
    world.tell(pulled({ state: 'merged', mergeCommit: OTHERS }));

    expect(viewOf(world.state)).toMatchObject({ merge: 'merged', commit: OTHERS, pull: { at: 'merged' } });
    expect([countOf(world, 'enqueue'), RULES.isIdle(world.state)]).toEqual([0, true]);
  });

  it('goes to the queue of the forge once it is wanted and may be merged, with its number', () => {
    const world = shown('auto');

    expect(lastOf(world)).toMatchObject({
      kind: 'enqueue',
      queue: { repoKey: 'acme/shop', branch: 'main' },
      entry: { repoKey: SOURCE.repoKey, pull: 7, head: null, watch: false },
    });
  });

  it('is made ready when a person asks for it, and is asked for what the policy asks of a person first', () => {
    const world = shown('pr');
    expect(world.send(land)).toBe(true);
    expect(lastOf(world)).toMatchObject({
      kind: 'ensurePull',
      input: { isDraft: false, wasDraft: true, number: 7, pushed: SOURCE.head },
    });
    world.tell(ensured({ isDraft: false }));
    world.tell(pulled());
    expect(lastOf(world)).toMatchObject({ kind: 'enqueue' });

    const terms = { ...termsOf('pr'), gates: { ...TERMS.gates, stages: ['landing' as const] } };
    const listed = unasked(terms);
    listed.tell(ensured());
    listed.tell(pulled({ isDraft: true }));
    listed.send(land);
    expect(gateOf(listed)).toMatchObject({ reason: 'listed' });
  });

  it('is never seen older than it was seen once, whatever the forge answers', () => {
    const notBefore = new Date(5_000).toISOString();
    const world = shown('pr', { updatedAt: notBefore });
    world.now = RULES.wakesAt(world.state) ?? 0;
    world.tell({ kind: 'tick' });
    expect(lastOf(world)).toMatchObject({ kind: 'lookAtPull', input: { notBefore } });
    world.tell(pulled({ isDraft: true, updatedAt: PULL.updatedAt }));
    world.send(land);
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { number: 7, notBefore } });
  });

  it('is asked for what the policy asks of a person first, also where somebody wants it while it is looked at', () => {
    const terms = { ...termsOf('pr'), gates: { ...TERMS.gates, stages: ['landing' as const] } };
    const listed = unasked(terms);
    listed.tell(ensured());
    expect(listed.send(land)).toBe(true);
    listed.tell(pulled());
    expect([gateOf(listed), countOf(listed, 'enqueue')]).toMatchObject([{ reason: 'listed' }, 0]);
    listed.send(decide('approve'));
    listed.tell({ kind: 'opened', run: READY });
    listed.tell(based('main', terms));
    listed.tell(ensured({ isDraft: false }));
    listed.tell(pulled());
    expect([gateOf(listed), countOf(listed, 'enqueue')]).toEqual([null, 1]);
  });

  it('is looked for on the base of the forge where others merge it, and shown to nobody before a person asks for it', () => {
    const world = unasked(termsOf('watch'));
    const queue = { repoKey: 'acme/shop', branch: 'main' };
    expect(lastOf(world)).toMatchObject({ kind: 'enqueue', queue, entry: { watch: true, pull: null } });
    world.hear('watched');
    expect([countOf(world, 'ensurePull'), world.send(land)]).toEqual([0, true]);
    world.hear('withdrawn');
    openAgain(world, 'watch');
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { isDraft: false } });
  });

  it('is shown as ready at once where only a person asks for it', () => {
    const world = new World();
    world.tell({ kind: 'begin' });
    openAgain(world, 'manual');

    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { isDraft: false, number: null } });
  });

  it('is made ready by the answers of what was under way when a person asked', () => {
    const world = unasked(termsOf('pr'));
    world.send(land);
    expect(countOf(world, 'ensurePull')).toBe(1);
    world.tell(ensured());
    world.tell(pulled({ isDraft: true }));
    expect([countOf(world, 'ensurePull'), lastOf(world)]).toMatchObject([2, { input: { isDraft: false } }]);
    world.tell(ensured({ isDraft: false }));
    // Somebody made it a draft again.
    world.tell(pulled({ isDraft: true }));
    expect([countOf(world, 'ensurePull'), countOf(world, 'enqueue'), gateOf(world)]).toEqual([2, 0, null]);
  });

  it.each([
    ['waits', { checks: { state: 'pending', names: ['ci'] } }, 'checks_pending'],
    ['waits', { lacksReview: true }, 'review'],
    ['waits', { mergeable: 'unknown' }, 'unknown'],
    ['waits', { queue: 'in' }, 'queued'],
    ['asks', { checks: { state: 'failed', names: ['ci'] } }, 'checks_failed'],
    ['asks', { review: 'changes_requested' }, 'changes_requested'],
    ['asks', { base: 'release' }, 'pull_retargeted'],
    ['asks', { head: OTHERS }, 'pushed_by_other'],
    ['asks', { state: 'closed' }, 'pull_closed'],
    ['is sent', { mergeable: 'conflict' }, 'conflict'],
  ] as const)('%s where a look shows %j', (what, seen, at) => {
    const world = shown('auto', seen as Partial<PullState>);
    // Nobody who has a say says more.
    if (lastOf(world)?.kind === 'readRemarks')
      world.tell({ kind: 'remarked', result: { kind: 'remarks', remarks: [] } });

    expect(countOf(world, 'enqueue')).toBe(what === 'is sent' ? 1 : 0);
    expect(gateOf(world)?.reason ?? null).toBe(what === 'asks' ? at : null);
    if (what === 'waits')
      expect([viewOf(world.state).pull?.at, RULES.wakesAt(world.state)]).toEqual([at, world.now + MINUTE_MS]);
  });

  it('asks a person about required checks that are pending for longer than they may', () => {
    const world = shown('auto', { checks: { state: 'pending', names: ['ci'] } });
    for (let minutes = 0; minutes < 60 && gateOf(world) === null; minutes += 1) {
      world.now = RULES.wakesAt(world.state) ?? 0;
      world.tell({ kind: 'tick' });
      world.tell(pulled({ checks: { state: 'pending', names: ['ci'] } }));
    }

    expect(gateOf(world)).toMatchObject({ reason: 'checks_timed_out', why: expect.stringContaining('ci') });
    expect(world.now).toBeGreaterThanOrEqual(HOUR_MS);
    // Whoever approves it has them waited for as long again.
    world.now += 24 * HOUR_MS;
    world.send(decide('approve'));
    openAgain(world, 'auto');
    world.tell(ensured({ isDraft: false }));
    world.tell(pulled({ checks: { state: 'pending', names: ['ci'] } }));
    expect([gateOf(world), viewOf(world.state).pull?.at]).toEqual([null, 'checks_pending']);
  });

  it('gives checks that are begun again their time anew, however long it waited for a review before', () => {
    const world = shown('auto', { lacksReview: true });
    world.now += 24 * HOUR_MS;
    const begun = world.now;
    for (let looks = 0; looks < 100 && gateOf(world) === null; looks += 1) {
      world.tell({ kind: 'tick' });
      world.tell(pulled({ checks: { state: 'pending', names: ['ci'] } }));
      if (gateOf(world) === null) world.now = RULES.wakesAt(world.state) ?? 0;
    }

    expect(gateOf(world)).toMatchObject({ reason: 'checks_timed_out' });
    expect(world.now - begun).toBeGreaterThanOrEqual(HOUR_MS);
    // The gate stays while they are: that they are late begins no time of theirs.
    world.now = RULES.wakesAt(world.state) ?? 0;
    world.tell({ kind: 'tick' });
    world.tell(pulled({ checks: { state: 'pending', names: ['ci'] } }));
    expect(gateOf(world)).toMatchObject({ reason: 'checks_timed_out' });
  });

  it('is looked at each minute while there is news, and after a quiet hour less and less, without an end', () => {
    const world = shown('pr');
    const waits: number[] = [];
    for (let looks = 0; looks < 400; looks += 1) {
      const at = RULES.wakesAt(world.state) ?? 0;
      waits.push(Math.round((at - world.now) / MINUTE_MS));
      world.now = at;
      world.tell({ kind: 'tick' });
      world.tell(pulled({ isDraft: true }));
    }
    expect(waits.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 1));
    expect(waits.slice(60, 66)).toEqual([2, 4, 8, 15, 15, 15]);
    expect(waits.at(-1)).toBe(15);
    expect(world.now).toBeGreaterThan(3 * 24 * HOUR_MS);
    // News.
    world.now = RULES.wakesAt(world.state) ?? 0;
    world.tell({ kind: 'tick' });
    world.tell(pulled());
    expect(RULES.wakesAt(world.state)).toBe(world.now + MINUTE_MS);
  });

  it('goes back to its pull request where the queue finds that it may not be merged', () => {
    const world = shown('auto');
    world.hear('exhausted', { reason: 'not_ready', why: 'a review is missing' });
    expect(lastOf(world)).toMatchObject({ kind: 'lookAtPull' });
    world.tell(pulled({ lacksReview: true }));
    expect([countOf(world, 'enqueue'), viewOf(world.state).pull?.at]).toEqual([1, 'review']);
    world.now = RULES.wakesAt(world.state) ?? 0;
    world.tell({ kind: 'tick' });
    world.tell(pulled());
    expect(lastOf(world)).toMatchObject({ kind: 'enqueue', entry: { id: 'landing:r1/x/r1/2' } });
  });

  it('is shown where the queue wants a pull request of it and none is known; without a forge a person is asked', () => {
    const world = shown('auto');
    world.state = { ...world.state, pull: null };
    world.hear('exhausted', { reason: 'not_ready', why: 'there is no pull request that shows it' });
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { number: null, pushed: SOURCE.head } });

    const local = unasked({ ...termsOf('auto'), forge: null });
    local.hear('exhausted', { reason: 'not_ready', why: 'who knows' });
    expect(gateOf(local)).toMatchObject({ reason: 'not_ready', why: 'who knows' });
  });

  it('asks a person where what the forge made of it is red there, which is merged all the same', () => {
    const world = shown('auto');
    world.hear('merged', { commit: OTHERS, reason: 'red', why: 'npm test is red' });
    expect(gateOf(world)).toMatchObject({
      reason: 'landed_red',
      why: expect.stringContaining(`git revert -m 1 ${OTHERS}`),
    });
    expect(world.send(land)).toBe(false);
    world.send(decide('approve'));
    expect(lastOf(world)).toMatchObject({ kind: 'lookAtPull' });
    world.tell(pulled({ state: 'merged', mergeCommit: OTHERS }));
    expect(viewOf(world.state)).toMatchObject({ merge: 'merged', commit: OTHERS });

    // Without a pull request the queue is asked, which finds it there.
    const local = unasked({ ...termsOf('auto'), forge: null });
    local.hear('merged', { commit: OTHERS, reason: 'red' });
    local.send(decide('approve'));
    expect(lastOf(local)).toMatchObject({ kind: 'open' });
  });

  it('is looked at by the queue where somebody else merged what was wanted: what it came to may be unchecked', () => {
    const world = shown('auto', { lacksReview: true });
    world.tell(pulled({ state: 'merged', mergeCommit: OTHERS }));
    expect(lastOf(world)).toMatchObject({ kind: 'enqueue', queue: { branch: 'main' }, entry: { pull: 7 } });
    world.hear('merged', { commit: OTHERS });
    expect(viewOf(world.state)).toMatchObject({ merge: 'merged', commit: OTHERS });
  });

  it('asks a person where it was merged elsewhere, which is as good once they say so', () => {
    const world = shown('auto', { lacksReview: true });
    const elsewhere = pulled({ state: 'merged', mergeCommit: OTHERS, base: 'other' });
    world.tell(elsewhere);
    expect([gateOf(world), countOf(world, 'enqueue')]).toMatchObject([
      { reason: 'pull_retargeted', why: expect.stringContaining('merged into other, and not into main') },
      0,
    ]);
    world.send(decide('approve'));
    openAgain(world, 'auto');
    world.tell(ensured({ state: 'merged' }));
    world.tell(elsewhere);
    expect(viewOf(world.state)).toMatchObject({ merge: 'merged', commit: OTHERS });
  });

  it('looks at a pull request whose branch is gone, which it may be for having been merged', () => {
    const world = shown('pr');
    world.send(land);
    world.tell({ kind: 'ensured', result: { kind: 'pushed_by_other', at: null } });
    expect([gateOf(world), lastOf(world)]).toMatchObject([null, { kind: 'lookAtPull' }]);
  });

  describe('whose pull request was closed', () => {
    const closed = () => shown('pr', { state: 'closed' });

    it('has its task done again, for another pull request on the branch as it is', () => {
      const world = closed();
      expect(viewOf(world.state).gates[0]?.options).toEqual(['run again', 'skip', 'fail']);
      world.send(answer('run again'));
      expect(lastOf(world)).toMatchObject({
        kind: 'plan',
        input: { kind: 'recreate', queue: { repoKey: 'acme/shop' } },
      });
      world.tell({ kind: 'planned', plan: { kind: 'planned', rewind: { runId: 'r1', stage: 'planning' } } });
      world.tell({ kind: 'runChanged', runId: 'r1-l1' });
      world.tell({ kind: 'opened', run: { ...READY, source: { ...SOURCE, head: OTHERS } } as typeof READY });
      world.tell({ kind: 'opened', run: { ...READY, source: { ...SOURCE, head: OTHERS } } as typeof READY });
      world.tell(based('main', termsOf('pr')));

      expect(lastOf(world)).toMatchObject({
        kind: 'ensurePull',
        input: { runId: 'r1', headRunId: 'r1-l1', number: null, pushed: SOURCE.head },
      });
      // Whoever closed it removed its branch too.
      world.tell({ kind: 'ensured', result: { kind: 'pushed_by_other', at: null } });
      expect([gateOf(world), lastOf(world)]).toMatchObject([
        null,
        { kind: 'ensurePull', input: { headRunId: 'r1-l1', head: null, pushed: null } },
      ]);
    });

    it.each(['skip', 'fail'])('is given up by the answer %s, with who said so', (text) => {
      const world = closed();
      world.send(answer(text));
      expect(viewOf(world.state)).toMatchObject({ merge: 'abandoned', abandoned: expect.stringContaining('by ann') });
      expect(viewOf(world.state).abandoned).toMatch(text === 'skip' ? /^skipped/ : /^failed/);
    });
  });

  it('lands what somebody pushed once a person agrees to it, and asks again about anything later', () => {
    const world = shown('auto', { head: OTHERS });
    expect(gateOf(world)?.why).toContain(OTHERS.slice(0, 12));
    world.send(decide('approve'));
    openAgain(world, 'auto');
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { head: OTHERS, pushed: OTHERS } });
    world.tell(ensured({ head: OTHERS, isDraft: false }));
    world.tell(pulled({ head: OTHERS }));
    expect(lastOf(world)).toMatchObject({ kind: 'enqueue', entry: { head: OTHERS } });
    world.hear('exhausted', { reason: 'not_ready' });
    world.tell(pulled({ head: 'd'.repeat(40) }));
    expect(gateOf(world)).toMatchObject({ reason: 'pushed_by_other' });
  });

  it('asks again where what somebody pushed, and a person agreed to, is gone before any pull request shows it', () => {
    const world = unasked(termsOf('auto'));
    world.tell({ kind: 'ensured', result: { kind: 'pushed_by_other', at: OTHERS } });
    world.send(decide('approve'));
    openAgain(world, 'auto');
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { head: OTHERS, pushed: OTHERS } });
    world.tell({ kind: 'ensured', result: { kind: 'pushed_by_other', at: null } });
    expect(gateOf(world)).toMatchObject({ reason: 'pushed_by_other', why: expect.stringContaining('was removed') });
  });

  it('is not landed with a later push by the word of who agreed to the one before', () => {
    const later = 'd'.repeat(40);
    const world = shown('auto', { head: OTHERS });
    world.send(decide('approve'));
    openAgain(world, 'auto');
    world.tell({ kind: 'ensured', result: { kind: 'pushed_by_other', at: later } });
    world.send(pause);
    world.tell(pulled({ head: later }));
    world.send(resume);
    openAgain(world, 'auto');

    expect(lastOf(world)).not.toMatchObject({ input: { head: later } });
    world.tell({ kind: 'ensured', result: { kind: 'pushed_by_other', at: later } });
    world.tell(pulled({ head: later }));
    expect(gateOf(world)).toMatchObject({ reason: 'pushed_by_other' });
  });

  it('is pushed again where that failed, though its pull request is known and shows what was pushed before', () => {
    const world = shown('auto', { lacksReview: true });
    world.send(pause);
    world.send(resume);
    world.tell({ kind: 'opened', run: { ...READY, source: { ...SOURCE, head: OTHERS } } as typeof READY });
    world.tell(based('main', termsOf('auto')));
    world.tell({ kind: 'ensured', result: { kind: 'unreachable', why: 'no answer' } });
    world.now = RULES.wakesAt(world.state) ?? 0;
    world.tell({ kind: 'tick' });

    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { number: 7, pushed: SOURCE.head } });
    world.tell(ensured({ head: OTHERS, isDraft: false }));
    world.tell(pulled({ head: OTHERS }));
    expect([countOf(world, 'enqueue'), gateOf(world)]).toEqual([1, null]);
  });

  it('knows what it pushed though the forge did not say the rest', () => {
    const world = shown('pr');
    world.send(land);
    world.tell({ kind: 'ensured', result: { kind: 'unreachable', why: 'no answer', pushed: OTHERS } });
    expect(world.state.pushed).toBe(OTHERS);
  });

  it('that the queue gives back and a look shows ready is sent again a while later, not at once', () => {
    const world = shown('auto');
    for (let times = 1; times <= 3; times += 1) {
      world.hear('exhausted', { reason: 'not_ready', why: 'who knows' });
      world.tell(pulled());
      expect([countOf(world, 'enqueue'), RULES.wakesAt(world.state)]).toEqual([times, world.now + MINUTE_MS]);
      world.now = RULES.wakesAt(world.state) ?? 0;
      world.tell({ kind: 'tick' });
      world.tell(pulled());
      expect(countOf(world, 'enqueue')).toBe(times + 1);
    }
  });

  it('waits where the forge does not answer or says until when, and asks a person where only one can help', () => {
    const world = shown('auto', { lacksReview: true });
    const look = () => {
      world.now = RULES.wakesAt(world.state) ?? 0;
      world.tell({ kind: 'tick' });
    };
    look();
    world.tell({ kind: 'pulled', result: { kind: 'unreachable', why: 'no answer' } });
    expect([gateOf(world), RULES.wakesAt(world.state)]).toEqual([null, world.now + MINUTE_MS]);
    look();
    const until = new Date(world.now + HOUR_MS).toISOString();
    world.tell({ kind: 'pulled', result: { kind: 'limited', until, why: 'too often' } });
    expect(gateOf(world)).toBeNull();
    look();
    world.tell({ kind: 'pulled', result: { kind: 'unauthorized', why: 'no token' } });
    expect(gateOf(world)).toMatchObject({ reason: 'forge', why: 'unauthorized: no token' });
  });

  it('is paused and resumed, and given up, while it is shown', () => {
    const world = shown('pr');
    expect(world.send(pause)).toBe(true);
    world.tell(pulled());
    expect(viewOf(world.state)).toMatchObject({ paused: 'paused by ada: a release' });
    world.send(resume);
    openAgain(world, 'pr');
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { number: 7, pushed: SOURCE.head } });
    world.send(abort);
    expect(viewOf(world.state)).toMatchObject({ merge: 'abandoned' });
  });

  it('never sends to the queue what a look did not show as it was pushed, whatever comes in which order', () => {
    const events = fc.array(
      fc.oneof(
        fc.constant({ kind: 'tick' } as const),
        fc.constantFrom(land, pause, resume, decide('approve')),
        fc.constant(ensured()),
        fc.constant(ensured({ isDraft: false })),
        fc.constant({ kind: 'ensured', result: { kind: 'pushed_by_other', at: OTHERS } } as const),
        fc.constant({ kind: 'opened', run: READY } as const),
        fc.constant(based('main', termsOf('pr'))),
        fc
          .record({
            head: fc.constantFrom(SOURCE.head, OTHERS),
            state: fc.constantFrom('open', 'closed', 'merged'),
            isDraft: fc.boolean(),
            lacksReview: fc.boolean(),
          } as const)
          .map((part) => pulled(part as Partial<PullState>)),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(events, (all) => {
        const world = unasked(termsOf('pr'));
        let seen: PullState | null = null;
        for (const event of all) {
          const before = countEntries(world);
          world.now += MINUTE_MS;
          if (event.kind === 'pulled' && event.result.kind === 'pull') seen = event.result.pull;
          if (event.kind === 'land' || event.kind === 'pause' || event.kind === 'resume' || event.kind === 'decide')
            world.send(event);
          else world.tell(event);
          if (countEntries(world) === before) continue;
          expect(world.state.isAsked).toBe(true);
          expect(event.kind).toBe('pulled');
          if (seen?.state === 'merged') continue;
          expect(seen).toMatchObject({ state: 'open', isDraft: false, lacksReview: false, head: world.state.pushed });
        }
      }),
      { examples: [[[ensured(), land, pulled({ isDraft: false }), pause, { kind: 'tick' }]]] },
    );
  });
});

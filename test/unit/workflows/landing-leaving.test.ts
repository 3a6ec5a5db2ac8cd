/** A pull request that the forge's own queue may have: asked back by whoever holds or gives up its landing, however often that went on meanwhile. */
import { describe, expect, it } from '@jest/globals';
import type { PullState } from '../../../protocol/actors/forge.js';
import { viewOf } from '../../../workflows/landing/landing-view.js';
import {
  abort,
  answer,
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
import { PULL as OPEN_PULL } from '../../support/pull-world.js';

const FORGE = { repo: 'acme/shop', checksTimeoutMs: 60 * MINUTE_MS, reactRounds: 2 };
const AUTO = { ...TERMS, canFix: true, forge: FORGE, landing: { ...TERMS.landing, mode: 'auto' as const } };

const PULL = { number: 7, url: 'https://forge/acme/shop/pull/7', updatedAt: '1970-01-01T00:00:00Z' };
const SEEN: PullState = { ...OPEN_PULL, ...PULL };

/** As the look shows it. */
function seen(part: Partial<PullState>, attended = true): World {
  const world = unasked(AUTO, {}, attended);
  world.tell({ kind: 'ensured', result: { kind: 'pull', ...PULL, state: 'open', head: SOURCE.head, isDraft: false } });
  world.tell({ kind: 'pulled', result: { kind: 'pull', pull: { ...SEEN, ...part } } });
  return world;
}

/** What is done about it once more. */
function deedsOf(world: World, message: Parameters<World['send']>[0]) {
  world.errands.splice(0);
  expect(world.send(message)).toBe(true);
  return deeds(world.errands);
}

const left = { kind: 'leaveQueue', host: 'h1', input: { repoKey: 'shop', runId: 'r1', number: 7 } } as const;

function show(world: World): void {
  world.tell({ kind: 'opened', run: READY });
  world.tell(based('main', AUTO));
  expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'ensurePull' });
}

describe('a pull request that could not be taken out of the forge’s own queue', () => {
  it.each([pause, abort])(
    'is asked back anew ($kind) where its landing went on, and no look showed it since',
    (message) => {
      const world = seen({ queue: 'in' });
      world.send(pause);
      world.tell({ kind: 'left', result: { kind: 'missing_scope', why: 'HTTP 403' } });
      world.send(resume);
      show(world);
      expect(deedsOf(world, message)).toMatchObject([left]);
    },
  );

  it.each(['limited', 'unauthorized', 'missing_scope', 'gone', 'moved', 'unreachable', 'refused'] as const)(
    'is asked back again of a landing that is given up, unless the forge will not (%s)',
    (kind) => {
      const world = seen({ queue: 'in' });
      world.send(abort);
      world.tell({ kind: 'left', result: { kind, why: 'HTTP 4xx', until: new Date(world.now).toISOString() } });
      expect([RULES.isIdle(world.state), RULES.wakesAt(world.state) === null]).toEqual(
        kind === 'refused' ? [true, true] : [false, false],
      );
      expect(viewOf(world.state).abandoned).toContain('the forge may merge it all the same');
    },
  );

  it.each([
    ['resumed', 'paused', resume],
    ['asked for again', 'given up', land],
  ] as const)('is asked back anew where its landing is %s and %s before its run was read', (_, how, goOn) => {
    const world = seen({});
    // Our own queue may have handed it over since that look.
    world.send(how === 'paused' ? pause : abort);
    world.hear('withdrawn');
    world.tell({ kind: 'left', result: { kind: 'refused', why: 'HTTP 422' } });
    world.send(goOn);
    expect(deedsOf(world, how === 'paused' ? pause : abort)).toMatchObject([left]);
  });
});

describe('a pull request that was merged', () => {
  const commit = 'c'.repeat(40);
  const merged = (base: string) => ({ kind: 'left', result: { kind: 'merged', commit, base } }) as const;
  const expired = () => {
    const world = seen({ state: 'closed' }, false);
    world.now = RULES.wakesAt(world.state) ?? 0;
    world.tell({ kind: 'tick' });
    return world;
  };
  const closed = (message: Parameters<World['send']>[0]) => {
    const world = seen({ state: 'closed' });
    expect(world.send(message)).toBe(true);
    return world;
  };
  const gaveUp: readonly (readonly [string, () => World])[] = [
    ['dropped', () => closed(abort)],
    ['rejected', () => closed(decide('reject'))],
    ['skipped', () => closed(answer('skip'))],
    ['failed', () => closed(answer('fail'))],
    ['expired', expired],
  ];

  it.each(gaveUp)('since the last look is merged, though its landing was %s', (_, give) => {
    const world = give();
    expect(viewOf(world.state).merge).toBe('abandoned');
    expect(deeds(world.errands).at(-1)).toMatchObject(left);
    world.tell(merged('main'));
    expect(viewOf(world.state)).toMatchObject({ merge: 'merged', commit });
    expect(RULES.isIdle(world.state)).toBe(true);
  });

  it.each([
    ['refused', 'is over', null],
    ['red', 'stays', 'landed_red'],
  ] as const)('is seen at a gate of another reason too (%s), which %s', (reason, _, left) => {
    const world = seen({});
    world.hear(reason === 'red' ? 'merged' : 'exhausted', { commit, reason });
    expect(viewOf(world.state).gate).toMatchObject({ reason: left ?? reason });
    for (const state of ['open', 'merged'] as const) {
      world.now = RULES.wakesAt(world.state) ?? 0;
      world.tell({ kind: 'tick' });
      expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'lookAtPull' });
      expect(viewOf(world.state).gate).not.toBeNull();
      world.tell({ kind: 'pulled', result: { kind: 'pull', pull: { ...SEEN, state, mergeCommit: commit } } });
    }
    expect(viewOf(world.state).gate?.reason ?? null).toBe(left);
    expect(deeds(world.errands).at(-1)?.kind).toBe(left === null ? 'enqueue' : 'lookAtPull');
  });

  it('is no end of what is paused: once that goes on it is looked at as what was wanted', () => {
    const world = seen({ queue: 'in' });
    world.send(pause);
    world.tell(merged('main'));
    expect(viewOf(world.state)).toMatchObject({ merge: 'unmerged', paused: 'paused by ada: a release' });
    world.send(resume);
    show(world);
    world.tell({
      kind: 'ensured',
      result: { kind: 'pull', ...PULL, state: 'merged', head: SOURCE.head, isDraft: false },
    });
    world.tell({ kind: 'pulled', result: { kind: 'pull', pull: { ...SEEN, state: 'merged', mergeCommit: commit } } });
    expect(deeds(world.errands).at(-1)?.kind).toBe('enqueue');
  });

  it('is merged by the look that showed it, though whoever was asked about its base rejected that', () => {
    const world = seen({ state: 'merged', mergeCommit: commit });
    world.hear('exhausted', { reason: 'base_busy' });
    expect(deedsOf(world, decide('reject'))).toEqual([]);
    expect(viewOf(world.state)).toMatchObject({ merge: 'merged', commit });
  });

  it('is waited for where nobody is asked, though the forge’s own queue seems to have given it back', () => {
    const world = seen({ queue: 'in' }, false);
    for (const part of [{}, {}, { state: 'merged', mergeCommit: commit } as const])
      world.tell({ kind: 'pulled', result: { kind: 'pull', pull: { ...SEEN, ...part } } });
    expect(viewOf(world.state).gates).toEqual([]);
    expect(deeds(world.errands).at(-1)?.kind).toBe('enqueue');
  });

  it('into another base, or that the forge tells nothing of, stays given up', () => {
    for (const result of [merged('other').result, { kind: 'unreachable', why: 'no answer' } as const]) {
      const world = closed(abort);
      world.tell({ kind: 'left', result });
      expect(viewOf(world.state)).toMatchObject({ merge: 'abandoned', abandoned: 'given up by me' });
      expect(RULES.isIdle(world.state)).toBe(true);
    }
  });

  it('and is red on its base is nothing to ask for by who rejects it, and shows no repair of it', () => {
    const red = () => {
      const world = seen({});
      world.hear('merged', { commit, reason: 'red', why: 'npm test is red' });
      return world;
    };
    const rejected = red();
    expect(deedsOf(rejected, decide('reject'))).toEqual([]);
    expect(viewOf(rejected.state).merge).toBe('abandoned');

    const world = red();
    const { message } = decide('approve');
    world.send({ kind: 'decide', message: { ...message, decision: 'request_changes', note: 'mend the test' } });
    world.tell({ kind: 'planned', plan: { kind: 'planned', rewind: { runId: 'r1', stage: 'fixing' } } });
    world.tell({ kind: 'runChanged', runId: 'r1-l1' });
    const run = { ...READY, source: { ...SOURCE, head: commit } } as typeof READY;
    world.tell({ kind: 'opened', run });
    world.tell({ kind: 'opened', run });
    world.tell(based('main', AUTO));
    expect(deeds(world.errands).at(-1)).toMatchObject({
      kind: 'ensurePull',
      input: { headRunId: 'r1-l1', number: null },
    });
  });
});

describe('the clock of a gate', () => {
  it('brings the reminder and the look that are due together', () => {
    const gates = { ...AUTO.gates, remindMs: 30 * MINUTE_MS };
    const world = unasked({ ...AUTO, gates });
    world.tell({
      kind: 'ensured',
      result: { kind: 'pull', ...PULL, state: 'open', head: SOURCE.head, isDraft: false },
    });
    world.tell({ kind: 'pulled', result: { kind: 'pull', pull: { ...SEEN, state: 'closed' } } });
    world.now += 60 * MINUTE_MS;
    world.tell({ kind: 'tick' });
    expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'lookAtPull' });
    expect(RULES.wakesAt(world.state)).toBeGreaterThan(world.now);
  });

  it('waits for no look at what nobody can ask about', () => {
    const world = seen({});
    world.send(pause);
    world.hear('withdrawn');
    world.send(resume);
    world.tell({ kind: 'opened', run: { kind: 'none', host: 'h1' } });
    world.tell({ kind: 'kept', kept: { kind: 'none', why: 'nothing is kept' } });
    expect(viewOf(world.state).gate).toMatchObject({ reason: 'no_answer' });
    expect(RULES.wakesAt(world.state)).toBeNull();
  });

  it('keeps the head that a person put in place of ours', () => {
    const mended = 'd'.repeat(40);
    const world = seen({});
    const { phase } = world.state;
    if (phase.kind !== 'queued') throw new Error(`it is ${phase.kind}`);
    world.state = { ...world.state, phase: { ...phase, entry: { ...phase.entry, head: mended } } };
    world.hear('exhausted', { reason: 'refused' });
    expect(world.state.phase).toMatchObject({ kind: 'gated', pulling: { head: mended } });
  });
});

describe('a head of our own queue', () => {
  it('says what its queue says of a head that is given up: it may be on its base', () => {
    const dropped = World.queued();
    dropped.send(abort);
    dropped.hear('withdrawn', { why: 'it may be on the base: its host did not say so for a day' });
    expect(viewOf(dropped.state).abandoned).toMatch(
      /^given up.*; it may be on the base: its host did not say so for a day$/,
    );

    const taken = World.queued();
    taken.hear('withdrawn', { why: 'it may be on the base' });
    expect(viewOf(taken.state).gates.at(-1)).toMatchObject({ reason: 'it may be on the base' });
  });
});

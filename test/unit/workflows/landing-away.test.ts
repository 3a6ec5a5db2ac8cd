/** A host that is away while a landing asks it for something: who is asked about that, and when it is tried again. */
import { describe, expect, it } from '@jest/globals';
import { ActivityFailure, ApplicationFailure, RetryState, TimeoutFailure } from '@temporalio/common';
import type { EnsurePullResult, PullState } from '../../../protocol/actors/forge.js';
import { missAnswer } from '../../../workflows/landing/landing-away.js';
import { showLanding, viewOf } from '../../../workflows/landing/landing-view.js';
import {
  based,
  decide,
  deeds,
  land,
  MINUTE_MS,
  READY,
  RULES,
  SOURCE,
  TERMS,
  unasked,
  World,
} from '../../support/landing-world.js';
import { PULL as OPEN_PULL } from '../../support/pull-world.js';

const FORGE = { repo: 'acme/shop', checksTimeoutMs: 60 * MINUTE_MS, reactRounds: 2 };
const ON_FORGE = { ...TERMS, forge: FORGE, landing: { ...TERMS.landing, mode: 'pr' as const } };
const AWAY = { kind: 'failed', reason: 'host_away', why: 'its host is away' } as const;

const PULL = {
  number: 7,
  url: 'https://forge/acme/shop/pull/7',
  state: 'open',
  updatedAt: '1970-01-01T00:00:00Z',
} as const;
const ENSURED: EnsurePullResult = { kind: 'pull', ...PULL, head: SOURCE.head, isDraft: true };
const SEEN: PullState = { ...OPEN_PULL, ...PULL, isDraft: true };

const OPEN = { kind: 'open', owner: null, branch: null, wait: null } as const;

const gateOf = ({ state }: World) => viewOf(state).gate;
const lastOf = ({ errands }: World) => deeds(errands).at(-1);

/** Its host asked for the base has not answered. */
function opening(attended: boolean): World {
  const world = new World({ isUnasked: true, attended });
  world.tell({ kind: 'begin' });
  world.tell({ kind: 'opened', run: READY });
  return world;
}

function shown(attended: boolean): World {
  const world = unasked(ON_FORGE, {}, attended);
  world.tell({ kind: 'ensured', result: ENSURED });
  world.tell({ kind: 'pulled', result: { kind: 'pull', pull: SEEN } });
  return world;
}

/** To the moment at which it wakes by itself. */
function wake(world: World): void {
  world.now = RULES.wakesAt(world.state) ?? 0;
  world.tell({ kind: 'tick' });
}

describe('a landing whose host is away', () => {
  it('waits for it and begins again, however long, where nobody attends', () => {
    const world = opening(false);
    for (let tries = 0; tries < 50; tries += 1) {
      world.tell(AWAY);
      expect([gateOf(world), viewOf(world.state).merge]).toEqual([null, 'unmerged']);
      wake(world);
      expect(lastOf(world)).toMatchObject({ kind: 'open' });
      world.tell({ kind: 'opened', run: READY });
    }
    world.tell(based('main'));

    expect(lastOf(world)).toMatchObject({ kind: 'enqueue' });
  });

  it('asks a person who attends', () => {
    const world = opening(true);
    world.tell(AWAY);

    expect(gateOf(world)).toMatchObject({ reason: 'host_away' });
  });

  it.each([true, false])(
    'goes on looking at what a forge shows (attended: %s), which people may merge meanwhile',
    (attended) => {
      const world = shown(attended);
      wake(world);
      world.tell(AWAY);
      expect(gateOf(world)).toBeNull();
      wake(world);
      expect(lastOf(world)).toMatchObject({ kind: 'lookAtPull' });
      world.tell({
        kind: 'pulled',
        result: { kind: 'pull', pull: { ...SEEN, state: 'merged', mergeCommit: 'f'.repeat(40) } },
      });

      expect(viewOf(world.state).merge).toBe('merged');
    },
  );

  it('shows it later where nobody attends and it could not be shown', () => {
    const world = unasked(ON_FORGE, {}, false);
    world.tell(AWAY);
    expect(gateOf(world)).toBeNull();
    wake(world);

    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull' });
  });

  it('plans its repair later where nobody attends', () => {
    const world = unasked({ canFix: true, landing: { ...TERMS.landing, mode: 'auto' } }, {}, false);
    world.hear('exhausted', { reason: 'red', why: 'npm test is red' });
    expect(lastOf(world)).toMatchObject({ kind: 'plan' });
    const { seq } = world.state.journal;
    for (let tries = 0; tries < 5; tries += 1) {
      world.errands.splice(0);
      world.tell(AWAY);
      expect([gateOf(world), viewOf(world.state).waits]).toEqual([null, 'its host is away']);
      expect(showLanding(world.state).memo['why']).toBe('its host is away');
      wake(world);
      expect(lastOf(world)).toMatchObject({ kind: 'plan', input: { kind: 'turn', why: 'npm test is red' } });
    }
    expect(world.state.journal.seq).toBe(seq + 1);
    world.tell({ kind: 'planned', plan: { kind: 'planned', rewind: { runId: 'r1', stage: 'fixing' } } });
    expect(viewOf(world.state)).toMatchObject({ waits: null, repair: { runId: 'r1-l1' } });
  });
});

describe('a control worker that is away', () => {
  const failed = (cause: Error, state: RetryState = RetryState.TIMEOUT) =>
    missAnswer('r1', new ActivityFailure('failed', 'readRunToLand', '1', state, undefined, cause));
  const silent = failed(new TimeoutFailure('late', undefined, 'SCHEDULE_TO_CLOSE'));

  it.each([
    ['does not answer', silent],
    ['fails until its time is up', failed(ApplicationFailure.retryable('UNAVAILABLE'))],
  ])('and %s is asked for the run again where nobody attends', (_what, event) => {
    const world = new World({ isUnasked: true, attended: false });
    world.tell({ kind: 'begin' });
    world.tell(event);
    expect([gateOf(world), viewOf(world.state).merge]).toEqual([null, 'unmerged']);
    wake(world);
    expect(lastOf(world)).toMatchObject({ kind: 'open', workflowId: 'r1' });
    expect(viewOf(world.state).waits).toContain('the server did not tell the answer of r1');
    world.tell({ kind: 'opened', run: OPEN });
    expect([gateOf(world), viewOf(world.state).waits]).toEqual([null, null]);
  });

  it('is asked for the run that repairs again where nobody attends', () => {
    const world = unasked({ canFix: true, landing: { ...TERMS.landing, mode: 'auto' } }, {}, false);
    world.hear('exhausted', { reason: 'red', why: 'npm test is red' });
    world.tell({ kind: 'planned', plan: { kind: 'planned', rewind: { runId: 'r1', stage: 'fixing' } } });
    world.tell({ kind: 'runChanged', runId: 'r1-l1' });
    world.tell(silent);
    expect(viewOf(world.state)).toMatchObject({
      gate: null,
      repair: { runId: 'r1-l1' },
      waits: expect.stringContaining('the server did not tell'),
    });
    wake(world);
    expect(lastOf(world)).toMatchObject({ kind: 'open', workflowId: 'r1-l1' });
    world.tell({ kind: 'opened', run: OPEN });
    expect(viewOf(world.state)).toMatchObject({ waits: null, repair: { runId: 'r1-l1' } });
  });

  it('that answers what no other answer changes is no such one', () => {
    const world = new World({ isUnasked: true, attended: false });
    world.tell({ kind: 'begin' });
    world.tell(failed(ApplicationFailure.nonRetryable('no such namespace'), RetryState.NON_RETRYABLE_FAILURE));
    expect(gateOf(world)).toMatchObject({ reason: 'no_answer' });
  });
});

describe('a gate of a landing', () => {
  it('offers no changes where nothing of the run is known any more', () => {
    const world = unasked({ canFix: true, landing: { ...TERMS.landing, mode: 'auto', conflict: 'gate' } });
    world.hear('exhausted', { reason: 'conflict', files: ['a.txt'] });
    expect(gateOf(world)).toMatchObject({ reason: 'conflict' });
    world.send(decide('approve'));
    world.tell({ kind: 'opened', run: { kind: 'none', host: null } });
    world.tell({ kind: 'kept', kept: { kind: 'none', why: 'the run r1 was cleaned' } });
    expect(gateOf(world)).toMatchObject({ reason: 'no_answer' });
    const { message } = decide('approve');

    expect(
      RULES.judge(world.state, {
        kind: 'decide',
        message: { ...message, decision: 'request_changes', note: 'mend it' },
      }),
    ).toMatchObject({ kind: 'refused' });
  });
});

describe('a landing on a forge of a run that ended without an answer', () => {
  it.each(['pr', 'auto'] as const)('is pushed by a person, and by no approval (%s)', (mode) => {
    const world = new World();
    world.tell({ kind: 'begin' });
    for (let times = 0; times < 2; times += 1) {
      world.tell({ kind: 'opened', run: { kind: 'none', host: 'h1' } });
      world.tell({ kind: 'kept', kept: { kind: 'kept', source: SOURCE } });
      world.tell(based('main', { ...ON_FORGE, landing: { ...TERMS.landing, mode } }));
      expect(gateOf(world)).toMatchObject({
        reason: 'no_answer',
        why: expect.stringContaining('git -C /shop push <remote> refs/sluice/r1/head:refs/heads/sluice/r1'),
      });
      world.send(decide('approve'));
      expect(lastOf(world)).toMatchObject({ kind: 'open' });
    }
    expect(world.errands.some(({ kind }) => kind === 'ensurePull')).toBe(false);
  });
});

describe('a landing whose forge refuses', () => {
  it.each(['unauthorized', 'missing_scope', 'gone', 'moved'] as const)(
    '(%s) is tried again where nobody attends, ever more seldom and however long, and goes on once that passed',
    (kind) => {
      const world = unasked({ ...ON_FORGE, landing: { ...TERMS.landing, mode: 'auto' } }, {}, false);
      const { seq } = world.state.journal;
      const waits: number[] = [];
      for (let tries = 0; tries < 500; tries += 1) {
        expect(lastOf(world)).toMatchObject({ kind: 'ensurePull' });
        world.tell({ kind: 'ensured', result: { kind, why: 'HTTP 403' } });
        expect([gateOf(world), viewOf(world.state).waits]).toEqual([null, `${kind.replace('_', ' ')}: HTTP 403`]);
        const from = world.now;
        wake(world);
        waits.push(Math.round((world.now - from) / MINUTE_MS));
      }
      expect([waits[0], waits.at(-1), world.state.journal.seq]).toEqual([1, 15, seq + 1]);
      world.tell({ kind: 'ensured', result: { ...ENSURED, isDraft: false } });
      world.tell({ kind: 'pulled', result: { kind: 'pull', pull: { ...SEEN, isDraft: false } } });
      expect([lastOf(world), viewOf(world.state).waits]).toMatchObject([{ kind: 'enqueue' }, null]);
    },
  );

  it('is told no more of what it said once it says nothing, or until when it takes no requests', () => {
    for (const result of [
      { kind: 'unreachable', why: 'no answer' },
      { kind: 'limited', why: 'too often', until: new Date(3_600_000).toISOString() },
    ] as const) {
      const world = shown(false);
      wake(world);
      world.tell({ kind: 'pulled', result: { kind: 'unauthorized', why: 'no token' } });
      expect(viewOf(world.state).waits).toBe('unauthorized: no token');
      wake(world);
      world.tell({ kind: 'pulled', result });
      expect([gateOf(world), viewOf(world.state).waits]).toEqual([null, null]);
    }
  });

  it.each([
    ['its forge will not', { kind: 'ensured', result: { kind: 'refused', why: 'HTTP 422' } }],
    ['the record was changed', { kind: 'failed', reason: 'forge', why: 'it was changed' }],
  ] as const)('is given up by a gate that nobody decides where %s, which no other try changes', (_, event) => {
    const world = unasked(ON_FORGE, {}, false);
    world.tell(event);
    expect(gateOf(world)).toMatchObject({ reason: 'forge' });
    wake(world);
    expect(viewOf(world.state).merge).toBe('abandoned');
  });

  it('is asked about by whoever asks for it meanwhile', () => {
    const world = shown(false);
    wake(world);
    world.tell({ kind: 'pulled', result: { kind: 'unauthorized', why: 'no token' } });
    expect([gateOf(world), showLanding(world.state).memo['why']]).toEqual([null, 'unauthorized: no token']);
    world.send(land);
    world.tell({ kind: 'ensured', result: { kind: 'unauthorized', why: 'no token' } });
    expect(gateOf(world)).toMatchObject({ reason: 'forge', why: 'unauthorized: no token' });
  });

  it('is looked at while a person is asked, passes by itself once the forge answers, and sees what was merged meanwhile', () => {
    const world = shown(true);
    for (const result of [
      { kind: 'unauthorized', why: 'no token' },
      { kind: 'gone', why: 'HTTP 404' },
    ] as const) {
      wake(world);
      world.tell({ kind: 'pulled', result });
      expect(gateOf(world)).toMatchObject({ reason: 'forge', why: 'unauthorized: no token' });
    }
    wake(world);
    world.tell({ kind: 'pulled', result: { kind: 'pull', pull: SEEN } });
    expect(gateOf(world)).toBeNull();

    wake(world);
    world.tell({ kind: 'pulled', result: { kind: 'unauthorized', why: 'no token' } });
    wake(world);
    const merged = { ...SEEN, state: 'merged', mergeCommit: 'e'.repeat(40) } as const;
    world.tell({ kind: 'pulled', result: { kind: 'pull', pull: merged } });
    expect([gateOf(world), viewOf(world.state).merge]).toEqual([null, 'merged']);
  });
});

describe('what is said at a pull request, and could not be read', () => {
  const terms = (mode: 'pr' | 'auto') => ({ ...ON_FORGE, canFix: true, landing: { ...TERMS.landing, mode } });
  const look = (world: World, why: string, kind: 'refused' | 'missing_scope' = 'missing_scope') => {
    wake(world);
    world.tell({ kind: 'pulled', result: { kind: 'pull', pull: REQUESTED } });
    const isRead = lastOf(world)?.kind === 'readRemarks';
    if (isRead) world.tell({ kind: 'remarked', result: { kind, why } });
    world.errands.splice(0);
    return isRead;
  };
  const REQUESTED: PullState = { ...SEEN, isDraft: false, review: 'changes_requested' };

  it('is asked about once by a gate about the review, and tried again once that is decided', () => {
    const world = unasked(terms('auto'));
    for (const times of [1, 2]) {
      world.tell({ kind: 'ensured', result: { ...ENSURED, isDraft: false } });
      world.tell({ kind: 'pulled', result: { kind: 'pull', pull: REQUESTED } });
      expect(lastOf(world)).toMatchObject({ kind: 'readRemarks' });
      world.tell({ kind: 'remarked', result: { kind: 'missing_scope', why: 'HTTP 403' } });
      for (let looks = 0; looks < 5; looks += 1) expect(look(world, 'HTTP 403')).toBe(false);
      expect(gateOf(world)).toMatchObject({
        reason: 'changes_requested',
        why: expect.stringContaining('requests changes, which could not be read: missing scope: HTTP 403'),
      });
      expect(viewOf(world.state).gates).toHaveLength(times);
      world.send(decide('approve'));
      world.tell({ kind: 'opened', run: READY });
      world.tell(based('main', terms('auto')));
    }
  });

  it.each([
    [true, 'missing_scope'],
    [false, 'refused'],
  ] as const)('is left to people where nobody wants it landed (attended: %s, %s), and told once', (attended, kind) => {
    const world = unasked(terms('pr'), {}, attended);
    world.tell({ kind: 'ensured', result: ENSURED });
    expect(look(world, 'HTTP 403', kind)).toBe(true);
    expect([gateOf(world), viewOf(world.state).waits]).toEqual([null, `${kind.replace('_', ' ')}: HTTP 403`]);
    look(world, 'HTTP 403', kind);
    const { seq } = world.state.journal;
    for (let looks = 0; looks < 5; looks += 1) expect(look(world, 'HTTP 403', kind)).toBe(false);
    expect([gateOf(world), world.state.journal.seq]).toEqual([null, seq]);
  });

  it('is tried again at each look where nobody attends, which the journal tells once', () => {
    const world = unasked(terms('auto'), {}, false);
    world.tell({ kind: 'ensured', result: { ...ENSURED, isDraft: false } });
    look(world, 'HTTP 403');
    const { seq } = world.state.journal;
    for (let looks = 0; looks < 50; looks += 1) expect(look(world, 'HTTP 403')).toBe(true);
    expect([gateOf(world), viewOf(world.state).waits]).toEqual([null, 'missing scope: HTTP 403']);
    expect(world.state.journal.seq).toBe(seq);
    wake(world);
    world.tell({ kind: 'pulled', result: { kind: 'pull', pull: REQUESTED } });
    world.tell({ kind: 'remarked', result: { kind: 'remarks', remarks: [] } });
    expect(gateOf(world)).toMatchObject({ reason: 'changes_requested', why: expect.not.stringContaining('HTTP 403') });
  });
});

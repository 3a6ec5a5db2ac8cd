/** What is said at a pull request is taken up by runs, a few times, and told to who said it; limits of the forge are waited for at one clock. */
import { describe, expect, it } from '@jest/globals';
import type { LookAtPullResult, PullState, Remark } from '../../../protocol/actors/forge.js';
import type { LandingTerms } from '../../../protocol/actors/landing.js';
import type { QuotaWord } from '../../../protocol/actors/quota.js';
import type { Finding } from '../../../protocol/run/finding.js';
import { DEFAULT_LANDING, type LandingMode } from '../../../protocol/run/landing-policy.js';
import { viewOf } from '../../../workflows/landing/landing-view.js';
import {
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
  type World,
} from '../../support/landing-world.js';
import { PULL } from '../../support/pull-world.js';

const HOUR_MS = 60 * MINUTE_MS;
const MENDED = 'e'.repeat(40);

function termsOf(mode: LandingMode, reactRounds = 2): LandingTerms {
  const forge = { repo: 'Acme/shop', checksTimeoutMs: HOUR_MS, reactRounds };
  return { ...TERMS, forge, canFix: true, landing: { ...DEFAULT_LANDING, mode } };
}

const lastOf = ({ errands }: World) => deeds(errands).at(-1);
const countOf = ({ errands }: World, kind: string) => errands.filter((errand) => errand.kind === kind).length;
const gateOf = ({ state }: World) => viewOf(state).gate;

function see(world: World, part: Partial<PullState>): void {
  const result: LookAtPullResult = { kind: 'pull', pull: { ...PULL, ...part } };
  world.tell({ kind: 'pulled', result });
}

function show(world: World, head = SOURCE.head): void {
  const { number, url, state, updatedAt } = PULL;
  world.tell({ kind: 'ensured', result: { kind: 'pull', number, url, head, state, isDraft: false, updatedAt } });
}

const finding = (id: string): Finding => ({
  id,
  severity: 'high',
  category: 'correctness',
  claim: `claim ${id}`,
  evidence: ['a.ts:1'],
  recommendation: 'do',
});
const review = (key: string): Remark => ({ key: `review ${key}`, by: 'ann', findings: [finding(`F-${key}`)] });
const check = (key: string): Remark => ({ key: `check ${key}`, by: null, findings: [finding(`F-${key}`)] });

function say(world: World, ...remarks: readonly Remark[]): void {
  world.tell({ kind: 'remarked', result: { kind: 'remarks', remarks } });
}

/** The run that took it up has closed, and its head is asked to be shown. */
function repair(world: World, n: number, terms: LandingTerms): void {
  const run = { ...READY, source: { ...SOURCE, head: MENDED } } as typeof READY;
  world.tell({ kind: 'planned', plan: { kind: 'planned', rewind: { runId: 'r1', stage: 'fixing' } } });
  world.tell({ kind: 'begun', fate: 'started' });
  world.tell({ kind: 'runChanged', runId: `r1-l${n}` });
  world.tell({ kind: 'opened', run });
  world.tell({ kind: 'opened', run });
  world.tell(based('main', terms));
}

const REQUESTED = { review: 'changes_requested' } as const;
const RED = { checks: { state: 'failed', names: ['ci'] } } as const;

function shown(mode: LandingMode, reactRounds = 2): World {
  const world = unasked(termsOf(mode, reactRounds));
  show(world);
  return world;
}

describe('what is said at a pull request', () => {
  it.each(['pr', 'auto'] as const)('is taken up by a run and answered with its head, in mode %s', (mode) => {
    const world = shown(mode);
    see(world, REQUESTED);
    expect(lastOf(world)).toMatchObject({
      kind: 'readRemarks',
      host: 'h1',
      input: { repoKey: 'shop', runId: 'r1', number: 7, head: SOURCE.head, checks: [] },
    });
    say(world, review('1'));
    expect(lastOf(world)).toMatchObject({
      kind: 'plan',
      input: { kind: 'changes', runId: 'r1', findings: [finding('F-1')], by: null },
    });
    repair(world, 1, termsOf(mode));
    expect(lastOf(world)).toMatchObject({
      kind: 'ensurePull',
      input: { headRunId: 'r1-l1', pushed: SOURCE.head, answers: [{ key: 'review 1', by: 'ann' }] },
    });
    show(world, MENDED);
    world.send(pause);
    world.send(resume);
    world.tell({ kind: 'opened', run: { ...READY, source: { ...SOURCE, head: MENDED } } as typeof READY });
    world.tell(based('main', termsOf(mode)));
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { answers: [] } });
  });

  it('of a required check is taken up under its name, and answered to nobody', () => {
    const world = shown('auto');
    see(world, RED);
    expect(lastOf(world)).toMatchObject({ kind: 'readRemarks', input: { checks: ['ci'] } });
    say(world, check('ci'));
    repair(world, 1, termsOf('auto'));
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { answers: [] } });
  });

  it('is answered by no run that failed, whoever goes on from there', () => {
    const world = shown('auto');
    see(world, REQUESTED);
    say(world, review('1'));
    world.tell({ kind: 'planned', plan: { kind: 'refused', why: 'no stage' } });
    expect(gateOf(world)).toMatchObject({ reason: 'repair_failed' });
    world.send(decide('approve'));
    world.tell({ kind: 'opened', run: READY });
    world.tell(based('main', termsOf('auto')));
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { answers: [] } });
  });

  it('is taken up so many times, and then a person is asked', () => {
    const world = shown('auto');
    for (const n of [1, 2]) {
      see(world, { ...REQUESTED, head: world.state.pushed ?? '' });
      say(world, review(String(n)));
      repair(world, n, termsOf('auto'));
      show(world, MENDED);
    }
    see(world, { ...REQUESTED, head: MENDED });
    expect([countOf(world, 'plan'), countOf(world, 'readRemarks')]).toEqual([2, 2]);
    expect(gateOf(world)).toMatchObject({ reason: 'changes_requested' });
  });

  it('is never taken up twice, whatever became of it', () => {
    const world = shown('auto');
    see(world, REQUESTED);
    say(world, review('1'));
    repair(world, 1, termsOf('auto'));
    show(world, MENDED);
    see(world, { ...REQUESTED, head: MENDED });
    say(world, review('1'), review('2'));
    expect(lastOf(world)).toMatchObject({ kind: 'plan', input: { findings: [finding('F-2')] } });
  });

  it('is read once, and again where something else is to be seen', () => {
    const world = shown('pr');
    const look = (part: Partial<PullState>) => {
      world.now = RULES.wakesAt(world.state) ?? 0;
      world.tell({ kind: 'tick' });
      see(world, { ...REQUESTED, ...part });
    };
    see(world, REQUESTED);
    say(world);
    expect([gateOf(world), countOf(world, 'plan')]).toEqual([null, 0]);
    look({});
    expect(countOf(world, 'readRemarks')).toBe(1);
    look({ updatedAt: new Date(1_000).toISOString() });
    expect(countOf(world, 'readRemarks')).toBe(2);
    // It could not be read.
    world.tell({ kind: 'remarked', result: { kind: 'unreachable', why: 'no answer' } });
    look({});
    expect(countOf(world, 'readRemarks')).toBe(3);
  });

  it.each([
    ['nobody who has a say said it', 2, true],
    ['the policy has no rounds for it', 0, false],
  ])('is for a person where %s', (_, rounds, isRead) => {
    const world = shown('auto', rounds);
    see(world, REQUESTED);
    expect(countOf(world, 'readRemarks')).toBe(isRead ? 1 : 0);
    if (isRead) say(world);
    expect(gateOf(world)).toMatchObject({ reason: 'changes_requested' });
  });

  it.each([
    ['pending', { checks: { state: 'pending', names: ['ci'] } }],
    ['green', {}],
    ['missing a review', { lacksReview: true }],
  ] as const)('is nothing to repair where it is %s', (_, seen) => {
    const world = shown('auto');
    see(world, seen);
    expect([countOf(world, 'readRemarks'), countOf(world, 'plan')]).toEqual([0, 0]);
  });

  it('is not taken up by a landing that a person paused meanwhile, and is once it goes on', () => {
    const world = shown('auto');
    see(world, REQUESTED);
    world.send(pause);
    say(world, review('1'));
    expect(countOf(world, 'plan')).toBe(0);
    world.send(resume);
    world.tell({ kind: 'opened', run: READY });
    world.tell(based('main', termsOf('auto')));
    show(world);
    see(world, REQUESTED);
    say(world, review('1'));
    expect(countOf(world, 'plan')).toBe(1);
  });
});

describe('a pull request that could not be made true', () => {
  it('is made true once the forge answers again, and nothing is decided before', () => {
    const world = shown('auto');
    see(world, REQUESTED);
    say(world, review('1'));
    repair(world, 1, termsOf('auto'));
    world.tell({ kind: 'ensured', result: { kind: 'unreachable', why: 'no answer' } });
    world.now = RULES.wakesAt(world.state) ?? 0;
    world.tell({ kind: 'tick' });
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { headRunId: 'r1-l1' } });
  });
});

describe('a limit of the forge', () => {
  const limited = (world: World, until: number) =>
    world.tell({
      kind: 'pulled',
      result: { kind: 'limited', until: new Date(until).toISOString(), why: 'too often' },
    });
  const waitOf = ({ state }: World) => (state.phase.kind === 'pull' ? (state.phase.limit?.wait ?? '') : '');
  const tellWord = (world: World, word: QuotaWord) => world.tell({ kind: 'quota', word });
  const tellOpen = (world: World, wait: string) => tellWord(world, { wait, word: 'open', opening: 'x' });

  it('is waited for at the clock of its owner, and its word brings a look', () => {
    const world = shown('auto');
    const until = world.now + HOUR_MS;
    limited(world, until);
    expect(lastOf(world)).toMatchObject({
      kind: 'park',
      workflowId: 'quota:github/acme',
      input: {
        account: 'github/acme',
        park: { workflowId: 'landing:r1', wait: 'landing:r1/x/1', limit: 'rate', until: new Date(until).toISOString() },
      },
    });
    expect(viewOf(world.state).pull?.limitedUntil).toBe(new Date(until).toISOString());
    const looks = countOf(world, 'lookAtPull');
    const wait = waitOf(world);
    tellOpen(world, 'of another');
    expect(countOf(world, 'lookAtPull')).toBe(looks);
    tellOpen(world, wait);
    expect(countOf(world, 'lookAtPull')).toBe(looks + 1);
    tellOpen(world, wait);
    expect(countOf(world, 'lookAtPull')).toBe(looks + 1);
  });

  it('is waited for longer where the clock says so, and not for ever where it says nothing', () => {
    const world = shown('auto');
    const until = world.now + HOUR_MS;
    limited(world, until);
    expect(RULES.wakesAt(world.state)).toBe(until + 15 * MINUTE_MS);
    const later = until + HOUR_MS;
    tellWord(world, { wait: waitOf(world), word: 'hold', until: new Date(later).toISOString(), told: true });
    expect(RULES.wakesAt(world.state)).toBe(later + 15 * MINUTE_MS);
    const looks = countOf(world, 'lookAtPull');
    world.now = RULES.wakesAt(world.state) ?? 0;
    world.tell({ kind: 'tick' });
    expect(countOf(world, 'lookAtPull')).toBe(looks + 1);
  });

  it('is not asked into by whoever rings, nor by who wants it on the base', () => {
    const world = shown('pr');
    limited(world, world.now + HOUR_MS);
    const before = countOf(world, 'lookAtPull') + countOf(world, 'ensurePull');
    expect(world.send({ kind: 'look', by: null })).toBe(false);
    expect(world.send(land)).toBe(true);
    expect(countOf(world, 'lookAtPull') + countOf(world, 'ensurePull')).toBe(before);
    tellOpen(world, waitOf(world));
    see(world, { isDraft: true });
    expect(countOf(world, 'lookAtPull') + countOf(world, 'ensurePull')).toBeGreaterThan(before);
  });

  it('asks nobody: it passes by itself', () => {
    const world = shown('auto');
    limited(world, world.now - 1);
    expect(gateOf(world)).toBeNull();
    expect(world.send(decide('approve'))).toBe(false);
  });
});

describe('a gate about a pull request', () => {
  const REVIEWED = { lacksReview: true } as const;
  const gated = (part: Partial<PullState>, reactRounds = 0) => {
    const world = shown('auto', reactRounds);
    see(world, part);
    expect(gateOf(world)).not.toBeNull();
    return world;
  };
  const look = (world: World, part: Partial<PullState>) => {
    world.now = RULES.wakesAt(world.state) ?? 0;
    world.tell({ kind: 'tick' });
    expect(lastOf(world)).toMatchObject({ kind: 'lookAtPull' });
    see(world, part);
  };

  it.each([
    ['was merged by somebody', RED, { state: 'merged', mergeCommit: MENDED }, 'queued'],
    ['whose checks were run again is green', RED, REVIEWED, 'unmerged'],
    ['whose review was taken back waits for one', REQUESTED, REVIEWED, 'unmerged'],
    ['was opened again', { state: 'closed' }, REVIEWED, 'unmerged'],
    ['has its base again', { base: 'release' }, REVIEWED, 'unmerged'],
  ] as const)('is over by itself where it %s', (_, before, after, merge) => {
    const world = gated(before);
    look(world, before);
    expect(gateOf(world)).not.toBeNull();
    look(world, after);
    expect(viewOf(world.state)).toMatchObject({
      gate: null,
      merge,
      gates: [{ status: 'approved', resolvedBy: 'the forge' }],
    });
  });

  it('asks anew where something else is wrong there', () => {
    const world = gated(RED);
    look(world, { state: 'closed' });
    expect(viewOf(world.state).gates.map(({ status }) => status)).toEqual(['approved', 'pending']);
    expect(gateOf(world)).toMatchObject({ reason: 'pull_closed' });
  });

  it('about what somebody pushed is for a person, and about what was pushed when it was asked', () => {
    const world = gated({ head: MENDED });
    look(world, { head: 'd'.repeat(40) });
    look(world, {});
    expect(gateOf(world)).toMatchObject({ reason: 'pushed_by_other' });
    world.send(decide('approve'));
    world.tell({ kind: 'opened', run: READY });
    world.tell(based('main', termsOf('auto', 0)));
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { head: MENDED, pushed: MENDED } });
  });

  it('stays where the forge, or the host, tells nothing, and is looked at again', () => {
    const world = gated(RED);
    for (const kind of ['unreachable', 'unauthorized'] as const) {
      look(world, RED);
      world.tell({ kind: 'pulled', result: { kind, why: 'no' } });
      expect(gateOf(world)).toMatchObject({ reason: 'checks_failed' });
    }
    world.tell({ kind: 'failed', reason: 'host_away', why: 'away' });
    look(world, REVIEWED);
    expect(gateOf(world)).toBeNull();
  });

  it('is looked at when somebody rings, once at a time', () => {
    const world = gated(RED);
    const looks = countOf(world, 'lookAtPull');
    expect(world.send({ kind: 'look', by: null })).toBe(true);
    // What this rings for may be of after the look that is under way.
    expect(world.send({ kind: 'look', by: null })).toBe(true);
    expect(world.send({ kind: 'look', by: null })).toBe(false);
    expect(countOf(world, 'lookAtPull')).toBe(looks + 1);
    see(world, RED);
    expect(RULES.wakesAt(world.state)).toBe(world.now + 1_000);
    look(world, RED);
    expect(RULES.wakesAt(world.state)).toBe(world.now + MINUTE_MS);
  });

  it('counts no look that was begun before a person decided', () => {
    const world = gated(RED);
    world.send({ kind: 'look', by: null });
    world.send(decide('approve'));
    world.tell({ kind: 'opened', run: READY });
    world.tell(based('main', termsOf('auto', 0)));
    see(world, {});
    expect(countOf(world, 'enqueue')).toBe(0);
    show(world);
    see(world, {});
    expect(countOf(world, 'enqueue')).toBe(1);
  });
});

describe('what the forge’s own queue has', () => {
  const REVIEWED = { lacksReview: true } as const;
  const queued = () => {
    const world = shown('auto');
    see(world, { queue: 'in' });
    return world;
  };
  const left = { kind: 'leaveQueue', host: 'h1', input: { repoKey: 'shop', runId: 'r1', number: 7 } } as const;

  it('is taken out of it by a person who holds its landing, or gives it up', () => {
    for (const message of [pause, abort]) {
      const world = queued();
      expect(world.send(message)).toBe(true);
      expect(lastOf(world)).toMatchObject(left);
    }
  });

  it('is taken out of it too where our own queue may have handed it over since the last look', () => {
    for (const message of [pause, abort]) {
      const world = shown('auto');
      see(world, {});
      expect(world.send(message)).toBe(true);
      expect(countOf(world, 'leaveQueue')).toBe(0);
      world.hear('withdrawn');
      expect(lastOf(world)).toMatchObject(left);
    }
  });

  const limited = (world: World) =>
    ({ kind: 'limited', until: new Date(world.now + HOUR_MS).toISOString(), why: 'too often' }) as const;
  const tick = (world: World) => {
    const at = RULES.wakesAt(world.state) ?? 0;
    const waited = at - world.now;
    world.now = at;
    world.tell({ kind: 'tick' });
    return waited;
  };

  it('is tried to be taken out of it again while it is paused, whatever the forge says, and no more once it goes on', () => {
    const world = queued();
    world.send(pause);
    world.tell({ kind: 'left', result: limited(world) });
    expect(viewOf(world.state).paused).toContain('paused by ada: a release; the forge may merge it all the same');
    expect(tick(world)).toBeGreaterThanOrEqual(HOUR_MS - 1);
    const waits = [1, 2, 3, 4, 5].map(() => {
      expect(lastOf(world)).toMatchObject(left);
      world.tell({ kind: 'left', result: { kind: 'missing_scope', why: 'HTTP 403' } });
      return Math.round(tick(world) / MINUTE_MS);
    });
    expect(waits).toEqual([2, 4, 8, 15, 15]);
    world.tell({ kind: 'left', result: { kind: 'left' } });
    expect([viewOf(world.state).paused, RULES.wakesAt(world.state)]).toEqual(['paused by ada: a release', null]);
    world.send(resume);
    const { phase } = world.state;
    world.tell({ kind: 'left', result: limited(world) });
    expect(world.state.phase).toEqual(phase);
  });

  it('is tried to be taken out of it again after it is given up, for a day, which its journal tells once', () => {
    const world = queued();
    world.send(abort);
    const begun = world.now;
    const { seq, told } = world.state.journal;
    const refuse = () => world.tell({ kind: 'left', result: { kind: 'unreachable', why: 'no answer' } });
    for (refuse(); !RULES.isIdle(world.state); refuse()) {
      tick(world);
      expect(lastOf(world)).toMatchObject(left);
    }
    expect(world.now - begun).toBeGreaterThanOrEqual(24 * HOUR_MS);
    expect([world.state.journal.seq, world.state.journal.told]).toEqual([seq + 1, told]);
    expect(viewOf(world.state)).toMatchObject({
      merge: 'abandoned',
      abandoned: expect.stringContaining('the forge may merge it all the same'),
    });
  });

  it('is asked for again by who gives up what is paused, and stays there where the forge will not let it go', () => {
    const world = queued();
    world.send(pause);
    world.tell({ kind: 'left', result: limited(world) });
    world.send(abort);
    expect(lastOf(world)).toMatchObject(left);
    world.tell({ kind: 'left', result: limited(world) });
    expect(RULES.isIdle(world.state)).toBe(false);
    tick(world);
    world.tell({ kind: 'left', result: { kind: 'refused', why: 'HTTP 422' } });
    expect([RULES.isIdle(world.state), viewOf(world.state).abandoned]).toEqual([
      true,
      expect.stringContaining('refused: HTTP 422'),
    ]);
  });

  it('is handed over again only by a person where it was given back', () => {
    const world = queued();
    const sent = countOf(world, 'enqueue');
    const gates = [{ mergeable: 'unknown' }, {}, {}, { mergeable: 'unknown' }, REVIEWED, {}, { queue: 'in' }, {}, {}];
    const asked = gates.map((part) => (see(world, part as Partial<PullState>), gateOf(world)?.reason ?? null));
    expect(asked).toEqual([null, null, ...Array.from({ length: 4 }, () => 'given_back'), null, null, 'given_back']);
    expect(viewOf(world.state).gates.at(0)).toMatchObject({ resolvedBy: 'the forge' });
    expect(countOf(world, 'enqueue')).toBe(sent);
    world.send(decide('approve'));
    world.tell({ kind: 'opened', run: READY });
    world.tell(based('main', termsOf('auto')));
    show(world);
    see(world, {});
    expect([gateOf(world), countOf(world, 'enqueue')]).toEqual([null, sent + 1]);
  });

  it('is nothing to ask for by who pauses what is not there', () => {
    const world = shown('auto');
    see(world, { lacksReview: true });
    world.send(pause);
    expect(countOf(world, 'leaveQueue')).toBe(0);
  });
});

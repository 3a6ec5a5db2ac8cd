/** A head that a person mended or pushed, in place of the one that a run made: no run takes it away again, and nothing is shown in its place that does not contain it. */
import { describe, expect, it } from '@jest/globals';
import type { LandingTerms } from '../../../protocol/actors/landing.js';
import { DEFAULT_LANDING } from '../../../protocol/run/landing-policy.js';
import { viewOf } from '../../../workflows/landing/landing-view.js';
import {
  answer,
  based,
  decide,
  deeds,
  land,
  READY,
  RULES,
  SOURCE,
  TERMS,
  unasked,
  World,
} from '../../support/landing-world.js';
import { ensured, OTHERS, pulled, termsOf } from '../../support/pull-world.js';

const MENDED = 'd'.repeat(40);
const REPAIRED = 'f'.repeat(40);
const rewind = { runId: 'r1', stage: 'fixing' as const };
const remark = { key: 'review 1', by: 'ann', findings: [] };

const lastOf = ({ errands }: World) => deeds(errands).at(-1);
const gateOf = ({ state }: World) => viewOf(state).gate;
const foundBase = (head: string | null, terms: Partial<LandingTerms>) =>
  ({ kind: 'based', base: { kind: 'branch', branch: 'main', head, terms: { ...TERMS, ...terms } } }) as const;

function changes() {
  const { message } = decide('approve');
  return { kind: 'decide', message: { ...message, decision: 'request_changes', note: 'mend it' } } as const;
}

/** Somebody pushed to the branch of its pull request, a person agreed to that, and it is shown. */
function agreed(terms: LandingTerms = termsOf('auto')): World {
  const world = unasked(terms);
  world.tell(ensured());
  world.tell(pulled({ head: OTHERS }));
  world.send(decide('approve'));
  world.tell({ kind: 'opened', run: READY });
  world.tell(based('main', terms));
  world.tell(ensured({ head: OTHERS, isDraft: false }));
  return world;
}

/** The run that mends it has closed with a head of its own. */
function repaired(world: World): void {
  const run = { ...READY, source: { ...SOURCE, head: REPAIRED } } as typeof READY;
  world.tell({ kind: 'planned', plan: { kind: 'planned', rewind } });
  world.tell({ kind: 'begun', fate: 'started' });
  world.tell({ kind: 'runChanged', runId: 'r1-l1' });
  world.tell({ kind: 'opened', run });
  world.tell({ kind: 'opened', run });
  world.tell(based('main', termsOf('auto')));
}

describe('what somebody pushed and a person agreed to', () => {
  it.each(['red', 'conflict'] as const)(
    'is repaired by no run where the queue says %s: a person is asked',
    (reason) => {
      const world = agreed();
      world.tell(pulled({ head: OTHERS }));
      world.hear('exhausted', { reason, why: 'no', files: [] });

      expect(gateOf(world)).toMatchObject({ reason });
      expect(RULES.judge(world.state, changes())).toMatchObject({ kind: 'refused' });
    },
  );

  it.each([
    [{ review: 'changes_requested' }, 'changes_requested'],
    [{ checks: { state: 'failed', names: ['ci'] } }, 'checks_failed'],
  ] as const)('is repaired by no run where a look shows %j: a person is asked', (seen, reason) => {
    const world = agreed();
    world.tell(pulled({ head: OTHERS, ...seen }));
    world.tell({ kind: 'remarked', result: { kind: 'remarks', remarks: [remark] } });

    expect(gateOf(world)).toMatchObject({ reason });
  });

  it('is asked about again where a person has changes made before it is shown again: nothing without it replaces it', () => {
    const terms = termsOf('auto');
    const world = agreed();
    world.tell(pulled({ head: OTHERS }));
    world.hear('exhausted', { reason: 'red', why: 'npm test is red' });
    world.send(decide('approve'));
    world.tell({ kind: 'opened', run: READY });
    world.tell({ kind: 'based', base: { kind: 'refused', why: 'the branch is gone', terms } });
    expect(world.send(changes())).toBe(true);
    repaired(world);
    const input = { headRunId: 'r1-l1', head: null, pushed: null };
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input });
    world.tell({ kind: 'ensured', result: { kind: 'pushed_by_other', at: OTHERS } });
    world.tell(pulled({ head: OTHERS }));

    expect(gateOf(world)).toMatchObject({ reason: 'pushed_by_other' });
  });

  it('is replaced by what a person had done anew', () => {
    const world = agreed();
    world.tell(pulled({ head: OTHERS }));
    world.hear('exhausted', { reason: 'conflict', why: 'no', files: ['a.txt'] });
    world.send(answer('recreate'));
    repaired(world);

    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { head: null, pushed: OTHERS } });
  });

  it('is mended by hand from a ref that the gate names, and shown as that, replacing nothing without it', () => {
    const terms = termsOf('auto');
    const world = agreed();
    world.tell(pulled({ head: OTHERS }));
    world.hear('exhausted', { reason: 'conflict', why: 'no', files: ['a.txt'] });
    expect(viewOf(world.state).gates.at(-1)?.requestedAction).toContain(
      'cd "$(sluice path r1)" && git merge refs/sluice/r1/pushed && git merge refs/sluice/@',
    );
    world.send(answer('resolved'));
    world.tell({ kind: 'opened', run: READY });
    expect(lastOf(world)).toMatchObject({ kind: 'findBase', input: { mended: SOURCE.head } });
    world.tell(foundBase(MENDED, terms));

    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { head: MENDED, pushed: null } });
    world.tell({ kind: 'ensured', result: { kind: 'pushed_by_other', at: OTHERS } });
    world.tell(pulled({ head: OTHERS }));
    expect(gateOf(world)).toMatchObject({ reason: 'pushed_by_other' });
    world.send(decide('approve'));
    world.tell({ kind: 'opened', run: READY });
    expect(lastOf(world)).toMatchObject({ kind: 'findBase', input: { mended: null } });
    world.tell(foundBase(null, terms));
    expect(lastOf(world)).toMatchObject({ kind: 'ensurePull', input: { head: OTHERS, pushed: OTHERS } });
  });
});

describe('what a person mended by hand', () => {
  const terms = { canFix: true, landing: { ...DEFAULT_LANDING, conflict: 'gate' as const } };
  const mended = (world: World, open: () => void) => {
    world.hear('exhausted', { reason: 'conflict', why: 'both changed a.txt', files: ['a.txt'] });
    world.send(answer('resolved'));
    open();
    world.tell(foundBase(MENDED, terms));
  };

  it('is repaired by no run where its checks are red', () => {
    const world = new World();
    world.tell({ kind: 'begin' });
    world.tell({ kind: 'opened', run: READY });
    world.tell(based('main', terms));
    mended(world, () => world.tell({ kind: 'opened', run: READY }));
    world.hear('exhausted', { reason: 'red', why: 'npm test is red' });

    expect(gateOf(world)).toMatchObject({ reason: 'red' });
    expect(RULES.judge(world.state, changes())).toMatchObject({ kind: 'refused' });
  });

  it('is repaired by no run while it is opened again either', () => {
    const world = new World();
    world.tell({ kind: 'begin' });
    world.tell({ kind: 'opened', run: READY });
    world.tell(based('main', terms));
    mended(world, () => world.tell({ kind: 'opened', run: READY }));
    world.hear('exhausted', { reason: 'red', why: 'npm test is red' });
    world.send(decide('approve'));
    world.tell({ kind: 'opened', run: READY });
    world.tell({ kind: 'based', base: { kind: 'refused', why: 'the branch is gone', terms: { ...TERMS, ...terms } } });

    expect(gateOf(world)).toMatchObject({ reason: 'no_base' });
    expect(RULES.judge(world.state, changes())).toMatchObject({ kind: 'refused' });
  });

  it('lands of a run that ended without an answer too', () => {
    const world = new World();
    const open = () => {
      world.tell({ kind: 'opened', run: { kind: 'none', host: 'h1' } });
      world.tell({ kind: 'kept', kept: { kind: 'kept', source: SOURCE } });
    };
    world.tell({ kind: 'begin' });
    open();
    world.tell(based('main', terms));
    world.send(decide('approve'));
    open();
    world.tell(based('main', terms));
    expect(lastOf(world)).toMatchObject({ kind: 'enqueue', entry: { head: SOURCE.head } });
    mended(world, open);

    expect(lastOf(world)).toMatchObject({ kind: 'enqueue', entry: { head: MENDED } });
    world.hear('exhausted', { reason: 'refused', why: 'it was moved' });
    world.send(land);
    open();
    expect(lastOf(world)).toMatchObject({ kind: 'findBase', input: { mended: SOURCE.head } });
  });
});

describe('a command that a gate names', () => {
  const branch = "re'lease;(1)";

  it('can be pasted whatever the base is called', () => {
    const world = new World();
    world.tell({ kind: 'begin' });
    world.tell({ kind: 'opened', run: READY });
    world.tell(based(branch, { landing: { ...DEFAULT_LANDING, conflict: 'gate' } }));
    world.hear('exhausted', { reason: 'conflict', files: ['a.txt'] });

    expect(viewOf(world.state).gates.at(-1)?.requestedAction).toContain(`&& git merge 're'\\''lease;(1)'`);
  });

  it('can be pasted whatever the repository and the branch of the run are called', () => {
    const world = new World();
    world.tell({ kind: 'begin' });
    world.tell({ kind: 'opened', run: { kind: 'none', host: 'h1' } });
    world.tell({ kind: 'kept', kept: { kind: 'kept', source: SOURCE } });
    world.tell(based('main', { ...termsOf('pr'), repo: '/my shop', branch: 'a&b' }));

    expect(gateOf(world)?.why).toContain("git -C '/my shop' push <remote> 'refs/sluice/r1/head:refs/heads/a&b'");
  });
});

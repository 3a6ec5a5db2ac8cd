/** What a person, or a repair, makes of a head that does not land as it is: the ways on from a gate, and the runs that make another head. */
import { describe, expect, it } from '@jest/globals';
import type { LandingTerms, RunToLand } from '../../../protocol/actors/landing.js';
import { DEFAULT_LANDING } from '../../../protocol/run/landing-policy.js';
import { showLanding, viewOf } from '../../../workflows/landing/landing-view.js';

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
  World,
} from '../../support/landing-world.js';
import { shown, termsOf } from '../../support/pull-world.js';

describe('a landing', () => {
  describe('at a gate with several ways on', () => {
    const refusedAs = (reason: 'conflict' | 'base_rewritten') => {
      const world = World.queued();
      world.hear('exhausted', { reason, why: 'no', files: reason === 'conflict' ? ['a.txt'] : [] });
      return world;
    };
    const reopened = (world: World, head: string | null = null) => {
      world.tell({ kind: 'opened', run: READY });
      const base = { kind: 'branch', branch: 'main', head, terms: TERMS } as const;
      const asked = deeds(world.errands).at(-1);
      world.tell({ kind: 'based', base });
      return asked;
    };
    const MENDED = 'd'.repeat(40);

    it('says of a conflict when it was, what mends it by hand, and takes what was mended', () => {
      const world = refusedAs('conflict');
      const [gate] = viewOf(world.state).gates;
      expect(gate).toMatchObject({ options: ['resolved', 'recreate', 'abandon'], files: ['a.txt'], question: false });
      expect(gate?.requestedAction).toContain('The conflict is of 1970-01-01T00:00:00.004Z');
      expect(gate?.requestedAction).toContain('git merge main');
      expect(world.send(answer('resolved'))).toBe(true);

      expect(reopened(world, MENDED)).toMatchObject({ kind: 'findBase', input: { mended: SOURCE.head } });
      expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'enqueue', entry: { head: MENDED, anyway: false } });
      expect(viewOf(world.state).gates).toMatchObject([{ status: 'approved', guidance: 'resolved' }]);
    });

    it('takes the first of them where it is only approved, for that once', () => {
      const world = refusedAs('conflict');
      world.send(decide('approve'));
      expect(reopened(world)).toMatchObject({ input: { mended: SOURCE.head } });
      world.hear('exhausted', { reason: 'conflict', files: ['a.txt'] });
      world.send(land);

      expect(reopened(world)).toMatchObject({ input: { mended: null } });
    });

    it.each(['conflict', 'base_rewritten'] as const)('does the task anew after %s where a person says so', (reason) => {
      const world = refusedAs(reason);
      world.send(answer('RECREATE '));

      expect(deeds(world.errands).at(-1)).toMatchObject({
        kind: 'plan',
        input: { kind: 'recreate', queue: { repoKey: 'shop', branch: 'main' } },
      });
    });

    it('is given up where a person says so, and takes nothing that it does not offer', () => {
      const world = refusedAs('conflict');
      expect(world.send(answer('land anyway'))).toBe(false);
      expect(world.send(answer('3'))).toBe(true);

      expect(viewOf(world.state)).toMatchObject({ merge: 'abandoned', abandoned: 'given up by ann' });
    });

    it('lands on a base that was rewritten only where a person says so', () => {
      const world = refusedAs('base_rewritten');
      world.send(land);
      reopened(world);
      expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'enqueue', entry: { anyway: false } });
      world.hear('exhausted', { reason: 'base_rewritten' });
      world.send(answer('land anyway'));
      reopened(world);

      expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'enqueue', entry: { anyway: true, head: null } });
    });

    it('takes an answer at no other gate', () => {
      const world = World.queued();
      world.hear('exhausted', { reason: 'red', why: 'npm test is red' });

      expect(RULES.judge(world.state, answer('resolved'))).toEqual({ kind: 'refused', why: 'no question is open' });
    });
  });

  describe('that is repaired', () => {
    const fixable = { canFix: true };
    const REPAIR = { runId: 'r1-l1', kind: 'turn' };
    const rewind = { runId: 'r1', stage: 'fixing' as const };
    const conflicted = (terms: Partial<LandingTerms> = fixable) => {
      const world = new World();
      world.tell({ kind: 'begin' });
      world.tell({ kind: 'opened', run: READY });
      world.tell(based('main', terms));
      world.hear('exhausted', { reason: 'conflict', why: 'both changed a.txt', files: ['a.txt'] });
      return world;
    };
    const repaired = (world: World, answer: RunToLand, left: { why: string; files: string[] } | null = null) => {
      world.tell({ kind: 'planned', plan: { kind: 'planned', rewind } });
      world.tell({ kind: 'begun', fate: 'started' });
      world.tell({ kind: 'runChanged', runId: viewOf(world.state).repair?.runId ?? '' });
      world.tell({ kind: 'opened', run: answer });
      if (answer.kind === 'answer' && answer.outcome === 'merge_ready')
        world.tell({ kind: 'examined', found: { left } });
    };

    it('starts a run of its own on what the host found, and lands what that made under its name', () => {
      const world = conflicted();
      expect(deeds(world.errands).at(-1)).toMatchObject({
        kind: 'plan',
        host: 'h1',
        input: {
          runId: 'r1',
          head: SOURCE.head,
          queue: { repoKey: 'shop', branch: 'main' },
          kind: 'turn',
          isConflict: true,
          by: null,
        },
      });
      world.tell({ kind: 'planned', plan: { kind: 'planned', rewind } });
      expect(deeds(world.errands).at(-1)).toMatchObject({
        kind: 'startRun',
        workflowId: 'r1-l1',
        input: { task: 'a task', repo: '/shop', host: 'h1', owner: 'landing:r1', rewind },
      });
      expect(viewOf(world.state)).toMatchObject({ merge: 'unmerged', gate: null, repair: REPAIR });
      world.tell({ kind: 'begun', fate: 'started' });
      world.tell({ kind: 'runChanged', runId: 'r1-l1' });
      world.tell({ kind: 'opened', run: READY });
      world.tell({ kind: 'examined', found: { left: null } });
      world.tell({ kind: 'opened', run: READY });
      world.tell(based('main', fixable));

      expect(deeds(world.errands).at(-1)).toMatchObject({
        kind: 'enqueue',
        entry: { runId: 'r1-l1', id: 'landing:r1/x/r1-l1/2' },
      });
    });

    it('is known by the branch of the first run, on which a forge shows it', () => {
      const world = shown('auto');
      world.hear('exhausted', { reason: 'red', why: 'npm test is red' });
      repaired(world, READY);
      world.tell({ kind: 'opened', run: READY });
      world.tell(based('main', { ...termsOf('auto'), branch: 'sluice/r1-l1' }));

      expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'ensurePull', input: { headRunId: 'r1-l1' } });
      expect(showLanding(world.state).memo).toMatchObject({ repo: 'acme/shop', branch: 'sluice/r1' });
    });

    it('is asked about where there is nobody to fix it, where the policy says so, and after three', () => {
      expect(viewOf(conflicted({}).state).gate?.reason).toBe('conflict');
      const gate = { ...fixable, landing: { ...DEFAULT_LANDING, conflict: 'gate' as const } };
      expect(viewOf(conflicted(gate).state).gate?.reason).toBe('conflict');
      const world = conflicted();
      for (let n = 1; n <= 3; n += 1) {
        repaired(world, READY);
        world.tell({ kind: 'opened', run: READY });
        world.tell(based('main', fixable));
        expect(viewOf(world.state).gate).toBeNull();
        world.hear('exhausted', { reason: 'red', why: 'npm test is red' });
      }
      expect(viewOf(world.state)).toMatchObject({ gate: { reason: 'red' }, gates: [{ changesGoTo: 'fixing' }] });
    });

    it.each([
      ['repair_failed', { ...READY, outcome: 'blocked' }, null],
      ['repair_failed', { ...READY, source: null }, null],
      ['repair_failed', { kind: 'none', host: null }, null],
      ['unresolved', READY, { why: 'conflict markers are left', files: ['a.txt'] }],
    ] as const)('waits for a person as %s where its run answers %j', (reason, answer, left) => {
      const world = conflicted();
      repaired(world, answer as RunToLand, left === null ? null : { ...left, files: [...left.files] });

      expect(viewOf(world.state).gate).toMatchObject({ reason, files: ['a.txt'] });
    });

    it('takes another id where its own is taken, and hears of no other run', () => {
      const world = conflicted();
      world.tell({ kind: 'planned', plan: { kind: 'planned', rewind } });
      world.tell({ kind: 'begun', fate: 'taken' });
      world.tell({ kind: 'planned', plan: { kind: 'planned', rewind } });
      expect(viewOf(world.state).repair?.runId).toBe('r1-l2');
      const { length } = world.errands;
      world.tell({ kind: 'runChanged', runId: 'r1-l1' });
      expect(world.errands).toHaveLength(length);
    });

    it('looks at its run by itself, each time later, and soon after its word', () => {
      const world = conflicted();
      world.tell({ kind: 'planned', plan: { kind: 'planned', rewind } });
      const waits: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        const at = RULES.wakesAt(world.state) ?? 0;
        waits.push(Math.round((at - world.now) / MINUTE_MS));
        world.now = at;
        world.tell({ kind: 'tick' });
        expect(deeds(world.errands).at(-1)).toEqual({ kind: 'open', workflowId: 'r1-l1' });
        world.tell({ kind: 'opened', run: { kind: 'open', owner: null, branch: null, wait: null } });
      }
      world.tell({ kind: 'runChanged', runId: 'r1-l1' });
      world.tell({ kind: 'opened', run: { kind: 'open', owner: null, branch: null, wait: null } });

      expect(waits).toEqual([10, 10, 20]);
      expect(deeds(world.errands).at(-1)).toEqual({ kind: 'open', workflowId: 'r1-l1' });
      expect((RULES.wakesAt(world.state) ?? 0) - world.now).toBeLessThan(MINUTE_MS);
    });

    it('is paused beside its run, and looks at that once it is resumed', () => {
      const world = conflicted();
      world.tell({ kind: 'planned', plan: { kind: 'planned', rewind } });
      world.send(pause);
      world.tell({ kind: 'runChanged', runId: 'r1-l1' });
      expect(viewOf(world.state)).toMatchObject({ repair: null, paused: 'paused by ada: a release' });
      const { length } = deeds(world.errands);
      world.send(resume);

      expect(deeds(world.errands).slice(length)).toEqual([{ kind: 'open', workflowId: 'r1-l1' }]);
      expect(viewOf(world.state).repair).toMatchObject({ runId: 'r1-l1' });
    });

    it('begins one run, whatever a pause came between', () => {
      const world = conflicted();
      world.send(pause);
      world.send(resume);
      world.tell({ kind: 'planned', plan: { kind: 'planned', rewind } });
      world.tell({ kind: 'planned', plan: { kind: 'planned', rewind } });
      expect(deeds(world.errands).filter(({ kind }) => kind === 'startRun')).toHaveLength(1);
      world.send(pause);
      world.tell({ kind: 'begun', fate: 'taken' });
      world.send(resume);

      expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'plan' });
    });

    it('ends its run where it is given up', () => {
      const world = conflicted();
      world.tell({ kind: 'planned', plan: { kind: 'planned', rewind } });
      world.send(abort);

      expect(viewOf(world.state)).toMatchObject({ merge: 'abandoned', repair: null });
      expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'abortRun', workflowId: 'r1-l1' });
    });

    it('goes back to its queue where it merges by now', () => {
      const world = conflicted();
      world.tell({ kind: 'planned', plan: { kind: 'unneeded' } });

      expect(deeds(world.errands).at(-1)).toEqual({ kind: 'open', workflowId: 'r1' });
    });
  });
});

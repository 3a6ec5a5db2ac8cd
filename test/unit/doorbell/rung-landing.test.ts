/** A landing at which a doorbell rings: it looks, once at a time. */
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { showLanding } from '../../../workflows/landing/landing-view.js';
import { deeds, RULES, unasked, type World } from '../../support/landing-world.js';
import { seen, shownByPull } from '../../support/shown-pull.js';

const ring = { kind: 'look', by: 'a web hook' } as const;
const looksOf = ({ errands }: World) => errands.filter(({ kind }) => kind === 'lookAtPull').length;

describe('a landing that is rung at', () => {
  it('has no second look under way, whatever comes in whatever order', () => {
    const event = fc.constantFrom('ring' as const, 'answer' as const, 'time' as const);
    fc.assert(
      fc.property(fc.array(event, { maxLength: 300 }), (events) => {
        const world = shownByPull();
        let answered = looksOf(world);
        for (const one of events) {
          if (one === 'ring') world.send(ring);
          if (one === 'time') {
            world.now = Math.max(world.now, RULES.wakesAt(world.state) ?? 0);
            world.tell({ kind: 'tick' });
          }
          if (one === 'answer' && looksOf(world) > answered) {
            answered += 1;
            world.tell(seen());
          }
          expect(looksOf(world) - answered).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('looks once for hundreds of them', () => {
    const world = shownByPull();
    const before = looksOf(world);
    for (let n = 0; n < 300; n += 1) world.send(ring);
    expect(looksOf(world)).toBe(before + 1);
    expect(deeds(world.errands).at(-1)).toMatchObject({ kind: 'lookAtPull' });
  });

  it('shows by what it is found, on a forge alone', () => {
    expect(showLanding(shownByPull().state).memo).toMatchObject({
      repo: 'acme/shop',
      branch: 'sluice/r1',
      base: 'main',
      pull: 7,
    });
    expect(showLanding(unasked().state).memo).not.toHaveProperty('repo');
  });
});

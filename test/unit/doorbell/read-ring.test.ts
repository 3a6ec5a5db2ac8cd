/** What a delivery of a web hook names, whatever else stands in it. */
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { readRing } from '../../../worker/doorbell/read-ring.js';
import {
  checkEvent,
  commentEvent,
  pullEvent,
  pushEvent,
  reviewEvent,
  statusEvent,
  suiteEvent,
} from '../../support/forge/fake-webhook.js';
import type { FakePull } from '../../support/forge/forge-state.js';

const FORGE = { name: 'Acme/Shop' };
const PULL = { number: 7, headBranch: 'sluice/r1', base: 'main', state: 'open' } as FakePull;
const REPO = 'acme/shop';
const BRANCH = 'sluice/r1';

describe('a delivery', () => {
  it.each([
    ['pull_request', pullEvent(FORGE, PULL), { pulls: [7], branches: [BRANCH] }],
    ['pull_request_review', reviewEvent(FORGE, PULL), { pulls: [7], branches: [BRANCH] }],
    ['issue_comment', commentEvent(FORGE, PULL), { pulls: [7], branches: [] }],
    ['check_run', checkEvent(FORGE, PULL), { pulls: [7], branches: [BRANCH] }],
    ['check_suite', suiteEvent(FORGE, PULL), { pulls: [7], branches: [BRANCH] }],
    ['status', statusEvent(FORGE, PULL), { pulls: [], branches: [BRANCH] }],
    ['push', pushEvent(FORGE, 'main'), { pulls: [], branches: ['main'] }],
    ['ping', { ...pushEvent(FORGE, 'main'), ref: undefined, zen: 'x' }, { pulls: [], branches: [] }],
    ['push', pushEvent(FORGE, ''), { pulls: [], branches: [] }],
    ['create', { ...pushEvent(FORGE, 'main'), ref: 'v1', ref_type: 'tag' }, { pulls: [], branches: [] }],
  ])('of %s names what it is about', (_, payload, named) => {
    expect(readRing(payload)).toEqual({ repo: REPO, ...named });
  });

  it.each([
    [null],
    [[]],
    ['x'],
    [{}],
    [{ repository: 'acme/shop' }],
    [{ repository: { full_name: 7 } }],
    [{ repository: { full_name: '../shop' } }],
    [{ repository: { full_name: 'acme/shop"\n' } }],
    [{ repository: { full_name: `acme/${'x'.repeat(1_000)}` } }],
  ])('%j is about nothing', (payload) => {
    expect(readRing(payload)).toBeNull();
  });

  /** At every place that is read, anything. */
  const anything = fc.jsonValue({ maxDepth: 3 });
  const pull = fc.record({ number: fc.oneof(fc.nat(), anything), head: fc.record({ ref: anything }) });
  const suite = fc.record({ head_branch: anything, pull_requests: fc.oneof(anything, fc.array(pull)) });
  const hostile = fc.record(
    {
      repository: fc.oneof(anything, fc.constant({ full_name: 'Acme/Shop' })),
      pull_request: fc.oneof(anything, pull),
      issue: fc.oneof(anything, pull),
      check_run: fc.oneof(anything, fc.record({ check_suite: fc.oneof(anything, suite), pull_requests: anything })),
      check_suite: fc.oneof(anything, suite),
      branches: fc.oneof(anything, fc.array(fc.record({ name: anything }), { maxLength: 300 })),
      ref: fc.oneof(
        anything,
        fc.string().map((name) => `refs/heads/${name}`),
      ),
    },
    { requiredKeys: [] },
  );

  it('that holds anything anywhere throws for nothing, and names only what stands in it, as much as a forge would', () => {
    fc.assert(
      fc.property(fc.oneof(anything, hostile), (payload) => {
        const ring = readRing(payload);
        if (ring === null) return;
        const text = JSON.stringify(payload);
        expect(ring.repo).toBe(REPO);
        expect(ring.pulls.every((number) => Number.isSafeInteger(number) && text.includes(String(number)))).toBe(true);
        const stands = (branch: string) => branch !== '' && text.includes(JSON.stringify(branch).slice(1, -1));
        expect(ring.branches.every(stands)).toBe(true);
        expect(ring.pulls.length + ring.branches.length).toBeLessThan(500);
      }),
    );
  });
});

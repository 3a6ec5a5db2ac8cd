/** What is done about a pull request, by its state and the checks that its base requires. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judgeChecks, type PullCheck, type RequiredCheck } from '../../../activities/forge/judge-checks.js';
import { decidePull, type ExpectedPull } from '../../../protocol/actors/decide-pull.js';
import type { CheckState, PullState } from '../../../protocol/actors/forge.js';

const READY: PullState = {
  number: 1,
  url: 'u',
  state: 'open',
  isDraft: false,
  head: 'h',
  base: 'main',
  mergeable: 'yes',
  review: 'none',
  lacksReview: false,
  queue: 'off',
  hasRules: false,
  mergeCommit: null,
  checks: { state: 'passed', names: [] },
  updatedAt: '2026-01-01T00:00:00Z',
};

const EXPECTED: ExpectedPull = {
  head: 'h',
  base: 'main',
  checksTimeoutMs: 3_600_000,
  since: '2026-01-01T00:00:00Z',
  now: '2026-01-01T00:10:00Z',
};

describe('a pull request', () => {
  const pending = { state: 'pending', names: ['ci'] } as const;

  it.each<[Partial<PullState>, string]>([
    [{}, 'ready'],
    [{ state: 'merged', mergeCommit: 'm', head: 'another' }, 'merged'],
    [{ state: 'closed' }, 'closed'],
    [{ base: 'other' }, 'retargeted'],
    [{ head: 'late' }, 'pushed'],
    [{ queue: 'in', checks: pending }, 'queued'],
    [{ queue: 'out' }, 'ready'],
    [{ mergeable: 'conflict', checks: pending }, 'conflict'],
    [{ mergeable: 'unknown' }, 'unknown'],
    [{ review: 'changes_requested' }, 'changes_requested'],
    [{ checks: { state: 'failed', names: ['ci'] } }, 'checks_failed'],
    [{ checks: pending }, 'checks_pending'],
    [{ isDraft: true }, 'draft'],
    [{ lacksReview: true }, 'review'],
  ])('that is %j is %s', (given, kind) => {
    expect(decidePull({ ...READY, ...given }, EXPECTED).kind).toBe(kind);
  });

  it('whose checks are pending for the whole time is timed out, and not a moment before', () => {
    const at = (now: string) => decidePull({ ...READY, checks: pending }, { ...EXPECTED, now }).kind;

    expect(at('2026-01-01T00:59:59.999Z')).toBe('checks_pending');
    expect(at('2026-01-01T01:00:00.000Z')).toBe('checks_timed_out');
  });

  it('is ready by our own head on our own base alone, whatever else is said of it', () => {
    const any = fc.record({
      state: fc.constantFrom('open', 'closed', 'merged'),
      head: fc.constantFrom('h', 'late'),
      base: fc.constantFrom('main', 'other'),
      isDraft: fc.boolean(),
      mergeable: fc.constantFrom('yes', 'conflict', 'unknown'),
      review: fc.constantFrom('approved', 'changes_requested', 'none'),
      lacksReview: fc.boolean(),
      queue: fc.constantFrom('off', 'out', 'in'),
      checks: fc.record({ state: fc.constantFrom('pending', 'passed', 'failed'), names: fc.constant([]) }),
    }) as fc.Arbitrary<Partial<PullState>>;
    fc.assert(
      fc.property(any, (given) => {
        const pull = { ...READY, ...given };
        const mayBeMerged =
          pull.state === 'open' && pull.head === 'h' && pull.base === 'main' && pull.checks.state === 'passed';
        const isHeld = pull.isDraft || pull.lacksReview || pull.mergeable !== 'yes' || pull.queue === 'in';

        expect(decidePull(pull, EXPECTED).kind === 'ready').toBe(
          mayBeMerged && !isHeld && pull.review !== 'changes_requested',
        );
      }),
    );
  });
});

const check = (name: string, state: CheckState, app: number | null = 1, isRequired = false): PullCheck => ({
  name,
  state,
  app,
  isRequired,
});
const required = (name: string, app: number | null = null): RequiredCheck => ({ name, app });

describe('the required checks', () => {
  it.each<[string, readonly PullCheck[], readonly RequiredCheck[], CheckState]>([
    ['none', [], [], 'passed'],
    ['one that nobody has begun', [], [required('ci')], 'pending'],
    ['a red one that nobody requires', [check('lint', 'failed')], [], 'passed'],
    ['a green one', [check('ci', 'passed')], [required('ci')], 'passed'],
    [
      'a red and a pending one',
      [check('a', 'failed'), check('b', 'pending')],
      [required('a'), required('b')],
      'failed',
    ],
    ['one of two apps that is red', [check('ci', 'passed', 1), check('ci', 'failed', 2)], [required('ci')], 'failed'],
    ['the right one of two apps', [check('ci', 'passed', 1), check('ci', 'failed', 2)], [required('ci', 1)], 'passed'],
    ['one of another app', [check('ci', 'passed', 1)], [required('ci', 2)], 'pending'],
    ['a green commit status that is to be of an app', [check('ci', 'passed', null)], [required('ci', 2)], 'passed'],
    ['a red commit status that is to be of an app', [check('ci', 'failed', null)], [required('ci', 2)], 'failed'],
    [
      'a green commit status, and a red check of the app that it is to be of',
      [check('ci', 'passed', null), check('ci', 'failed', 2)],
      [required('ci', 2)],
      'failed',
    ],
    [
      'a red commit status of anybody, and a green check of the app that it is to be of',
      [check('ci', 'failed', null), check('ci', 'passed', 2)],
      [required('ci', 2)],
      'passed',
    ],
    [
      'a green commit status of anybody, and a check of the app that it is to be of which is not over',
      [check('ci', 'passed', null), check('ci', 'pending', 2)],
      [required('ci', 2)],
      'pending',
    ],
    ['one that is required by its own word', [check('ci', 'pending', 1, true)], [], 'pending'],
  ])('with %s', (_what, checks, needs, state) => {
    expect(judgeChecks(checks, needs).state).toBe(state);
  });

  it('pass only where each of them is there and green', () => {
    const states = fc.constantFrom<CheckState>('pending', 'passed', 'failed');
    const names = fc.constantFrom('a', 'b', 'c');
    const checks = fc.array(fc.tuple(names, states, fc.constantFrom(1, 2), fc.boolean()));
    fc.assert(
      fc.property(checks, fc.array(names), (said, wanted) => {
        const all = said.map(([name, state, app, isRequired]) => check(name, state, app, isRequired));
        const judged = judgeChecks(
          all,
          wanted.map((name) => required(name)),
        );
        const isGreen = (name: string) => all.some((one) => one.name === name && one.state === 'passed');

        if (judged.state === 'passed') expect(wanted.filter((name) => !isGreen(name))).toEqual([]);
        else expect(judged.names.length).toBeGreaterThan(0);
      }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import {
  checkTransition,
  createLifecycle,
  isRunStatus,
  isTerminal,
  RUN_STATUSES,
  StateTransitionError,
  TRANSITIONS,
} from '../../../protocol/run/lifecycle.js';
import { STAGE_LISTS, STAGES } from '../../../protocol/run/stages.js';

const PAIRS = RUN_STATUSES.flatMap((from) => RUN_STATUSES.map((to) => [from, to] as const));

describe('lifecycle table', () => {
  it('knows exactly sixteen statuses and refuses any other word', () => {
    expect(RUN_STATUSES).toHaveLength(16);
    expect(RUN_STATUSES.every(isRunStatus)).toBe(true);
    expect(['done', '', 'Created', null, 3].some(isRunStatus)).toBe(false);
  });

  it.each(PAIRS)('%s → %s is legal exactly if the table says so', (from, to) => {
    const legal = TRANSITIONS[from].includes(to);
    const attempt = () =>
      checkTransition(
        from,
        to,
        from === 'verifying' ? STAGES : [...STAGES.filter((s) => s !== from), from as 'planning'],
      );

    if (legal) expect(attempt).not.toThrow();
    else expect(attempt).toThrow(StateTransitionError);
  });

  it('never leaves a terminal status and keeps the status after a refused move', () => {
    const lifecycle = createLifecycle(STAGES);
    lifecycle.move('failed');

    expect(() => lifecycle.move('planning')).toThrow('failed is terminal');
    expect(lifecycle.status).toBe('failed');
    expect(RUN_STATUSES.filter((s) => isTerminal(s)).every((s) => TRANSITIONS[s].length === 0)).toBe(true);
  });

  it('allows merge_ready only from the last stage of the list', () => {
    expect(() => checkTransition('executing', 'merge_ready', STAGE_LISTS.full)).toThrow('does not end at executing');
    expect(() => checkTransition('planning', 'merge_ready', STAGE_LISTS['plan-only'])).not.toThrow();
    expect(() => checkTransition('verifying', 'merge_ready', STAGE_LISTS.express)).not.toThrow();
  });
});

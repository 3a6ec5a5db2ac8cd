/** Which message an item takes in which state: every message in every state, and what a refusal says. */
import { describe, expect, it } from '@jest/globals';
import { ITEM_STATES, ITEM_UPDATES, type ItemMessageName, type ItemStateName } from '../../../protocol/actors/item.js';
import { NOT_ASKED } from '../../../workflows/item/item-admission.js';
import { judgeItem } from '../../../workflows/item/item-judge.js';
import type { ItemEvent, ItemState } from '../../../workflows/item/item-state.js';
import { anItem } from '../../support/an-item.js';

/** `taken`, `same`: it is so already, `no`: refused. */
const TABLE: Readonly<Record<ItemStateName, Readonly<Record<ItemMessageName, 'taken' | 'same' | 'no'>>>> = {
  admitting: {
    approve: 'no',
    reject: 'taken',
    answer: 'no',
    run: 'no',
    stop: 'taken',
    pause: 'taken',
    resume: 'same',
    set: 'taken',
    done: 'taken',
    remove: 'taken',
  },
  clarifying: {
    approve: 'no',
    reject: 'taken',
    answer: 'taken',
    run: 'no',
    stop: 'taken',
    pause: 'taken',
    resume: 'same',
    set: 'taken',
    done: 'taken',
    remove: 'taken',
  },
  gated: {
    approve: 'taken',
    reject: 'taken',
    answer: 'no',
    run: 'no',
    stop: 'no',
    pause: 'taken',
    resume: 'same',
    set: 'taken',
    done: 'taken',
    remove: 'taken',
  },
  queued: {
    approve: 'no',
    reject: 'taken',
    answer: 'no',
    run: 'same',
    stop: 'taken',
    pause: 'taken',
    resume: 'same',
    set: 'taken',
    done: 'taken',
    remove: 'taken',
  },
  running: {
    approve: 'no',
    reject: 'no',
    answer: 'no',
    run: 'same',
    stop: 'taken',
    pause: 'taken',
    resume: 'taken',
    set: 'taken',
    done: 'taken',
    remove: 'no',
  },
  parked: {
    approve: 'no',
    reject: 'taken',
    answer: 'no',
    run: 'taken',
    stop: 'same',
    pause: 'no',
    resume: 'no',
    set: 'taken',
    done: 'taken',
    remove: 'taken',
  },
  closed: {
    approve: 'no',
    reject: 'no',
    answer: 'no',
    run: 'no',
    stop: 'no',
    pause: 'no',
    resume: 'no',
    set: 'no',
    done: 'no',
    remove: 'no',
  },
};

const KINDS = { taken: 'accepted', same: 'unchanged', no: 'refused' } as const;

function wordOf(kind: ItemMessageName): ItemEvent {
  const who = { by: 'ann', note: null };
  if (kind === 'set') return { kind, ...who, changes: { priority: 1 } };
  if (kind === 'approve') return { kind, ...who, planHash: null, choice: null };
  return kind === 'answer' ? { kind, ...who, round: 1, answers: ['tabs'] } : { kind, ...who };
}

function judge(state: Partial<ItemState>, kind: ItemMessageName) {
  const asked = state.state === 'clarifying' ? { admission: { ...NOT_ASKED, questions: ['tabs or spaces?'] } } : {};
  return judgeItem(anItem({ ...asked, ...state }), wordOf(kind));
}

describe('a message to an item', () => {
  it.each(ITEM_STATES.flatMap((state) => ITEM_UPDATES.map((name) => [state, name] as const)))(
    '%s, %s: is taken, true already or refused, as the table has it',
    (state, name) => {
      const run = state === 'running' ? { runId: 'shop-1', word: 'working' as const } : null;
      const judged = judge({ state, run }, name);

      expect(judged.kind).toBe(KINDS[TABLE[state][name]]);
      if (judged.kind === 'refused') expect(judged.why).toMatch(/^it is \w+( \([a-z ]+\))?; \S/);
    },
  );

  it('tells to stop a running one first, and what a parked one takes', () => {
    const run = { runId: 'shop-1', word: 'working' as const };

    expect(judge({ state: 'running', run }, 'reject')).toEqual({
      kind: 'refused',
      why: 'it is running; stop it first',
    });
    expect(judge({ state: 'running', run }, 'remove')).toEqual({
      kind: 'refused',
      why: 'it is running; stop it first',
    });
    expect(judge({ state: 'parked', reason: 'no_commits' }, 'approve')).toEqual({
      kind: 'refused',
      why: 'it is parked (no commits); it takes reject, run, set, done, remove',
    });
  });

  it('counts as running while its run is being started', () => {
    const state = { state: 'queued' as const, run: { runId: 'shop-1', word: null } };

    expect(judge(state, 'remove').kind).toBe('refused');
    expect(judge(state, 'done')).toMatchObject({ kind: 'accepted', message: expect.stringContaining('closed, done') });
    expect(judge(state, 'stop')).toMatchObject({ message: 'its run is being ended; then it is parked' });
    expect(judge({ state: 'queued' }, 'stop')).toMatchObject({ message: 'it is parked' });
  });

  it('is not taken twice while the run is being ended', () => {
    const run = { runId: 'shop-1', word: 'working' as const };
    const wanted = { to: 'parked', reason: 'stopped', driver: 'stop', actor: 'ann', note: null } as const;

    expect(judge({ state: 'running', run, wanted }, 'stop').kind).toBe('unchanged');
    expect(judge({ state: 'running', run, wanted }, 'done').kind).toBe('accepted');
  });
});

/** Skep's words for the states of a task, by the table of docs/requirements/skep.md "Vocabulary". */
import { describe, expect, it } from '@jest/globals';
import {
  HEAD_STATES,
  ITEM_REASONS,
  ITEM_STATES,
  ITEM_WAITS,
  type ItemReason,
  PARKED_REASONS,
} from '../../../protocol/actors/item.js';
import { type SkepFacts, type SkepStatus, skepStatus, viewOfPreset } from '../../../protocol/views/skep-status.js';

const WORDS: readonly SkepStatus[] = [
  ...(['created', 'pending', 'pending_clarification', 'approved', 'queued', 'executing'] as const),
  ...(['done', 'failed', 'interrupted', 'rejected', 'deleted', 'duplicate'] as const),
];

/** Every combination, those that never meet too. */
const ALL: readonly SkepFacts[] = ITEM_STATES.flatMap((state) =>
  [...ITEM_REASONS, null].flatMap((reason) =>
    [...HEAD_STATES, null].flatMap((head) =>
      [...ITEM_WAITS, null].flatMap((waits) => [true, false].map((isHeld) => ({ state, reason, head, waits, isHeld }))),
    ),
  ),
);

const DONE: readonly (ItemReason | null)[] = ['merged', 'no_changes', 'forced'];

describe("Skep's words", () => {
  it.each<[SkepStatus, SkepFacts]>([
    ['created', { state: 'admitting', reason: 'classify' }],
    ['created', { state: 'admitting', reason: 'plan' }],
    ['pending_clarification', { state: 'clarifying', reason: 'questions' }],
    ['pending', { state: 'gated', reason: 'plan' }],
    ['pending', { state: 'gated', reason: 'start' }],
    ['pending', { state: 'gated', reason: 'classify_failed' }],
    ['pending', { state: 'gated', reason: 'plan_failed' }],
    ['pending', { state: 'gated', reason: 'low_confidence' }],
    ['pending', { state: 'gated', reason: 'clarification_limit' }],
    ['pending', { state: 'gated', reason: 'possible_duplicate' }],
    ['queued', { state: 'queued', reason: null, waits: 'slot' }],
    ['queued', { state: 'queued', reason: null }],
    ['approved', { state: 'queued', reason: null, waits: 'person' }],
    ['approved', { state: 'queued', reason: null, waits: 'slot', isHeld: true }],
    ['executing', { state: 'running', reason: null }],
    ['executing', { state: 'running', reason: null, waits: 'account' }],
    ['failed', { state: 'parked', reason: 'step_failed' }],
    ['failed', { state: 'parked', reason: 'executor_error' }],
    ['failed', { state: 'parked', reason: 'blocked' }],
    ['failed', { state: 'parked', reason: 'dependency_failed' }],
    ['failed', { state: 'parked', reason: 'repository_changed' }],
    ['interrupted', { state: 'parked', reason: 'stopped' }],
    ['interrupted', { state: 'parked', reason: 'agent_gone' }],
    ['interrupted', { state: 'parked', reason: 'run_gone' }],
    ['interrupted', { state: 'parked', reason: 'no_commits' }],
    ['interrupted', { state: 'parked', reason: 'unmerged' }],
    ['interrupted', { state: 'parked', reason: 'unmerged', head: 'waiting' }],
    ['executing', { state: 'parked', reason: 'unmerged', head: 'landing' }],
    ['executing', { state: 'parked', reason: 'unmerged', head: 'ready' }],
    ['done', { state: 'parked', reason: 'unmerged', head: 'merged' }],
    ['done', { state: 'closed', reason: 'merged' }],
    ['done', { state: 'closed', reason: 'no_changes' }],
    ['done', { state: 'closed', reason: 'forced' }],
    ['rejected', { state: 'closed', reason: 'rejected' }],
    ['deleted', { state: 'closed', reason: 'deleted' }],
    ['duplicate', { state: 'closed', reason: 'duplicate' }],
    ['interrupted', { state: 'closed', reason: 'aborted' }],
    ['failed', { state: 'closed', reason: 'expired' }],
    ['interrupted', { state: 'closed', reason: null }],
  ])('say %s of %j', (word, facts) => {
    expect(skepStatus(facts)).toBe(word);
  });

  it('are there for every state with every reason, head and wait', () => {
    expect(ALL.filter((facts) => !WORDS.includes(skepStatus(facts)))).toEqual([]);
  });

  it('hang on the state alone until a task rests', () => {
    const working = ALL.filter(({ state }) => !['queued', 'parked', 'closed'].includes(state));
    const words = new Map(working.map(({ state }) => [state, new Set<SkepStatus>()]));
    for (const facts of working) words.get(facts.state)?.add(skepStatus(facts));

    expect([...words.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1]);
  });

  it('say done of nothing but what is on its base, changed nothing as it was asked, or was forced', () => {
    const done = ALL.filter((facts) => skepStatus(facts) === 'done');

    expect(done.filter(({ reason, head }) => !DONE.includes(reason) && head !== 'merged')).toEqual([]);
    expect(done.filter(({ state }) => state !== 'parked' && state !== 'closed')).toEqual([]);
  });

  it('say of no parked task that it waits for its turn or for a first word', () => {
    const parked = ALL.filter(
      ({ state, reason }) => state === 'parked' && PARKED_REASONS.some((known) => known === reason),
    );

    expect(new Set(parked.map(skepStatus))).toEqual(new Set(['failed', 'interrupted', 'executing', 'done']));
  });
});

describe('the words that a preset has people read', () => {
  it.each([
    ['skep', 'skep'],
    ['vibestrate', 'engine'],
    ['default', 'engine'],
  ])('are under %s those of %s', (preset, view) => {
    expect(viewOfPreset(preset)).toBe(view);
  });
});

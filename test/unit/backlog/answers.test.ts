/** What becomes of a task by the end of its run, where it asks for an answer and where it asks for a change. Source: S-81. */
import { describe, expect, it } from '@jest/globals';
import type { ItemResult } from '../../../protocol/actors/item.js';
import { readTaskTerms } from '../../../protocol/actors/task-terms.js';
import { endOf } from '../../../workflows/item/after-run.js';
import { anItem } from '../../support/an-item.js';

const DOCUMENT = { sha256: 'a'.repeat(64), bytes: 1, mediaType: 'text/markdown' as const };

const PLANNED: ItemResult = {
  runId: 'shop-1',
  outcome: 'merge_ready',
  blockedReason: null,
  error: null,
  branch: 'sluice/task-1',
  headSha: null,
  verdict: null,
  isLanding: false,
  document: DOCUMENT,
  hasChange: false,
};

function endWith(kind: 'answer' | 'change', over: Partial<ItemResult> = {}) {
  const item = anItem({ state: 'running', run: { runId: 'shop-1', word: 'working' } });
  const asked = { ...item, input: { ...item.input, kind } };
  const { state, reason } = endOf(asked, { kind: 'ended', result: { ...PLANNED, ...over } }, 1);
  return [state, reason];
}

describe('a task', () => {
  it('that asks for an answer is done once its document is there', () => {
    expect(endWith('answer')).toEqual(['closed', 'no_changes']);
  });

  it.each([
    [{ document: null }, 'no_commits'],
    [{ outcome: 'no_changes' }, 'no_commits'],
    [{ outcome: 'blocked' }, 'blocked'],
    [{ outcome: 'failed' }, 'executor_error'],
    [{ hasChange: true }, 'unmerged'],
  ] as const)('that asks for an answer is parked by %j: %s', (over, reason) => {
    expect(endWith('answer', over)).toEqual(['parked', reason]);
  });

  it('that asks for a change is not done by a plan, and never waits to be merged without a commit', () => {
    expect(endWith('change')).toEqual(['parked', 'no_commits']);
    expect(endWith('change', { hasChange: true, document: null })).toEqual(['parked', 'unmerged']);
  });

  it('asks for a change where it does not say, and for nothing else', () => {
    expect(readTaskTerms({}, 1)).toMatchObject({ kind: 'ok', terms: { kind: 'change', priority: 0, gate: null } });
    expect(readTaskTerms({ kind: 'poem' }, 1)).toMatchObject({ kind: 'bad', field: 'kind' });
    expect(readTaskTerms({ gate: 'end' }, 1)).toMatchObject({ kind: 'bad', field: 'gate' });
  });
});

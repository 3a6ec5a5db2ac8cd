/** Names that a landing and its queue make of those of runs and branches, of whatever length. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergeQueueId, queueName } from '../../../protocol/actors/merge-queue.js';
import { landingId, repairRunId, runIdOfLanding } from '../../../protocol/names.js';
import { isRunId } from '../../../protocol/run/run-id.js';

const RUN_ID = fc.stringMatching(/^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.[A-Za-z0-9]){0,79}$/).filter((id) => isRunId(id));

describe('a run that repairs another', () => {
  it('has a run id of its own for every run id and number', () => {
    fc.assert(
      fc.property(RUN_ID, fc.integer({ min: 1, max: 9_999_999 }), (runId, n) => {
        expect(isRunId(repairRunId(runId, n))).toBe(true);
        expect(repairRunId(runId, n)).not.toBe(repairRunId(runId, n + 1));
        expect(runIdOfLanding(landingId(runId))).toBe(runId);
      }),
    );
  });

  it.each([
    ['a'.repeat(79), `${'a'.repeat(70)}-l1`],
    ['a'.repeat(80), `${'a'.repeat(70)}-l1`],
    [`${'a'.repeat(69)}.${'b'.repeat(9)}`, `${'a'.repeat(69)}-l1`],
    ['run', 'run-l1'],
  ])('of %s is %s', (runId, repair) => {
    expect(isRunId(runId)).toBe(true);
    expect(repairRunId(runId, 1)).toBe(repair);
    expect(isRunId(repairRunId(runId, 9_999_999))).toBe(true);
  });
});

describe('a merge queue', () => {
  it('has an id and folders of a fixed length, of its own for each branch of 200 bytes', () => {
    const [one, other] = ['x', 'y'].map((end) => ({ repoKey: 'shop', branch: `${'b'.repeat(199)}${end}` }));
    if (one === undefined || other === undefined) throw new Error('two were made');

    expect(mergeQueueId(one)).not.toBe(mergeQueueId(other));
    expect(mergeQueueId(one).length).toBeLessThanOrEqual(200);
    expect(queueName(one)).not.toBe(queueName(other));
    expect(queueName(one).length).toBeLessThanOrEqual(80);
    expect(mergeQueueId({ repoKey: 'shop', branch: 'main' })).toBe('merge-queue:shop@main');
  });
});

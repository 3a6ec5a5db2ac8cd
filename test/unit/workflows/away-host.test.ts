import { describe, expect, it } from '@jest/globals';
import { ActivityFailure, ApplicationFailure, RetryState, TimeoutFailure } from '@temporalio/common';
import { FAILURES } from '../../../protocol/failures.js';
import { isHostAway, readAbsence } from '../../../workflows/actor/away-host.js';
import { failureOf } from '../../../workflows/merge-queue/queue-failure.js';
import { anEntry } from '../../support/queue-world.js';

const failed = (cause: Error) => new ActivityFailure('failed', 'cleanRun', '1', RetryState.TIMEOUT, undefined, cause);
const timeout = (type: 'SCHEDULE_TO_START' | 'HEARTBEAT' | 'START_TO_CLOSE') =>
  failed(new TimeoutFailure('late', undefined, type));

describe('a host', () => {
  it.each<[string, Error, boolean]>([
    ['that nobody polls for is away', timeout('SCHEDULE_TO_START'), true],
    ['that was lost in the middle of an attempt is not', timeout('HEARTBEAT'), false],
    ['that takes too long is not', timeout('START_TO_CLOSE'), false],
    ['that failed is not', failed(ApplicationFailure.create({ message: 'no space left' })), false],
  ])('%s', (_name, error, isAway) => {
    expect(isHostAway(error)).toBe(isAway);
  });
});

describe('a host of a queue', () => {
  const full = ApplicationFailure.create({ message: 'no space left' });
  const ended = (state: RetryState, cause: Error) =>
    new ActivityFailure('failed', 'landEntry', '1', state, undefined, cause);
  const late = (type: 'SCHEDULE_TO_START' | 'SCHEDULE_TO_CLOSE' | 'HEARTBEAT', last?: Error) => {
    const failure = new TimeoutFailure('late', undefined, type);
    return ended(RetryState.TIMEOUT, Object.assign(failure, { cause: last }));
  };

  it.each<[string, Error, ReturnType<typeof readAbsence>]>([
    ['is away where nobody began', late('SCHEDULE_TO_START'), { failure: null }],
    ['is away after an attempt that may have done it', late('SCHEDULE_TO_START', full), { failure: 'no space left' }],
    ['that cannot do it in time counts as away', late('SCHEDULE_TO_CLOSE', full), { failure: 'no space left' }],
    [
      'that fails to the last of its time counts as away',
      ended(RetryState.TIMEOUT, full),
      { failure: 'no space left' },
    ],
    [
      'that fails each time counts as away',
      ended(RetryState.MAXIMUM_ATTEMPTS_REACHED, full),
      { failure: 'no space left' },
    ],
    ['that is lost each time counts as away', late('HEARTBEAT'), { failure: 'late' }],
    ['that refuses is not away', ended(RetryState.NON_RETRYABLE_FAILURE, full), null],
  ])('%s', (_name, error, absence) => {
    expect(readAbsence(error)).toEqual(absence);
  });
});

describe('lasting trouble of a repository', () => {
  const refused = (type: string) =>
    new ActivityFailure(
      ...(['failed', 'work', '1', RetryState.NON_RETRYABLE_FAILURE, undefined] as const),
      ApplicationFailure.nonRetryable('a bad object', type),
    );

  it.each([
    ['acme/shop', 'look', FAILURES.BadRepository, 'away'],
    ['acme/shop', 'look', FAILURES.BadInput, 'failed'],
    ['acme/shop', 'land', FAILURES.BadRepository, 'failed'],
    ['acme/shop', 'check', FAILURES.BadRepository, 'failed'],
    ['k', 'look', FAILURES.BadRepository, 'failed'],
  ] as const)(
    'ends no entry only because the base of many clones was looked at by it (%s, %s, %s: %s)',
    (repoKey, kind, type, is) => {
      const said = is === 'away' ? { failure: 'a bad object', isUnsure: false } : { why: 'a bad object' };
      expect(failureOf({ repoKey, branch: 'main' }, { kind, entry: anEntry(0) }, refused(type))).toEqual({
        kind: is,
        id: 'e0',
        ...said,
      });
    },
  );
});

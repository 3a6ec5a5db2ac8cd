import { describe, expect, it } from '@jest/globals';
import { ActivityFailure, ApplicationFailure, RetryState, TimeoutFailure } from '@temporalio/common';
import { isHostAway } from '../../../workflows/actor/away-host.js';

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

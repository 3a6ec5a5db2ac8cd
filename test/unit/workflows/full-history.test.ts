import { describe, expect, it } from '@jest/globals';
import { FULL_HISTORY, LAST_HISTORY } from '../../../protocol/limits.js';
import { reaches } from '../../../workflows/run/full-history.js';

/** Source: temporalio/temporal v1.31.2, common/dynamicconfig: limit.historyCount.error, limit.historySize.error. */
const SERVER = { events: 50 * 1024, bytes: 50 * 1024 * 1024 };

describe('the history of a run', () => {
  it('is full by its events as by its bytes, at half of what a server takes, and nearly at its end at four fifths', () => {
    for (const [bounds, share] of [
      [FULL_HISTORY, 0.5],
      [LAST_HISTORY, 0.8],
    ] as const) {
      const [events, bytes] = [SERVER.events * share, SERVER.bytes * share];

      expect(reaches(bounds, { historyLength: events, historySize: 0 })).toBe(true);
      expect(reaches(bounds, { historyLength: 3, historySize: bytes })).toBe(true);
      expect(reaches(bounds, { historyLength: events - 1, historySize: bytes - 1 })).toBe(false);
    }
  });
});
